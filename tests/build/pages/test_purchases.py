"""Prices to own: none older than 12 months and no launch price ranks a GPU unless asked, and each is shown with its date."""

import html
import re
from pathlib import Path

import duckdb
import pytest

from pipeline.recommend.to_buy import LAST_KNOWN
from pipeline.website.components.recommend.buying import buying
from pipeline.website.writing import numbers
from pipeline.website.writing.database import Database
from tests.build.pages.site_pages import printed_sql, query_rows, text_of
from tests.command import gpuledger

RTX_A6000 = "nvidia-rtx-a6000-48gb"


def test_a_purchase_price_is_current_for_a_year_and_a_launch_price_never_is(con: duckdb.DuckDBPyConnection) -> None:
    cases = [("purchase_new", False), ("purchase_used", False), ("purchase_new", True), ("msrp", False)]
    found = [con.execute("SELECT is_current_purchase(?, ?)", case).fetchall()[0][0] for case in cases]
    assert found == [True, True, False, False]
    wrong = """SELECT count(*) FROM gpu_price, release
        WHERE purchase_current <> (purchase_kind <> 'msrp' AND purchase_date >= as_of - 365)"""
    assert con.execute(wrong).fetchall() == [(0,)]


def test_no_table_ranks_by_an_old_price(con: duckdb.DuckDBPyConnection) -> None:
    ranked = """SELECT count(*), count(*) FILTER (NOT purchase_current) FROM value_rank JOIN gpu_price USING (gpu_id)
        WHERE purchase_rank IS NOT NULL"""
    ((found, old),) = con.execute(ranked).fetchall()
    assert (found > 100, old) == (True, 0)


def test_the_price_of_a_gpu_is_the_newest_one_new_or_used(con: duckdb.DuckDBPyConnection) -> None:
    """A shop's price of 2025 stood before what the used card costs today."""
    prices = con.execute(LAST_KNOWN).fetchdf().drop_duplicates("gpu_id").set_index("gpu_id")
    assert prices.loc["nvidia-geforce-rtx-3090-24gb", "kind"] == "purchase_used"
    both = prices.loc["nvidia-geforce-rtx-5090-32gb"]
    assert (both["kind"], bool(both["is_old"])) == ("purchase_new", False)
    same = con.execute("SELECT gpu_id, purchase_usd FROM gpu_price WHERE purchase_current").fetchall()
    assert len(same) > 25
    assert [gpu for gpu, usd in same if prices.loc[gpu, "usd"] != usd] == [], "forms and tables have the same price"
    paid_back = con.execute("""SELECT gpu_id, gpu_usd
        FROM break_even_default AS d JOIN break_even AS b USING (purchase_id, rental_observation_id)
        WHERE d.purchase_rank = 1 AND b.purchase_current AND b.utilisation_percent = 100""").fetchall()
    assert len(paid_back) > 15
    assert [gpu for gpu, usd in paid_back if prices.loc[gpu, "usd"] != usd] == [], "and so have the days until it pays off"


def test_the_rent_that_a_purchase_is_compared_with_is_the_forms(con: duckdb.DuckDBPyConnection) -> None:
    """Counted, the table had an offer of 21 August 2026 that the seller's list of 3 October leaves out."""
    rents = con.execute("""SELECT DISTINCT d.gpu_id, l.usd_per_gpu_hour, l.stale, o.usd, o.stale
        FROM break_even_default AS d JOIN price_latest AS l ON l.observation_id = d.rental_observation_id
        JOIN offer_default AS o ON o.gpu_id = d.gpu_id WHERE o.acquisition = 'rent'""").fetchall()
    current = [row for row in rents if not row[4]]
    assert len(current) > 15
    assert [row for row in current if row[1:3] != row[3:]] == []


def test_no_purchase_price_is_from_before_the_gpu_was_on_sale(con: duckdb.DuckDBPyConnection) -> None:
    """Counted, the 1,999.99 USD of 20 January 2024 was a shop's price, which then halved within a month."""
    early = "FROM price JOIN gpu USING (gpu_id) WHERE kind LIKE 'purchase_%' AND observed_at < release_date"
    assert con.execute(f"SELECT gpu_id, observed_at {early}").fetchall() == []
    rejected = "SELECT reason_code, record FROM reject WHERE reason LIKE 'listed before the GPU was on sale%'"
    ((code, record),) = con.execute(rejected).fetchall()
    assert (code, record) == ("PLACEHOLDER_PRICE", "pcpartpicker | GeForce RTX 4080 SUPER | 1999.99 | USD | unit")


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
    assert f"{first.day} {first:%B %Y} to {last.day} {last:%B %Y}" in text_of(site / "index.html")


