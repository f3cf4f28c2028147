"""The command `aggregate` and its messages."""

import sys

import duckdb
import pytest

from tests.command import gpuledger
from tests.unit.aggregate.made_up import FIRST, sighting, write

TABLES = ["carried", "lapsed", "price_daily", "price_histogram", "price_interval", "seller"]


def test_it_writes_the_tables_beside_the_observations(tmp_path):
    write(tmp_path / "prices", [sighting(1, FIRST, 2.0)])
    done = gpuledger("aggregate", str(tmp_path / "prices"))
    assert done.returncode == 0
    assert "1 month computed" in done.stderr
    assert sorted(path.name for path in (tmp_path / "prices-daily").iterdir() if path.is_dir()) == TABLES
    assert "0 months computed" in gpuledger("aggregate", str(tmp_path / "prices")).stderr


def answer(*arguments: str) -> str:
    """The one line with which the command refuses."""
    done = gpuledger("aggregate", *arguments)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    return done.stderr


def test_a_folder_without_observations_is_refused(tmp_path):
    assert "has no Parquet files" in answer(str(tmp_path))
    assert "--from-build" in answer(str(tmp_path / "nowhere"))


def test_a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / "gpuledger.duckdb").write_text("no database")
    refused = answer(str(tmp_path / "prices"), "--from-build", "--db", str(tmp_path / "gpuledger.duckdb"))
    assert "cannot be opened" in refused
    assert "name another file, or leave --db out" in refused


def test_missing_columns_and_months_are_named(tmp_path):
    (tmp_path / "source_id=one" / "month=2026-13").mkdir(parents=True)
    file = tmp_path / "source_id=one" / "month=2026-13" / "rows.parquet"
    duckdb.execute(f"COPY (SELECT 'one' AS source_id, 2.0 AS usd) TO '{file}'")
    assert "2026-13 is not a month" in answer(str(tmp_path))
    file.parent.rename(file.parent.with_name("month=2026-12"))
    assert "no column offer_key, date" in answer(str(tmp_path))


def test_a_file_that_is_no_parquet_is_refused(tmp_path):
    (tmp_path / "source_id=one" / "month=2026-12").mkdir(parents=True)
    (tmp_path / "source_id=one" / "month=2026-12" / "rows.parquet").write_text("no")
    assert "rows.parquet" in answer(str(tmp_path))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "spark"], "--engine spark and --remote URL belong together"),
        (["--remote", "sc://127.0.0.1:9"], "--engine spark and --remote URL belong together"),
        (["--engine", "spark", "--remote", "sc://127.0.0.1:9"], "no Spark Connect server at sc://127.0.0.1:9"),
        (["--engine", "spark", "--remote", "http://127.0.0.1:9"], "is not the address of a Spark Connect server"),
    ],
)
def test_a_spark_that_cannot_be_reached_is_refused_at_once(tmp_path, options, message):
    write(tmp_path / "prices", [sighting(1, FIRST, 2.0)])
    assert message in answer(str(tmp_path / "prices"), *options)


def test_spark_without_its_package_is_refused(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    write(tmp_path / "prices", [sighting(1, FIRST, 2.0)])
    assert "pip install" in answer(str(tmp_path / "prices"), "--engine", "spark", "--remote", "sc://127.0.0.1:9")
