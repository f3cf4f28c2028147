# make site | make test | make test-fast | make test-full | make serve | make dagster | make bench
.DEFAULT_GOAL := site
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
ENGINE := site/node_modules/.gpuledger/duckdb/engine.json
CHECKERS := site/node_modules/.gpuledger/checkers
REMOTE := $(VENV)/remote-reader
WORKERS ?= $(shell nproc 2>/dev/null || echo 2)
# in the order of collection, which puts the long files first; the sweeps have one more, since Dagster and Lighthouse often wait
PYTEST := $(BIN)/python -m pytest -q --dist loadfile --no-loadscope-reorder --numprocesses

unexport PYTHONDONTWRITEBYTECODE  # which some images set: each worker would compile all tests in each run

.PHONY: install service site test test-fast test-sweeps test-full remote-reader serve dagster bench bench-scale screenshots lighthouse lint expected constraints clean

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; name it with: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --constraint constraints.txt --editable .
	$(BIN)/python -m compileall -q pipeline sources benchmarks  # as pip does with what it copies: else the first build would
	@touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(PIP) --constraint constraints.txt --editable '.[test]'
	@touch $@

$(ENGINE): NPM_GROUP := --omit=dev
$(ENGINE) $(CHECKERS): site/package.json site/package-lock.json site/engine.mjs | $(VENV)/installed
	@{ command -v npm >/dev/null || $(PIP) --constraint constraints.txt --editable '.[npm]'; } && site/npm.sh ci $(NPM_GROUP) \
	&& site/npm.sh run --silent engine && touch $@ \
	|| echo "Packages of npm are missing: the site is built without the engine of its SQL page and without its edition for reading from disk; the next make tries again"

install: $(VENV)/installed $(ENGINE)  # what a build needs

service: install  # as root: the daily run of systemd, whose user can write the data and the destination alone
	@test "$(CURDIR)" = /opt/gpuledger || { echo "The units name /opt/gpuledger: clone the project there"; exit 1; }
	id gpuledger >/dev/null 2>&1 || useradd --system gpuledger
	mkdir -p /srv/gpuledger
	chown -R gpuledger data /srv/gpuledger
	cp pipeline/publishing/systemd/gpuledger-publish.* /etc/systemd/system/
	systemctl daemon-reload
	systemctl enable --now gpuledger-publish.timer

site: install
	$(BIN)/gpuledger build
	@echo "The site: data/build/site/index.html (make serve shows it)"
	@echo "The data: data/build/gpuledger.duckdb (gpuledger query, or any DuckDB)"

test test-sweeps: export GPULEDGER_TEST_BUILD ?= $(CURDIR)/data/build

test: $(VENV)/installed-test $(CHECKERS) lint site  # what guards behavior, on the last build brought up to date
	$(PYTEST) $(WORKERS) -m "not full"

test-fast: $(VENV)/installed-test  # without a build and without a browser
	$(PYTEST) $(WORKERS) -m "not build and not browser and not slow and not full" tests/unit

$(REMOTE): | $(BIN)/python
	$(PIP) --no-warn-conflicts --target $@ duckdb-extension-httpfs==1.5.5  # brings DuckDB 1.5, which cannot be beside version 2

remote-reader: $(REMOTE)  # DuckDB with httpfs, to query the site over HTTP

test-sweeps: $(VENV)/installed-test $(CHECKERS) $(REMOTE) site  # what `make test` leaves out: a hostile site, more pages, sizes, questions and data; TESTS=tests/browser names a part
	$(PYTEST) $$(($(WORKERS) + 1)) -m full $(TESTS)

test-full: test test-sweeps

lint: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/dg check defs

serve: $(VENV)/installed
	$(BIN)/gpuledger serve

dagster: export DAGSTER_HOME ?= $(CURDIR)/data/build/dagster
dagster: export VIRTUAL_ENV := $(CURDIR)/$(VENV)
dagster: $(VENV)/installed  # the graph and the history of builds: fetch, build and watch runs in the browser
	@$(BIN)/python -c "from pipeline import paths; from pipeline.orchestration import instance; instance.home_of(paths.BUILD)"
	$(BIN)/dg dev

bench: $(VENV)/installed-test
	$(BIN)/python -m benchmarks.project.builds
	$(BIN)/python -m benchmarks.project.prices

bench-scale: $(VENV)/installed-test  # a history of 10^7 and 10^8 prices: up to an hour, and 60 GB of disk for the plain SQL that it compares with
	@rm -rf data/build/scale
	$(BIN)/python -m benchmarks.project.scale data/build/scale

screenshots: $(VENV)/installed-test  # of the last build's site, for the eye
	$(BIN)/python -m tests.browser.screenshots data/build/site data/build/screenshots

lighthouse: $(VENV)/installed-test $(CHECKERS)  # marks of the last build's site, those of speed too
	$(BIN)/python -m tests.browser.lighthouse data/build/site

expected: $(VENV)/installed  # accept the row counts of the last build as the expected ones
	$(BIN)/python -m pipeline.release.expectations

constraints: $(VENV)/installed-test  # write down the installed versions
	$(PIP) --constraint constraints.txt --editable '.[npm]'
	$(BIN)/python -m pip freeze --exclude-editable | sed "s/+cpu//" > constraints.txt

clean:
	rm -rf data/build
