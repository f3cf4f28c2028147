"""Figures of pages against the data: the answer, offers, rejects, sources, and pages without prices."""

import json
import re
from pathlib import Path

import duckdb
import pytest

from pipeline.warehouse import recommend
from pipeline.warehouse.recommend import Question
from pipeline.website.components import labels, market, numbers
from pipeline.website.components.database import Database
from pipeline.website.components.recommend import recommend_form
from pipeline.website.pages.gpu import page as gpu_page
from pipeline.website.pages.home import page as home_page
from pipeline.website.pages.prices import page as prices_page
from pipeline.website.pages.quality import page as quality_page
from tests.build.pages.site_pages import Page, recompute, words_of
from tests.build.pages.site_pages import book as new_book

EMPTIED = ("offer_current", "price_daily", "price_index", "price_comparison", "gpu_label", "reject", "source_problem")


def test_the_home_page_gives_the_answers_of_recommend(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    page = Page(site / "index.html")
    text = words_of(site, "index.html")
    chosen = [found["value"] for tag, found in page.tags if tag == "option" and "selected" in found]
    assert chosen[0] == recommend_form.FIRST
    for objective in ("cheapest", "fastest", "memory_per_usd"):
        best, second, *_ = recommend.answer(con, Question(workload=recommend_form.FIRST, objective=objective))
        assert f"{labels.short_gpu(best.name, best.gpu_id)}" in text
        assert f"{best.provider}, {numbers.day(best.price_date)}; speed {best.basis}" in text
        assert labels.short_gpu(second.name, second.gpu_id) in text
    choices = recommend.answer(con, Question(workload=recommend_form.FIRST))
    assert [choice.gpu_id for choice in choices if choice.place and choice.reason not in text] == []
    assert f"{numbers.usd(choices[0].cost_usd)} a run" in text
    linked = [row["href"] for _, row in page.tags if row.get("href", "").startswith("gpus/nvidia-")]
    assert len(linked) > con.execute("SELECT count(*) FROM gpu WHERE vendor = 'NVIDIA'").fetchall()[0][0], (
        "each card is in or out"
    )
    as_of = con.execute("SELECT as_of FROM release").fetchall()[0][0]
    assert f"Data as of {numbers.day(as_of)}" in text
    assert str(as_of) in page.values("data-age")


def test_pages_of_prices_and_offers_count_the_same_current_offers(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """Those of offer_current, which a doubtful price and an offer that another source lists are not in."""
    ((offers,),) = con.execute("SELECT count(*) FROM offer_current WHERE way = 'rent' AND NOT stale").fetchall()
    assert f"{offers:,} are current at" in words_of(site, "offers/index.html")
    assert f"{offers:,} current offers" in words_of(site, "prices/index.html")


def test_the_offers_page_holds_every_offer_at_its_newest_price(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    expected = con.execute("""
        SELECT offer_key, usd_per_gpu_hour, usd_per_gpu FROM price_latest
        WHERE gpu_id IS NOT NULL AND (usd_per_gpu IS NOT NULL AND kind IN ('msrp', 'purchase_new', 'purchase_used')
            OR kind = 'cloud_rental' AND partition = 'whole' AND price_basis <> 'host_only' AND os IS DISTINCT FROM 'windows'
            AND usd_per_gpu_hour IS NOT NULL)
    """).fetchall()
    text = (site / "offers" / "offers.js").read_text()
    file = json.loads(text.removeprefix("window.gpuledgerRows=").removesuffix(";\n"))
    rents, prices = (file["columns"][at]["values"] for at in (1, 2))
    assert sorted(file["ids"]) == sorted(key for key, _, _ in expected)
    found = {key: (rent, price) for key, rent, price in zip(file["ids"], rents, prices, strict=True)}
    assert all(found[key] == pytest.approx((rent, price)) for key, rent, price in expected)
    ((cards,),) = con.execute("""
        SELECT count(DISTINCT gpu_id) FROM offer_current WHERE way = 'rent' AND billing = 'on_demand' AND NOT stale
    """).fetchall()
    assert len([row for tag, row in Page(site / "offers/index.html").tags if tag == "th" and row.get("scope") == "row"]) == cards


def test_every_specification_is_a_column_of_the_explorer(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    described = con.execute("SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'gpu'").fetchall()
    heads = {row["data-key"]: row for _, row in Page(site / "gpus/index.html").tags if "data-key" in row}
    assert {name for name, _ in described} - set(heads) == {"gpu_id"}
    texts = {name: re.sub(r" \[(.*)\]$", r", \1", comment) for name, comment in described}
    assert [name for name, text in texts.items() if name not in {"gpu_id", "name"} and heads[name]["title"] != text] == []


def test_every_reject_is_counted_by_source_and_reason(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    text = words_of(site, "rejects/index.html")
    groups = con.execute("""
        SELECT r.reason_code, count(*) FROM reject r JOIN snapshot n USING (snapshot_id) GROUP BY n.source_id, r.reason_code
    """).fetchall()
    assert groups
    assert [code for code, n in groups if f"{code} {n:,} row{'' if n == 1 else 's'}" not in text] == []


def test_every_source_is_listed_with_its_state(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    rows = [row for tag, row in Page(site / "sources/index.html").tags if tag == "tr" and "data-state" in row]
    assert len(rows) == con.execute("SELECT count(*) FROM source").fetchall()[0][0]
    ((stale,),) = con.execute("SELECT count(*) FROM source_health WHERE stale AND problems = 0").fetchall()
    assert sum(row["data-state"] == "stale" for row in rows) == stale


def test_pages_stand_when_there_is_no_price(release: Path, tmp_path: Path) -> None:
    path = tmp_path / "gpuledger.duckdb"
    path.write_bytes((release / "gpuledger.duckdb").read_bytes())
    with duckdb.connect(str(path)) as con:
        con.execute("DELETE FROM price_latest WHERE kind = 'cloud_rental'")
        for table in EMPTIED:
            con.execute(f"DELETE FROM {table}")
        recompute(con, *EMPTIED, "price_latest")
        con.execute("DELETE FROM gpu WHERE gpu_id NOT IN (SELECT gpu_id FROM guide_machine WHERE gpu_id IS NOT NULL)")
    with Database(path) as data:
        book = new_book(data, tmp_path / "docs", tmp_path)
        for page in (home_page, prices_page, gpu_page, quality_page):
            page.write(book)
    assert "no card meets every limit" in (tmp_path / "docs" / "index.md").read_text()


def test_a_figure_in_one_billing_never_takes_an_offer_of_another(release: Path) -> None:
    with Database(release / "gpuledger.duckdb") as data:
        spot, demand = (market.rental_market(data, billing) for billing in ("spot", "on_demand"))
        known = {row["observation_id"]: row["billing"] for row in data.rows("SELECT observation_id, billing FROM price")}
        assert {known[row["observation_id"]] for row in spot.values()} == {"spot"}
        assert {known[row["observation_id"]] for row in demand.values()} == {"on_demand"}
        assert all(row["usd_min"] <= row["usd_median"] and row["n_providers"] <= row["n_offers"] for row in demand.values())
        assert all((row["lot"] or 1) == 1 for row in market.rental_market(data, gpus="single").values())


@pytest.mark.parametrize(
    ("flags", "said"),
    [(None, ""), ("STALE", ""), ("JUMP,STALE,JUMP", "moved more than 40% at once"), ("<b>,CONFLICT", "sources differ")],
)
def test_flags_read_as_words(flags: str | None, said: str) -> None:
    assert market.flag_text(flags) == said


def test_a_gpu_page_counts_the_prices_of_open_variant(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    ((rows,),) = con.execute("""
        SELECT count(*) FROM price WHERE source_id = 'gpurentalprices' AND candidates LIKE '%nvidia-h100-sxm5-80gb%'
    """).fetchall()
    assert rows > 50
    text = words_of(site, "gpus/nvidia-h100-sxm5-80gb/index.html")
    assert re.search(rf"Not in these figures: .*{rows} rows of GPU rental prices that can also be nvidia-h100-pcie-80gb", text)
    assert "Not in these figures" not in words_of(site, "gpus/nvidia-l4-24gb/index.html")
    ((all_rows,),) = con.execute("""
        SELECT count(*) FROM price WHERE gpu_id IS NULL AND gpu_model_id IS NOT NULL
    """).fetchall()
    assert f"{all_rows} more rows name a card that can be several" in words_of(site, "prices/index.html")
