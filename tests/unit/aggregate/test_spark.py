"""The same SQL files on Spark: Sail answers Spark Connect without Java, and finds what DuckDB finds."""

import datetime as dt
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from pysail.spark import SparkConnectServer

from benchmarks.project import scale
from pipeline.aggregate import engines, history
from tests.unit.aggregate.made_up import FIRST, OFFERS, sighting, write

TABLES = ("carried", "lapsed", "price_interval", "seller", "price_histogram", "price_daily")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def remote() -> Iterator[str]:
    server = SparkConnectServer(ip="127.0.0.1", port=0)
    server.start(background=True)
    with pytest.MonkeyPatch.context() as patch:
        # pyspark takes a main module without a file, such as that of a pytest worker, for a run of its own documentation
        patch.setattr(sys.modules["__main__"], "__file__", __file__, raising=False)
        yield f"sc://127.0.0.1:{server.listening_address[1]}"
    server.stop()


def rows_of(out: Path, table: str) -> duckdb.DuckDBPyRelation:
    """Rows of a table. Its types must be equal too, but for the widths of numbers."""
    return duckdb.sql(f"FROM read_parquet('{out}/{table}/*/*.parquet', hive_partitioning = false)")


def expect_equal(folder: Path, remote: str) -> int:
    """Aggregate on both engines; every table must have the same rows. Returns the number of days' figures."""
    for name, address in (("duckdb", ""), ("spark", remote)):
        with engines.start(address, folder / "spill") as engine:
            history.aggregate(engine, folder / "observations", folder / name)
    for table in TABLES:
        left, right = rows_of(folder / "duckdb", table), rows_of(folder / "spark", table)
        assert left.columns == right.columns
        assert left.except_(right).fetchall() == right.except_(left).fetchall() == [], table
    return len(left)


def test_sail_finds_what_duckdb_finds(tmp_path, remote):
    rows = [
        sighting(offer, FIRST + dt.timedelta(day), 1 + day // (5 + offer) % 3 / 10)
        for offer in OFFERS
        for day in range(80)
        if (day * 7 + offer * 5) % 11 > offer % 4
    ]
    write(tmp_path / "observations", rows, [("offer 3", "offer 5", 7), ("offer 4", "offer 9", None)])
    assert expect_equal(tmp_path, remote) > 100


@pytest.mark.full
@pytest.mark.long
def test_sail_finds_what_duckdb_finds_in_ten_million_rows(tmp_path, remote):
    assert (
        scale.generate(tmp_path / "observations", scale.FIRST_DAY, scale.FIRST_DAY.replace(month=12, day=31), scale.OFFERS)
        > 10**7
    )
    assert expect_equal(tmp_path, remote) > 10**5
