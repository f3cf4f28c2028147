"""A release compared with the last one: rows matched by key, figures, columns, moves of prices."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from pipeline.release import release_diff
from pipeline.schema import RECORDS
from pipeline.schema.core import Col, Column, Table
from pipeline.tables import load
from pipeline.warehouse.connection import dictionaries
from pipeline.warehouse.sql_models import metrics

SPEED = Table(
    "speed",
    "Speeds",
    "One row per GPU.",
    "metrics",
    ("gpu_id", "batch"),
    (
        Column("gpu_id", "VARCHAR", False, Col("GPU")),
        Column("batch", "BIGINT", True, Col("Batch")),
        Column("tflops", "DOUBLE", True, Col("Speed")),
    ),
)
GPU = Table("gpu", "GPUs", "One row per GPU.", "specs", ("gpu_id",), (Column("gpu_id", "VARCHAR", False, Col("GPU")),))
RELEASE = RECORDS["release"].__table__
KINDS = {
    "valid_from": "DATE", "valid_to": "DATE", "listed": "BOOLEAN", "usd_before": "DOUBLE", "usd": "DOUBLE", "change": "DOUBLE",
    "commitment_months": "BIGINT", "rank": "BIGINT",
}  # fmt: skip


def price_table(name: str, *columns: str) -> Table:
    """A table of prices with columns of the metric of this name, without checks."""
    declared = tuple(Column(column, KINDS.get(column, "VARCHAR"), True, Col("x")) for column in columns)
    return Table(name, "Prices", "One row per price.", "prices", ("offer_key", "valid_from"), declared)


MOVE = price_table("price_move", *metrics()["price_move"].columns)
CHANGE = price_table("price_change", "offer_key", "valid_from", "valid_to")
TABLES = {table.name: table for table in (SPEED, GPU, RELEASE, MOVE, CHANGE)}


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    """Two releases of the same rows; a test changes the second, `published`."""
    with duckdb.connect() as con:
        for database in ("previous", "published"):
            con.execute(f"ATTACH ':memory:' AS {database}; USE {database}")
            for table in TABLES.values():
                con.execute(load.ddl(table))
            con.execute("INSERT INTO speed VALUES ('a', 1, 2.5), ('b', NULL, NULL), ('c', 8, 1e20)")
            con.execute("INSERT INTO gpu VALUES ('a'), ('b'); INSERT INTO release VALUES (DATE '2026-08-20')")
        yield con


def rows(con: duckdb.DuckDBPyConnection, table: str) -> list[dict[str, Any]]:
    return dictionaries(con.execute(f"FROM published.{table} ORDER BY ALL"))


def filled(con: duckdb.DuckDBPyConnection, *, has_previous: bool = True) -> list[dict[str, Any]]:
    release_diff.fill(con, TABLES, has_previous=has_previous)
    return rows(con, "release_diff")


def next_release(con: duckdb.DuckDBPyConnection) -> None:
    """Make `published` the last release, and begin another one of the same rows."""
    con.execute("DETACH previous; ATTACH ':memory:' AS previous; COPY FROM DATABASE published TO previous")
    for name in release_diff.TABLES:
        con.execute(f"DROP TABLE published.{name}")


def test_the_first_release_has_nothing_to_compare_with(con: duckdb.DuckDBPyConnection) -> None:
    assert filled(con, has_previous=False) == []
    (release,) = rows(con, "release_history")
    assert (release["number"], release["as_of"], release["previous_release_id"]) == (1, dt.date(2026, 8, 20), None)
    assert release["new_gpus"] is None


def test_rows_are_matched_by_key_and_empty_keys_are_equal(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("UPDATE published.speed SET tflops = 3.0 WHERE gpu_id = 'b'")
    con.execute("DELETE FROM published.speed WHERE gpu_id = 'a'; INSERT INTO published.speed VALUES ('a', 2, 2.5), ('a', 3, 2.5)")
    (found,) = filled(con)
    counts = ("rows_before", "rows_after", "rows_added", "rows_removed", "rows_changed")
    assert [found[name] for name in counts] == [3, 4, 2, 1, 1]


def test_the_same_rows_are_no_new_release(con: duckdb.DuckDBPyConnection) -> None:
    filled(con, has_previous=False)
    before = rows(con, "release_history")
    next_release(con)
    assert filled(con) == []
    assert rows(con, "release_history") == before


def test_the_last_bits_of_a_figure_and_the_order_of_rows_are_no_difference(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE OR REPLACE TABLE published.speed AS FROM previous.speed ORDER BY gpu_id DESC")
    con.execute("UPDATE published.speed SET tflops = tflops * (1 + 1e-15)")
    assert filled(con) == []
    con.execute("UPDATE published.speed SET tflops = tflops * (1 + 1e-8)")
    next_release(con)
    con.execute("UPDATE published.speed SET tflops = 2.6 WHERE gpu_id = 'a'")
    assert [row["rows_changed"] for row in filled(con)] == [1]


def test_releases_follow_each_other_and_a_return_to_old_data_is_a_new_one(con: duckdb.DuckDBPyConnection) -> None:
    filled(con, has_previous=False)
    for statement in ("INSERT INTO published.gpu VALUES ('z')", "DELETE FROM published.gpu WHERE gpu_id = 'z'"):
        next_release(con)
        con.execute(statement)
        filled(con)
    history = sorted(rows(con, "release_history"), key=lambda row: row["number"])
    assert [row["number"] for row in history] == [1, 2, 3]
    assert [row["new_gpus"] for row in history] == [None, "z", None]
    assert len({row["release_id"] for row in history}) == 3
    assert [row["previous_release_id"] for row in history[1:]] == [row["release_id"] for row in history[:-1]]


def test_a_release_of_an_older_version_is_compared_by_the_columns_of_both(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("ALTER TABLE previous.speed DROP COLUMN tflops; ALTER TABLE previous.speed ADD COLUMN old VARCHAR")
    con.execute("DROP TABLE previous.gpu; CREATE TABLE previous.gone AS SELECT 1 AS x")
    found = {row["table_name"]: row for row in filled(con)}
    assert (found["speed"]["rows_changed"], found["speed"]["columns_added"], found["speed"]["columns_removed"]) == (
        0,
        "tflops",
        "old",
    )
    assert (found["gpu"]["rows_before"], found["gpu"]["rows_added"]) == (None, 2)
    assert (found["gone"]["rows_after"], found["gone"]["rows_removed"]) == (None, 1)
    (release,) = rows(con, "release_history")
    assert release["number"] == 2
    assert release["previous_release_id"] is not None


@pytest.mark.parametrize(
    ("last_seen", "moves"), [("2026-08-01", 1), ("2026-08-10", 0)], ids=["after the last release", "in the last release"]
)
def test_a_move_counts_if_the_offer_moved_after_the_last_release(
    con: duckdb.DuckDBPyConnection, last_seen: str, moves: int
) -> None:
    con.execute(f"INSERT INTO previous.price_change VALUES ('o', DATE '2026-07-01', DATE '{last_seen}')")
    con.execute("INSERT INTO published.price_change VALUES ('o', '2026-07-01', '2026-08-01'), ('o', '2026-08-10', '2026-08-20')")
    con.execute(
        "INSERT INTO published.price_change VALUES ('new', '2026-07-01', '2026-08-01'), ('new', '2026-08-10', '2026-08-20')"
    )
    con.execute("""INSERT INTO published.price_move BY NAME
        SELECT unnest(['o', 'new']) AS offer_key, DATE '2026-08-10' AS valid_from, true AS listed, 's' AS source_id,
            'p' AS provider, 'm' AS gpu_model_id, 'whole' AS partition, 'cloud_rental' AS kind,
            2.0 AS usd_before, 1.0 AS usd, -0.5 AS change""")
    con.execute("UPDATE published.gpu SET gpu_id = 'z' WHERE gpu_id = 'a'")
    filled(con)
    found = rows(con, "release_price_move")
    assert [(row["offer_key"], row["seen_before"]) for row in found] == [("o", dt.date(2026, 8, 1))] * moves
    (release,) = rows(con, "release_history")
    assert (release["n_price_rises"], release["n_price_cuts"]) == (0, moves)
