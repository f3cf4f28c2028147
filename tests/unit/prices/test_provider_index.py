"""The price index of a provider, on small cases computed by hand."""

import duckdb
import pytest

from tests.unit.prices.price_rows import history, offer, rows

INDEX = "SELECT date, price_index, n_matched, n_offers, n_gpus FROM provider_index WHERE provider = 'acme' ORDER BY date"


def test_the_index_of_a_provider_by_hand(price_tables: duckdb.DuckDBPyConnection) -> None:
    """One card doubles on the 2nd, another stays; an offer that comes on the 3rd moves nothing, nor do another provider's."""
    con = history(
        price_tables,
        *(offer("a", usd, day) for day, usd in ((1, 1.0), (2, 2.0), (3, 2.0))),
        *(offer("b", 4.0, day, gpu_id="nvidia-l4-24gb", provider="ACME") for day in (1, 2, 3)),
        offer("c", 50.0, 3),
        *(offer("z", usd, day, provider="Other") for day, usd in ((1, 1.0), (2, 9.0))),
    )
    found = rows(con, INDEX)
    assert [row[1] for row in found] == pytest.approx([1, 2**0.5, 2**0.5])
    assert [row[2:] for row in found] == [(0, 2, 2), (2, 2, 2), (2, 3, 2)]


def test_an_offer_that_changes_its_source_breaks_no_chain(price_tables: duckdb.DuckDBPyConnection) -> None:
    """From the 3rd a second source lists the same offer: it counts once, and the first still joins the days."""
    con = history(
        price_tables,
        *(offer("a", 1.0, day) for day in (1, 2, 3)),
        offer("b", 1.0, 3, source_id="two", region="north"),
    )
    assert rows(con, "SELECT offer_key, repeats FROM offer_repeat") == [("a", "b")]
    assert [row[1:4] for row in rows(con, INDEX)] == [(1, 0, 1), (1, 1, 1), (1, 1, 1)]
