"""Lines of prices by day: where a stretch ends, and which stretches have few of the offers."""

import datetime as dt
from collections.abc import Iterator

import duckdb
import pytest

from pipeline.warehouse import sql_models

FIRST = dt.date(2026, 1, 1)
STRETCHES = "SELECT stretch FROM lines WHERE line = ? ORDER BY date"


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        for name in ("longest_price_gap_days", "least_cheapest_step"):
            con.execute(sql_models.macros()[name].ddl())
        con.execute("""
            CREATE TABLE price_daily(date DATE, gpu_model_id VARCHAR, gpu_id VARCHAR, kind VARCHAR, billing VARCHAR,
                commitment VARCHAR, n_offers BIGINT, n_providers BIGINT, usd_min DOUBLE, low_provider VARCHAR, usd_median DOUBLE);
            CREATE TABLE provider_price_daily(date DATE, gpu_model_id VARCHAR, billing VARCHAR, provider VARCHAR, usd_min DOUBLE,
                n_offers BIGINT)
        """)
        yield con


def add_market(con: duckdb.DuckDBPyConnection, day: int, *, providers: int = 3, offers: int = 9, low: str = "a", usd: float = 2):
    date = FIRST + dt.timedelta(days=day)
    row = [date, "m", "any", "cloud_rental", "spot", "none", offers, providers, usd, low, usd]
    con.execute(f"INSERT INTO price_daily VALUES ({', '.join('?' * len(row))})", row)


def add_provider(con: duckdb.DuckDBPyConnection, day: int, provider: str, usd: float):
    date = FIRST + dt.timedelta(days=day)
    con.execute("INSERT INTO provider_price_daily VALUES (?, 'm', 'spot', ?, ?, 1)", [date, provider, usd])


def stretches(con: duckdb.DuckDBPyConnection, line: str) -> list[int]:
    con.execute(f"CREATE OR REPLACE TABLE lines AS {sql_models.metrics()['price_line'].file.body}")
    return [stretch for (stretch,) in con.execute(STRETCHES, [line]).fetchall()]


def test_a_gap_or_a_change_of_composition_begins_a_stretch(con):
    for day, providers in {1: 2, 2: 2, 3: 3, 4: 9, 5: 9, 6: 12, 51: 12, 97: 12}.items():
        add_market(con, day, providers=providers)
    assert stretches(con, "median") == [0, 0, 1, 2, 2, 2, 2, 3]


def test_a_provider_that_appears_or_disappears_begins_a_stretch_of_the_cheapest_price_alone(con):
    """C appears far below, A lowers its own price, A leaves, and B lowers its own."""
    prices = [{"a": 6.88, "b": 7}, {"a": 6.88, "b": 7, "c": 3.29}, {"a": 1.99, "b": 7, "c": 3.29}, {"b": 7, "c": 3.29}, {"b": 3}]
    for day, of_day in enumerate(prices):
        low = min(of_day, key=lambda one: of_day[one])
        add_market(con, day, low=low, usd=of_day[low])
        for provider, usd in of_day.items():
            add_provider(con, day, provider, usd)
    assert stretches(con, "cheapest") == [0, 1, 1, 2, 2]
    assert stretches(con, "median") == [0] * 5
    assert stretches(con, "b") == [0] * 5


def test_a_small_step_of_the_cheapest_price_is_no_new_stretch(con):
    for day, (low, usd) in enumerate([("a", 2.49), ("b", 2.0), ("c", 1.6)]):
        add_market(con, day, low=low, usd=usd)
        add_provider(con, day, low, usd)
    assert stretches(con, "cheapest") == [0, 0, 1]


def test_a_stretch_without_a_third_of_the_most_offers_has_few(con):
    for day, (offers, providers) in enumerate([(10, 3), (20, 3), (7, 6), (2, 6), (6, 12)]):
        add_market(con, day, offers=offers, providers=providers)
        add_provider(con, day, "a", 2)
    assert stretches(con, "cheapest") == [0, 0, 1, 1, 2]
    few = "SELECT list(few_offers ORDER BY date) FROM lines WHERE line = ?"
    assert con.execute(few, ["cheapest"]).fetchone() == ([False, False, False, False, True],)
    assert con.execute(few, ["a"]).fetchone() == ([False] * 5,)
