"""Prices to own: none older than 12 months and no launch price ranks a GPU unless asked, and each is shown with its date."""

import html
import re
from pathlib import Path

import duckdb
import pytest

from pipeline.website.components.recommend.buying import buying
from pipeline.website.writing.database import Database
from tests.build.pages.site_pages import body_rows, printed_sql, query_rows, text_of
from tests.command import gpuledger

NOTE = (
    "The newest purchase price is from 23 July 2025. No GPU has one from the last 12 months, so none is ranked by purchase price."
)
RTX_4090 = "nvidia-geforce-rtx-4090-24gb"


def test_a_purchase_price_is_current_for_a_year_and_a_launch_price_never_is(con: duckdb.DuckDBPyConnection) -> None:
    cases = [("purchase_new", False), ("purchase_used", False), ("purchase_new", True), ("msrp", False)]
    found = [con.execute("SELECT is_current_purchase(?, ?)", case).fetchall()[0][0] for case in cases]
    assert found == [True, True, False, False]
    wrong = """SELECT count(*) FROM gpu_price, release
        WHERE purchase_current <> (purchase_kind <> 'msrp' AND purchase_date >= as_of - 365)"""
    assert con.execute(wrong).fetchall() == [(0,)]


def test_no_table_ranks_by_an_old_price(con: duckdb.DuckDBPyConnection) -> None:
    assert con.execute("SELECT count(*), count(purchase_rank) FROM value_rank").fetchall()[0][1] == 0
    assert con.execute("SELECT count(*) FROM gpu_price WHERE purchase_current").fetchall() == [(0,)]


