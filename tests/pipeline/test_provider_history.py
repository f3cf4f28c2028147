"""How a provider's prices moved: the index on a small case by hand, and the page against the tables."""

import html
from pathlib import Path

import duckdb
import pytest

from pipeline.website.components import numbers
from pipeline.website.rendering import provider_path
from tests.pipeline.price_rows import history, offer, rows
from tests.pipeline.site_pages import asked, body_rows, printed_sql, text_of

INDEX = "SELECT date, price_index, n_matched, n_offers, n_gpus FROM provider_index WHERE provider = 'acme' ORDER BY date"


def test_the_index_of_a_provider_by_hand(empty: duckdb.DuckDBPyConnection) -> None:
    """One card doubles on the 2nd, another stays; an offer that comes on the 3rd moves nothing, nor do another provider's."""
    con = history(
        empty,
        *(offer("a", usd, day) for day, usd in ((1, 1.0), (2, 2.0), (3, 2.0))),
        *(offer("b", 4.0, day, gpu_id="nvidia-l4-24gb", provider="ACME") for day in (1, 2, 3)),
        offer("c", 50.0, 3),
        *(offer("z", usd, day, provider="Other") for day, usd in ((1, 1.0), (2, 9.0))),
    )
    found = rows(con, INDEX)
    assert [row[1] for row in found] == pytest.approx([1, 2**0.5, 2**0.5])
    assert [row[2:] for row in found] == [(0, 2, 2), (2, 2, 2), (2, 3, 2)]


def test_an_offer_that_changes_its_source_breaks_no_chain(empty: duckdb.DuckDBPyConnection) -> None:
    """From the 3rd a second source lists the same offer: it counts once, and the first still joins the days."""
    con = history(
        empty,
        *(offer("a", 1.0, day) for day in (1, 2, 3)),
        offer("b", 1.0, 3, source_id="two", region="north"),
    )
    assert rows(con, "SELECT offer_key, repeats FROM offer_repeat") == [("a", "b")]
    assert [row[1:4] for row in rows(con, INDEX)] == [(1, 0, 1), (1, 1, 1), (1, 1, 1)]


def test_a_provider_whose_prices_moved_has_a_chart_of_its_own(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    ((moved, still),) = con.execute("""
        SELECT arg_max(provider, spread), arg_min(provider, spread) FROM (
            SELECT provider, max(price_index) - min(price_index) AS spread FROM provider_index
            GROUP BY provider HAVING count(*) > 40)
    """).fetchall()
    text = (site / provider_path(moved)).read_text()
    assert f'data-chart="provider-{moved}"' in html.unescape(text)
    lines = (site / "data" / "charts" / f"provider-{moved}.csv").read_text().splitlines()
    assert {"price_index", "n_offers"} <= set(lines[0].split(","))
    assert len(lines) > 40
    flat = (site / provider_path(still)).read_text()
    assert "data-chart" not in flat
    assert "the same offers did not move since" in text_of(site / provider_path(still))


def test_first_and_newest_prices_are_those_of_the_changes(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    text = (site / provider_path("spheron")).read_text()
    found = [row for row in asked(con, printed_sql(text, 'id="seen-table"')) if row["provider"] == "spheron"]
    shown = body_rows(text, "seen-table")
    assert len(shown) == len(found) > 3
    for line, row in zip(shown, found, strict=True):
        newest = con.execute(
            "SELECT min(usd_per_gpu_hour) FROM price_latest WHERE provider = 'spheron' AND gpu_id = ? AND billing = ? "
            "AND partition = 'whole' AND last_day = ?",
            [row["gpu_id"], row["billing"], row["last_day"]],
        ).fetchall()[0][0]
        assert row["usd_last"] == pytest.approx(newest)
        assert row["usd_min"] <= row["usd_first"] <= row["usd_max"]
        assert [one for one in (numbers.usd(row["usd_first"]), numbers.usd(newest)) if one not in line] == []


def test_choices_of_the_home_page_link_to_providers(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    page = (site / "index.html").read_text().split('id="ranked"', 1)[1].split('id="left-out"', 1)[0]
    assert page.count('<a href="providers/') == page.count("<tr><td")
    tables = (site / "assets" / "chooser-data.js").read_text()
    assert '"slug":["' in tables
