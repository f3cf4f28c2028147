"""Descriptions of the columns of price history against what the columns count."""

import re

import duckdb
import pytest

from pipeline.prices.queries import query
from pipeline.schema import RECORDS
from pipeline.warehouse.sql_models import macros, metrics
from tests.unit.prices.price_rows import history, offer, rows


@pytest.mark.parametrize("name", ["usd_p25", "usd_median", "usd_p75"])
def test_quartiles_are_described_as_in_the_table_that_they_come_from(name: str) -> None:
    assert _text("price_history", name) == _text("price_daily", name)


def test_the_matched_price_begins_at_the_lowest_where_there_is_no_median(price_tables: duckdb.DuckDBPyConnection) -> None:
    con = history(price_tables, offer("a", 2.0, 19), offer("b", 3.0, 19, provider="B"))
    assert rows(con, "SELECT usd_median, usd_matched FROM price_history WHERE gpu_id = 'any'") == [(None, 2.0)]
    assert "or its lowest price where it has no median" in _text("price_history", "usd_matched")


def test_regions_of_a_provider_are_one_offer_of_the_day_and_several_of_the_index(
    price_tables: duckdb.DuckDBPyConnection,
) -> None:
    """The texts of the columns state the difference: without it, more offers match than there are."""
    regions = ("east", "west", "north")
    con = history(price_tables, *(offer(name, 2.0, day, region=name) for name in regions for day in (19, 20)))
    assert rows(con, "SELECT n_offers_last, n_matched FROM price_history_summary WHERE gpu_id = 'any'") == [(1, 3)]
    for table in ("price_history", "price_history_summary", "price_index"):
        assert "counted in each region and machine" in _text(table, "n_matched")
    assert "over all regions and machines" in _text("price_history", "n_offers")
    assert "over all regions and machines" in _text("price_history_summary", "n_offers_first")


def test_every_flag_of_a_price_is_described_with_its_limit() -> None:
    (column,) = (column for column in RECORDS["price"].__table__.columns if column.name == "flags")
    described = set(re.findall(r"([A-Z_]{4,}) =", column.col.text))
    assert described == set(re.findall(r"THEN '([A-Z_]+)'", query("price_table")))
    constants = query("constants")
    assert "jump_ratio() AS 0.4;" in constants
    assert "more than 40%" in column.col.text
    assert "min_vcpus_per_gpu() AS 4" in constants
    assert "fewer than 4 processor threads" in column.col.text
    assert "1.1 *" in macros()["prices_conflict"].file.body
    assert "more than 10%" in column.col.text


def _text(table: str, column: str) -> str:
    return metrics()[table].columns[column][1].text
