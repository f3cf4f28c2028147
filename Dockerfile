# One run of `gpuledger publish` a container: mount the destination at /srv/gpuledger and keep the volume /app/data.
FROM python:3.12-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git make npm openssh-client rsync \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY . .
RUN make install
VOLUME /app/data
ENTRYPOINT ["/app/.venv/bin/gpuledger"]
CMD ["publish", "/srv/gpuledger"]
