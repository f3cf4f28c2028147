# One run of `gpuledger publish` a container: mount the destination at /srv/gpuledger and keep both volumes.
FROM python:3.12-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git make npm openssh-client rsync \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY . .
RUN make install && git init --quiet --bare /snapshots.git
# not /app/data: a volume would hide the curated data of a newer image. What is fetched goes to the repository
VOLUME ["/app/data/build", "/snapshots.git"]
ENTRYPOINT ["/app/.venv/bin/gpuledger"]
CMD ["publish", "/srv/gpuledger", "--snapshots", "/snapshots.git"]
