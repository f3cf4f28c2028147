"""Conflicts of the last 60 days with their first and last day, and which changes of price are moves."""

import datetime as dt
from typing import Any

import duckdb
import pytest

from tests.unit.prices.price_rows import august, history, offer, rows

DISPUTED: dict[str, Any] = {"flags": "CONFLICT"}
LISTED: dict[str, Any] = {"source_id": "two", **DISPUTED}


def aggregated(usd: float, day: int, **terms: Any) -> dict[str, Any]:
    return offer("aggregated", usd, day, **(LISTED | terms))


@pytest.mark.parametrize(
    ("newest", "last", "remarks"),
    [
        (aggregated(6.88, 16, flags=None), 9, [None, None]),
        (aggregated(6.88, 16, flags="CPU_STARVED"), 9, ["CPU_STARVED", None]),
        (aggregated(12.29, 16), 16, ["CONFLICT", "CONFLICT"]),
    ],
)
def test_a_conflict_lasts_until_a_source_shows_another_price(
    price_tables: duckdb.DuckDBPyConnection, newest: dict[str, Any], last: int, remarks: list[str | None]
) -> None:
    """Once a conflict has ended, a current offer has no remark. What was in conflict keeps its flag in `price`."""
    price_tables.execute("UPDATE source SET own_list_of = 'acme' WHERE source_id = 'one'")
    own = offer("own", 6.88, 1, **DISPUTED)
    con = history(price_tables, own, aggregated(12.29, 2), aggregated(12.29, 9), newest)
    sql = """SELECT source_a, source_b, first_day, last_day, usd_per_gpu_hour_min_a, usd_per_gpu_hour_min_b, ongoing, preferred
        FROM price_conflict"""
    assert rows(con, sql) == [("one", "two", august(2), august(last), 6.88, 12.29, last == 16, "one")]
    assert [flags for (flags,) in rows(con, "SELECT flags FROM price_latest ORDER BY offer_key")] == remarks
    assert rows(con, "SELECT conflict, ongoing FROM price_comparison") == [(True, last == 16)]
    assert rows(con, "SELECT flags FROM price WHERE offer_key = 'own'") == [("CONFLICT",)]


def test_of_two_regions_in_conflict_the_prices_furthest_apart_are_shown(price_tables: duckdb.DuckDBPyConnection) -> None:
    """The range over both regions would hide the conflict: 1 to 4 USD against 2."""
    own = [offer(region, usd, 20, region=region, **DISPUTED) for region, usd in (("east", 1.0), ("west", 4.2))]
    con = history(price_tables, *own, aggregated(2.0, 20, region="east"), offer("other", 2.0, 20, region="west", **LISTED))
    sql = "SELECT usd_per_gpu_hour_min_a, usd_per_gpu_hour_max_a, usd_per_gpu_hour_min_b FROM price_conflict"
    assert rows(con, sql) == [(4.2, 4.2, 2.0)]


@pytest.mark.parametrize(("days", "found"), [(60, 1), (61, 0)])
def test_a_conflict_is_listed_for_60_days(price_tables: duckdb.DuckDBPyConnection, days: int, found: int) -> None:
    day = {"observed_at": august(20) - dt.timedelta(days), "stale": True}
    con = history(price_tables, offer("own", 2.0, 1, **DISPUTED) | day, aggregated(3.0, 1) | day)
    assert len(rows(con, "FROM price_conflict")) == found


def test_prices_that_were_in_conflict_twice_are_two_conflicts(price_tables: duckdb.DuckDBPyConnection) -> None:
    own = [offer("own", 2.0, day, **DISPUTED) for day in (1, 17)]
    con = history(price_tables, *own, aggregated(3.0, 1), aggregated(2.0, 2, flags=None), aggregated(4.0, 18))
    sql = "SELECT first_day, last_day, usd_per_gpu_hour_max_b, ongoing FROM price_conflict ORDER BY 1"
    assert rows(con, sql) == [(august(1), august(1), 3.0, False), (august(18), august(18), 4.0, True)]


@pytest.mark.parametrize(
    ("day", "usd", "region", "moves"),
    [(5, 6.88, "east", ["own"]), (5, 6.7, "east", ["aggregated", "own"]), (5, 6.88, "west", ["aggregated", "own"])],
)
def test_a_step_that_two_sources_show_is_one_move(
    price_tables: duckdb.DuckDBPyConnection, day: int, usd: float, region: str, moves: list[str]
) -> None:
    own = [offer("own", 12.29, 1, region="east"), offer("own", 6.88, 2, region="east")]
    other = [aggregated(12.29, 1, region=region, flags=None), aggregated(usd, day, region=region, flags=None)]
    con = history(price_tables, *own, *other)
    assert rows(con, "SELECT offer_key FROM price_move ORDER BY 1") == [(one,) for one in moves]


@pytest.mark.parametrize(
    ("basis", "after", "moves"),
    [
        ("list price in EUR, converted", (2.04, 4.08), 0),
        ("list price in EUR, converted", (2.04, 4.0), 1),
        ("list price in EUR, converted", (2.2, 4.4), 2),
        ("list price in USD", (2.04, 4.08), 2),
        ("host included", (2.04, 4.08), 2),
    ],
)
def test_a_change_of_the_exchange_rate_is_no_move(
    price_tables: duckdb.DuckDBPyConnection, basis: str, after: tuple[float, float], moves: int
) -> None:
    """An aggregator converts the seller's list: all its prices change alike, by no more than 5%."""
    price_tables.execute("INSERT INTO provider_fact (raw_provider, attribute, value) VALUES ('ACME', 'price_basis', ?)", [basis])
    before = [offer("a", 2.0, 1), offer("b", 4.0, 1)]
    con = history(price_tables, *before, *(offer(key, usd, 2) for key, usd in zip("ab", after, strict=True)))
    assert len(rows(con, "FROM price_move")) == moves
    assert len(rows(con, "FROM price_change")) == 2 + moves
