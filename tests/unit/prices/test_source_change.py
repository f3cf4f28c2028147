"""Changes of a source from day to day, on small cases computed by hand."""

import duckdb
import pytest

from tests.unit.prices.price_rows import august, history, offer, rows

COUNTS = """SELECT date, date_before, n_offers, n_offers_before, n_appeared, n_ended, n_rose, n_fell, median_change_ratio
    FROM source_change ORDER BY file, date"""


def stored(con: duckdb.DuckDBPyConnection, name: str, day: int, path: str, source: str = "one", rejected: int = 0) -> None:
    con.execute(
        "INSERT INTO snapshot (snapshot_id, source_id, path, retrieved_at, rows_rejected) VALUES (?, ?, ?, ?, ?)",
        [name, source, path, august(day), rejected],
    )


def test_offers_come_go_and_move_by_hand(price_tables: duckdb.DuckDBPyConnection) -> None:
    """On the 3rd: a stays, b rises by half, c is gone, d is new; on the 5th b falls back and c returns dearer."""
    stored(price_tables, "s1", 1, "data/raw/one/list-2026-08-01.csv")
    stored(price_tables, "s3", 3, "data/raw/one/list-2026-08-03.csv", rejected=4)
    stored(price_tables, "s5", 5, "data/raw/one/list-2026-08-05.csv")
    seen = {
        1: {"a": 1.0, "b": 2.0, "c": 3.0},
        3: {"a": 1.0, "b": 3.0, "d": 9.0},
        5: {"a": 1.0, "b": 2.0, "c": 6.0, "d": 9.0},
    }
    offers = [offer(key, usd, day, snapshot_id=f"s{day}") for day, found in seen.items() for key, usd in found.items()]
    con = history(price_tables, *offers)
    assert rows(con, COUNTS) == [
        (august(1), None, 3, None, None, None, None, None, None),
        (august(3), august(1), 3, 3, 1, 1, 1, 0, 1.5),
        (august(5), august(3), 4, 3, 1, 0, 1, 1, pytest.approx((2 / 3 + 2) / 2)),
    ]
    assert rows(con, "SELECT n_rejected FROM source_change ORDER BY date") == [(0,), (4,), (0,)]


def test_a_file_is_compared_with_itself_alone(price_tables: duckdb.DuckDBPyConnection) -> None:
    """Files of a source fetched on different days: the offers of one do not end when another is seen, of its name or not."""
    stored(price_tables, "s1", 1, "data/raw/one/2026-08-01/east.json")
    stored(price_tables, "s2", 2, "data/raw/one/2026-08-02-2/west.json")
    stored(price_tables, "s3", 3, "data/raw/one/a/2026-08-03/east.json")
    names = {"s1": 1, "s2": 2, "s3": 3}
    con = history(price_tables, *(offer(name, 1.0, day, snapshot_id=name) for name, day in names.items()))
    assert rows(con, "SELECT file, date, n_ended FROM source_change ORDER BY date") == [
        ("east.json", august(1), None),
        ("west.json", august(2), None),
        ("a/east.json", august(3), None),
    ]


def test_offers_of_a_provider_that_was_not_read_stay_and_those_of_a_new_provider_are_first(
    price_tables: duckdb.DuckDBPyConnection,
) -> None:
    """On the 2nd Beta's page cannot be read, Gamma is gone for good, and Delta is there for the first time."""
    seen = {
        1: {"acme": "a", "Beta": "b", "Gamma": "c"},
        2: {"acme": "a", "Delta": "d"},
        3: {"acme": "a", "Beta": "b", "Delta": "d"},
    }
    for day in seen:
        stored(price_tables, f"s{day}", day, f"data/raw/one/2026-08-0{day}/list.json")
    con = history(
        price_tables,
        *(offer(key, 1.0, day, provider=name, snapshot_id=f"s{day}") for day, keys in seen.items() for name, key in keys.items()),
        offer("b2", 1.0, 1, provider="Beta", snapshot_id="s1"),
        offer("b3", 1.0, 3, provider="Beta", snapshot_id="s3"),
    )
    assert rows(con, "SELECT date, n_offers, n_offers_before, n_first, n_appeared, n_ended FROM source_change ORDER BY date") == [
        (august(1), 4, None, None, None, None),
        (august(2), 4, 4, 1, 0, 1),
        (august(3), 4, 4, 0, 1, 1),
    ]


def test_a_file_that_lost_all_its_offers_is_reported(price_tables: duckdb.DuckDBPyConnection) -> None:
    stored(price_tables, "s1", 1, "data/raw/one/2026-08-01/list.json")
    stored(price_tables, "s2", 2, "data/raw/one/2026-08-02/list.json", rejected=7)
    con = history(price_tables, offer("a", 1.0, 1, snapshot_id="s1"))
    assert rows(con, "SELECT n_offers, n_ended, n_rejected FROM source_change WHERE date_before IS NOT NULL") == [(0, 1, 7)]


def test_a_move_of_the_exchange_rate_is_none_and_a_dated_document_has_no_days(price_tables: duckdb.DuckDBPyConnection) -> None:
    price_tables.execute("INSERT INTO source (source_id, kind) VALUES ('guide', 'prices')")
    stored(price_tables, "s1", 1, "data/raw/one/2026-08-01/list.json")
    stored(price_tables, "s2", 2, "data/raw/one/2026-08-02/list.json")
    stored(price_tables, "g", 1, "data/raw/guide/prices.csv", "guide")
    euro = {"currency": "EUR", "amount": 2.3}
    con = history(
        price_tables,
        offer("a", 2.5, 1, snapshot_id="s1", **euro),
        offer("a", 2.6, 2, snapshot_id="s2", **euro),
        offer("g", 1.0, 1, snapshot_id="g", source_id="guide"),
    )
    assert rows(con, "SELECT source_id, date, n_rose + n_fell FROM source_change ORDER BY date") == [
        ("one", august(1), None),
        ("one", august(2), 0),
    ]
