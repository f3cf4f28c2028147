"""Prices that no statistic counts are in no figure: the cheapest rental, the history of a provider, moves of prices."""

from typing import Any

import duckdb
import pytest

from pipeline.schema import RECORDS
from pipeline.tables import load
from tests.unit.prices.price_rows import august, history, offer, rows

LEFT_OUT: list[dict[str, Any]] = [
    {"remark": "SOURCE_ERROR", "flags": "SOURCE_ERROR"},
    {"qualifier": "from", "flags": "FROM_PRICE"},
    {"qualifier": "estimate"},
    {"flags": "SPOT_NOT_BELOW_ON_DEMAND"},
    {"includes_host": False},
    {"in_stock": False},
    {"os": "windows"},
]
HISTORY = """SELECT n_offers, n_changes, usd_per_gpu_hour_first, usd_per_gpu_hour_last, usd_per_gpu_hour_max
    FROM provider_gpu_history"""


@pytest.mark.parametrize("terms", LEFT_OUT)
def test_the_cheapest_rental_is_one_that_statistics_count(price_tables: duckdb.DuckDBPyConnection, terms: dict[str, Any]) -> None:
    price_tables.execute(load.ddl(RECORDS["guide_rule"].__table__).replace(" NOT NULL", ""))
    prices = (offer("wrong", 1.0, 20, **terms), offer("right", 2.0, 20), offer("alone", 0.5, 20, provider="B", **terms))
    con = history(price_tables, *prices)
    assert rows(con, "SELECT usd_per_gpu_hour FROM price_metric ORDER BY 1")[-1] == (2.0,)
    assert rows(con, "SELECT usd_per_gpu_hour FROM _rental_cheapest") == [(2.0,)]


@pytest.mark.parametrize("terms", LEFT_OUT)
def test_the_history_of_a_provider_has_comparable_prices_alone(
    price_tables: duckdb.DuckDBPyConnection, terms: dict[str, Any]
) -> None:
    """The other offer falls from 9 to 1 USD and would be the first, the highest and the newest price."""
    wrong = [offer("wrong", usd, day, **terms) for usd, day in ((9.0, 1), (1.0, 20))]
    right = [offer("right", usd, day) for usd, day in ((2.0, 2), (3.0, 20))]
    con = history(price_tables, *wrong, *right)
    assert rows(con, HISTORY) == [(1, 1, 2.0, 3.0, 3.0)]
    assert rows(con, "SELECT offer_key, usd_before, usd FROM price_move") == [("right", 2.0, 3.0)]
    changes = [("right", True), ("right", True), ("wrong", False), ("wrong", False)]
    assert rows(con, "SELECT offer_key, comparable FROM price_change ORDER BY ALL") == changes


def test_a_history_follows_the_exchange_rate(price_tables: duckdb.DuckDBPyConnection) -> None:
    """The price in EUR never changed; what it was in USD on the last day is its newest price, as in the list of offers."""
    stated = [offer("a", usd, day, currency="EUR", amount=1.0) for usd, day in ((1.18, 1), (1.2, 2), (1.15, 3))]
    con = history(price_tables, *stated)
    assert rows(con, HISTORY) == [(1, 0, 1.18, 1.15, 1.2)]
    assert rows(con, "SELECT usd_per_gpu_hour_min FROM provider_gpu_history") == [(1.15,)]


def test_a_step_from_a_wrong_price_to_a_right_one_is_no_move(price_tables: duckdb.DuckDBPyConnection) -> None:
    con = history(price_tables, offer("a", 4.4, 1, qualifier="from"), offer("a", 0.69, 2), offer("a", 0.79, 3))
    assert rows(con, "SELECT valid_from, usd_before FROM price_move") == [(august(3), pytest.approx(0.69))]


def test_shares_of_a_gpu_move_but_do_not_count(price_tables: duckdb.DuckDBPyConnection) -> None:
    con = history(price_tables, *(offer("share", usd, day, partition="fraction") for usd, day in ((2.0, 1), (3.0, 2))))
    assert rows(con, "SELECT partition, usd FROM price_move") == [("fraction", 3.0)]
    assert rows(con, "SELECT DISTINCT comparable, counts FROM _price_span") == [(True, False)]
