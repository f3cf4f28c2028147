"""Fixtures of the pipeline's tests: a desk for `fetch`, an empty price database, the built site."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from pipeline.fetch.refresh import Status
from pipeline.schema import RECORDS
from pipeline.schema.guides import GuideRun
from pipeline.warehouse import load, sql_models
from sources import Source
from tests.pipeline.desk import DAY, Desk, Module
from tests.pipeline.misbehaving import Host, rows, serving
from tests.pipeline.price_rows import AS_OF


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with serving() as host:
        yield host


@pytest.fixture
def desk(host: Host, tmp_path: Path) -> Desk:
    source = Source(
        source_id="fake", title="A fake", kind="prices", yields=(GuideRun,), attribution="no one", url=host.url,
        licence="CC0-1.0", automated_access="allowed", terms_url="https://example.org/terms",
    )  # fmt: skip
    return Desk(host, tmp_path / "data", Module(source))


@pytest.fixture
def kept(desk: Desk) -> Desk:
    """A desk with a good snapshot of ten rows, fetched the day before."""
    desk.now = DAY - dt.timedelta(days=1)
    assert desk.fetch(rows(10, ETag='"ten"')).status is Status.stored
    desk.now = DAY
    desk.slept.clear()
    return desk


@pytest.fixture
def empty() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with the tables that the history reads, without rows but release, and with the functions."""
    with duckdb.connect() as con:
        for name in ("release", "source", "snapshot", "source_problem", "price"):
            con.execute(load.ddl(RECORDS[name].__table__).replace(" NOT NULL", ""))
        con.execute("INSERT INTO release VALUES (?)", [AS_OF])
        con.execute("INSERT INTO source (source_id, stale_after_days) VALUES ('one', 7), ('two', 7), ('never', 7)")
        con.execute("UPDATE source SET kind = 'prices'")
        for macro in sql_models.macros().values():
            con.execute(macro.ddl())
        yield con


@pytest.fixture(scope="module")
def site(release: Path) -> Path:
    return release / "site"