def test_a_ranking_by_older_prices_has_one_range_of_dates(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    ((first, last),) = con.execute("SELECT first_date, last_date FROM purchase_range").fetchall()
    assert (last - first).days == 365
    ranked = """SELECT min(price_date), max(price_date) FROM scenario_rank JOIN scenario USING (scenario_id)
        WHERE acquisition = 'buy' AND rank IS NOT NULL"""
    ((least, most),) = con.execute(ranked).fetchall()
    assert first <= least <= most <= last
    text = (site / "value" / "index.html").read_text()
    shown = query_rows(con, printed_sql(text, 'data-chart="value-of-buying"'))
    assert shown
    assert all(first <= row["gpu_price_date"] <= last for row in shown)
    for page in ("value/index.html", "index.html"):
        assert f"{first.day} {first:%B %Y} to {last.day} {last:%B %Y}" in text_of(site / page)


def test_the_command_states_the_dates_of_the_prices_it_compares(built: Path, con: duckdb.DuckDBPyConnection) -> None:
    ((first, last),) = con.execute("SELECT first_date, last_date FROM purchase_range").fetchall()
    terms = ("recommend", "--workload", "all", "--buy", "--db", str(built / "gpuledger.duckdb"))
    assert f"purchase prices of {first} to {last}" in gpuledger(*terms, "--older-prices").stderr
    assert "purchase prices of the past year" in gpuledger(*terms).stderr


@pytest.mark.parametrize("page", ["value", "gpus", "break-even", ""])
def test_pages_say_that_no_price_is_current(site: Path, page: str) -> None:
    assert NOTE in text_of(site / page / "index.html")


def test_the_ranking_by_old_prices_is_closed_until_asked(site: Path) -> None:
    for page in ("value", "break-even"):
        text = (site / page / "index.html").read_text()
        assert '<details class="gl-data" id="older-prices"><summary>Use older prices' in text
    text = html.unescape((site / "value" / "index.html").read_text())
    assert text.index('id="older-prices"') < text.index('data-chart="value-of-buying"') < text.index('id="assumed"')
    assert len(body_rows((site / "break-even" / "index.html").read_text(), "break-even-table")) == 1, "the guide's own case"


def test_a_gpu_shows_its_last_known_price_and_takes_the_readers(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    newest = """SELECT usd_per_gpu, observed_at FROM price WHERE gpu_id = ? AND kind = 'purchase_new'
        ORDER BY observed_at DESC, usd_per_gpu LIMIT 1"""
    ((usd, seen),) = con.execute(newest, [RTX_4090]).fetchall()
    page = site / "gpus" / RTX_4090 / "index.html"
    text = text_of(page)
    price = f"${usd:,.0f}" if usd >= 1000 else f"${usd:,.2f}"
    assert f"Last known: new {price} ({seen.day} {seen:%B %Y})" in text
    form = re.search(r'<form[^>]*action="../../break-even/index.html">.*?</form>', page.read_text(), re.S)
    assert form
    assert f'name="card" value="{RTX_4090}"' in form[0]
    assert '<input type="number" name="gpu"' in form[0]


@pytest.mark.parametrize(
    "gpu_id", ["amd-instinct-mi300x-192gb", "amd-instinct-mi250x-128gb", "nvidia-h20-96gb", "nvidia-a10-24gb"]
)
def test_launch_prices_that_epoch_estimates_are_marked(site: Path, gpu_id: str) -> None:
    text = text_of(site / "gpus" / gpu_id / "index.html")
    assert "an estimate)" in text
    assert "MSRP estimate" in text


def test_commands_use_an_old_price_only_if_asked(built: Path) -> None:
    database = ("--db", str(built / "gpuledger.duckdb"))
    refused = gpuledger("break-even", "--gpu", RTX_4090, *database)
    assert refused.returncode == 2
    assert "add --purchase USD or --older-prices" in refused.stderr
    assert gpuledger("break-even", "--gpu", RTX_4090, "--older-prices", *database).returncode == 0
    terms = ("recommend", "--workload", "all", "--buy")
    none = gpuledger(*terms, *database)
    assert "Add --older-prices" in none.stderr
    assert "No GPU meets every limit" not in gpuledger(*terms, "--older-prices", *database).stderr


def test_a_missing_purchase_price_is_said_to_be_one_and_an_estimate_is_named(built: Path) -> None:
    database = ("--db", str(built / "gpuledger.duckdb"))
    rented = gpuledger("break-even", "--gpu", "nvidia-h100-sxm5-80gb", *database)
    assert rented.returncode == 2
    assert "no current purchase price of nvidia-h100-sxm5-80gb is known; add --purchase USD" in rented.stderr
    estimated = gpuledger("break-even", "--gpu", "amd-instinct-mi300x-192gb", "--older-prices", *database)
    assert "is known, only an estimate of its launch price, 15000 USD (2023-12-06); add --purchase USD" in estimated.stderr


def test_an_older_price_is_the_launch_price_where_no_other_is_known(built: Path, con: duckdb.DuckDBPyConnection) -> None:
    (gpu_id, usd), *_ = con.execute("""
        SELECT gpu_id, usd FROM offer_default WHERE acquisition = 'buy' AND kind = 'msrp'
            AND gpu_id IN (SELECT gpu_id FROM offer_default WHERE acquisition = 'rent') ORDER BY 1""").fetchall()
    used = gpuledger("break-even", "--gpu", gpu_id, "--older-prices", "--db", str(built / "gpuledger.duckdb"))
    assert (used.returncode, f": 1 x {usd:g} USD (msrp from " in used.stderr) == (0, True)


def test_an_estimate_has_no_hours_to_break_even(release: Path) -> None:
    with Database(release / "gpuledger.duckdb") as data:
        estimated = buying(data, "amd-instinct-mi300x-192gb", 8, 20.0)
        known = buying(data, "nvidia-geforce-rtx-4090-24gb", 1, 0.5)
    assert estimated.detail == "8 x $15,000, estimate, 6 December 2023 (older than 12 months, so not ranked)"
    assert estimated.payoff == "Enter the price that you would pay."
    assert "hours of work" in known.payoff
