"""Prices that no statistic counts are in no figure."""

from typing import Any

import duckdb
import pytest

from pipeline.schema import RECORDS
from pipeline.tables import load
from tests.unit.prices.price_rows import history, offer, rows

LEFT_OUT: list[dict[str, Any]] = [
    {"remark": "SOURCE_ERROR", "flags": "SOURCE_ERROR"},
    {"qualifier": "from", "flags": "FROM_PRICE"},
    {"flags": "SPOT_NOT_BELOW_ON_DEMAND"},
    {"includes_host": False},
    {"in_stock": False},
    {"os": "windows"},
]


@pytest.mark.parametrize("terms", LEFT_OUT)
def test_the_cheapest_rental_is_one_that_statistics_count(price_tables: duckdb.DuckDBPyConnection, terms: dict[str, Any]) -> None:
    for name in ("gpu", "guide_rule"):
        price_tables.execute(load.ddl(RECORDS[name].__table__).replace(" NOT NULL", ""))
    prices = (offer("wrong", 1.0, 20, **terms), offer("right", 2.0, 20), offer("alone", 0.5, 20, provider="B", **terms))
    con = history(price_tables, *prices, tables=("_rental_cheapest",))
    assert rows(con, "SELECT usd_per_gpu_hour FROM price_metric ORDER BY 1")[-1] == (2.0,)
    assert rows(con, "SELECT usd_per_gpu_hour FROM _rental_cheapest") == [(2.0,)]