def test_the_command_states_the_dates_of_the_prices_it_compares(built: Path, con: duckdb.DuckDBPyConnection) -> None:
    ((first, last),) = con.execute("SELECT first_date, last_date FROM purchase_range").fetchall()
    terms = ("recommend", "--workload", "all", "--buy", "--db", str(built / "gpuledger.duckdb"))
    assert f"purchase prices of {first} to {last}" in gpuledger(*terms, "--older-prices").stderr
    assert "purchase prices of the past year" in gpuledger(*terms).stderr


@pytest.mark.parametrize("page", ["gpus", "break-even", ""])
def test_pages_say_how_many_prices_are_current(site: Path, con: duckdb.DuckDBPyConnection, page: str) -> None:
    ((count,),) = con.execute("SELECT count(*) FROM gpu_price WHERE purchase_current").fetchall()
    note = f"{count} GPUs have a purchase price from the last 12 months. The others are not ranked by purchase price."
    assert note in text_of(site / page / "index.html")


def test_the_ranking_by_old_prices_is_closed_until_asked(site: Path) -> None:
    text = (site / "break-even" / "index.html").read_text()
    assert '<details class="gl-data" id="older-prices"><summary>GPUs with older prices' in text
    first, older = text.split('id="older-prices"')
    name = f"/{RTX_A6000}/"
    assert (name in first.partition('id="break-even-table"')[2], name in older) == (False, True)
    value = html.unescape((site / "value" / "index.html").read_text())
    assert 'id="older-prices"' not in value, "its chart ranks by current prices"
    assert value.index('id="buying"') < value.index('data-chart="value-of-buying"') < value.index('id="assumed"')


def test_a_gpu_with_a_current_price_to_own_shows_it_beside_its_rents(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute("SELECT gpu_id, purchase_usd, purchase_date FROM gpu_price WHERE purchase_current").fetchall()
    assert len(rows) > 25
    for gpu_id, usd, seen in rows:
        text = text_of(site / "gpus" / gpu_id / "index.html")
        assert re.search(rf"To buy {re.escape(numbers.usd(usd))} (new|used){numbers.day(seen)}", text), gpu_id


def test_a_gpu_shows_its_last_known_price_and_takes_the_readers(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    newest = """SELECT usd_per_gpu, observed_at FROM price WHERE gpu_id = ? AND kind = 'purchase_new'
        ORDER BY observed_at DESC, usd_per_gpu LIMIT 1"""
    ((usd, seen),) = con.execute(newest, [RTX_A6000]).fetchall()
    page = site / "gpus" / RTX_A6000 / "index.html"
    text = text_of(page)
    price = f"${usd:,.0f}" if usd >= 1000 else f"${usd:,.2f}"
    assert f"Last known: new {price} ({seen.day} {seen:%B %Y})" in text
    form = re.search(r'<form[^>]*action="../../break-even/index.html">.*?</form>', page.read_text(), re.S)
    assert form
    assert f'name="card" value="{RTX_A6000}"' in form[0]
    assert '<input type="number" name="gpu"' in form[0]


@pytest.mark.parametrize("gpu_id", ["amd-instinct-mi300x-192gb", "amd-instinct-mi250x-128gb", "nvidia-h20-96gb"])
def test_launch_prices_that_epoch_estimates_are_marked(site: Path, gpu_id: str) -> None:
    text = text_of(site / "gpus" / gpu_id / "index.html")
    assert "an estimate)" in text
    assert "launch price estimate" in text


def test_commands_use_an_old_price_only_if_asked(built: Path) -> None:
    database = ("--db", str(built / "gpuledger.duckdb"))
    refused = gpuledger("break-even", "--gpu", RTX_A6000, *database)
    assert refused.returncode == 2
    assert "add --purchase USD or --older-prices" in refused.stderr
    assert gpuledger("break-even", "--gpu", RTX_A6000, "--older-prices", *database).returncode == 0
    terms = ("recommend", "--workload", "all", "--buy", *database)
    assert "Add --older-prices" in gpuledger(*terms, "--provider", "pcpartpicker").stderr
    assert "No GPU meets every limit" not in gpuledger(*terms).stderr


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
    assert estimated["detail"] == "8 x $15,000, estimate, 6 December 2023 (older than 12 months, so not ranked)"
    assert estimated["payoff"] == "Enter the price that you would pay."
    assert "hours of work" in known["payoff"]
