"""The price index of a provider, on small cases computed by hand."""

import datetime as dt

import duckdb
import pytest

from tests.unit.prices.price_rows import history, offer, rows

INDEX = "SELECT date, price_index, n_matched, n_offers, n_gpus FROM provider_index WHERE provider = 'acme' ORDER BY date"


def test_the_index_of_a_provider_by_hand(price_tables: duckdb.DuckDBPyConnection) -> None:
    """One GPU doubles on the 2nd, two others stay; neither a new offer on the 3rd nor another provider moves the index."""
    other_model = {"gpu_model_id": "nvidia-l4", "gpu_id": "nvidia-l4-24gb"}
    con = history(
        price_tables,
        *(offer("a", usd, day) for day, usd in ((1, 1.0), (2, 2.0), (3, 2.0))),
        *(offer("b", 4.0, day, provider="acme", **other_model) for day in (1, 2, 3)),
        *(offer("open", 3.0, day, gpu_id=None, gpu_count=8) for day in (1, 2, 3)),
        offer("c", 50.0, 3, gpu_count=2),
        *(offer("z", usd, day, provider="Other") for day, usd in ((1, 1.0), (2, 9.0))),
    )
    found = rows(con, INDEX)
    assert [row[1] for row in found] == pytest.approx([1, 2 ** (1 / 3), 2 ** (1 / 3)])
    assert [row[2:] for row in found] == [(0, 3, 2), (3, 3, 2), (3, 4, 2)]


@pytest.mark.parametrize(("days", "after_gap"), [(45, False), (46, True)])
def test_a_row_says_whether_a_long_gap_is_before_it(price_tables: duckdb.DuckDBPyConnection, days: int, after_gap: bool) -> None:
    earlier = {"observed_at": dt.date(2026, 8, 19) - dt.timedelta(days)}
    con = history(price_tables, offer("a", 1.0, 18) | earlier, offer("a", 1.0, 19), offer("a", 1.0, 20))
    assert rows(con, "SELECT after_gap FROM provider_index WHERE provider = 'acme' ORDER BY date") == [
        (False,),
        (after_gap,),
        (False,),
    ]


def test_two_offers_make_no_index(price_tables: duckdb.DuckDBPyConnection) -> None:
    con = history(price_tables, *(offer(f"{n}", 1.0 * day, day, gpu_count=n) for n in (1, 2) for day in (1, 2)))
    assert [row[1:4] for row in rows(con, INDEX)] == [(1, 0, 2), (1, 0, 2)]


def test_an_offer_that_changes_its_source_breaks_no_chain(price_tables: duckdb.DuckDBPyConnection) -> None:
    """From the 3rd a second source lists the same offers: each counts once, and the first source still joins the days."""
    con = history(
        price_tables,
        *(offer(f"a{n}", 1.0, day, gpu_count=n) for n in (1, 2, 4) for day in (1, 2, 3)),
        *(offer(f"b{n}", 1.0, 3, source_id="two", region="north", gpu_count=n) for n in (1, 2, 4)),
    )
    repeated = "SELECT offer_key, repeats FROM offer_repeat ORDER BY offer_key"
    assert rows(con, repeated) == [("a1", "b1"), ("a2", "b2"), ("a4", "b4")]
    assert [row[1:4] for row in rows(con, INDEX)] == [(1, 0, 3), (1, 3, 3), (1, 3, 3)]
