"""A local HTTP host and a fetcher of one fake source that asks it."""

import datetime as dt
from pathlib import Path

import pytest

from pipeline.fetch.refresh import Status
from pipeline.schema.guides import GuideRun
from sources import Source
from tests.unit.fetch.fetcher import DAY, Fetcher, Module
from tests.unit.fetch.misbehaving_host import Host, rows


@pytest.fixture
def fetcher(host: Host, tmp_path: Path) -> Fetcher:
    source = Source(
        source_id="fake", title="A fake", kind="prices", yields=(GuideRun,), attribution="no one", url=host.url,
        licence="CC0-1.0", automated_access="allowed", terms_url="https://example.org/terms",
    )  # fmt: skip
    return Fetcher(host, tmp_path / "data", Module(source))


@pytest.fixture
def fetcher_with_snapshot(fetcher: Fetcher) -> Fetcher:
    """A fetcher with a good snapshot of ten rows, fetched the day before."""
    fetcher.now = DAY - dt.timedelta(days=1)
    assert fetcher.fetch(rows(10, ETag='"ten"')).status is Status.stored
    fetcher.now = DAY
    fetcher.slept.clear()
    return fetcher
