"""Figures of pages against the data: the answer, offers, rejects, sources, and pages without prices."""

import csv
import json
import math
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
from selectolax.lexbor import LexborHTMLParser

from pipeline.llm import memory
from pipeline.recommend import language_model
from pipeline.recommend import workload as rules
from pipeline.recommend.workload import Question
from pipeline.website.components import market
from pipeline.website.components.llm import llm_form
from pipeline.website.components.recommend import recommend_form
from pipeline.website.i18n.language import gettext_sentences
from pipeline.website.pages.gpu import page as gpu_page
from pipeline.website.pages.home import page as home_page
from pipeline.website.pages.prices import page as prices_page
from pipeline.website.pages.quality import page as quality_page
from pipeline.website.writing import labels, numbers
from pipeline.website.writing.database import Database
from pipeline.website.writing.links import ROW_ID_LENGTH
from tests.build.pages.site_pages import Page, printed_sql, query_rows, recompute, words_of, write_pages

EMPTIED = ("offer_current", "price_daily", "price_index", "price_comparison", "gpu_label", "reject", "source_problem")


def provider_names(con: duckdb.DuckDBPyConnection) -> dict[str | None, str]:
    return dict(con.execute("SELECT provider_id, coalesce(name, provider_id) FROM provider").fetchall())


def test_the_home_page_gives_the_answers_of_recommend(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    page = Page(site / "index.html")
    text = words_of(site, "index.html")
    chosen = [found["value"] for tag, found in page.tags if tag == "option" and "selected" in found]
    assert chosen[:3] == ["llm", llm_form.FIRST, llm_form.FIRST_USE]
    assert recommend_form.FIRST in chosen
    names = provider_names(con)
    for objective in ("cheapest", "fastest"):
        best, second, *_ = rules.answer(con, Question(workload=recommend_form.FIRST, objective=objective))
        assert f"{labels.short_gpu(best.name, best.gpu_id)}" in text
        assert f"{numbers.usd(best.cost_usd)} for the job" in text
        assert f"{names[best.provider]} ↗, {numbers.day(best.price_date)}" in text
        assert labels.short_gpu(second.name, second.gpu_id) in text
    choices = rules.answer(con, Question(workload=recommend_form.FIRST))
    assert [choice.gpu_id for choice in choices if choice.rank and gettext_sentences(choice.reason) not in text] == []
    linked = [row["href"] for _, row in page.tags if row.get("href", "").startswith("gpus/nvidia-")]
    assert len(linked) > con.execute("SELECT count(*) FROM gpu WHERE vendor = 'NVIDIA'").fetchall()[0][0], "each GPU is in or out"
    as_of = con.execute("SELECT as_of FROM release").fetchall()[0][0]
    assert f"Prices (to {numbers.day(as_of)})" in text, "the banner is hidden while prices are new"


def test_the_chart_of_the_job_is_the_query_that_it_prints(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """The ten cheapest GPUs and the fastest, with both ends of the cost; the query has the GPUs that `recommend` ranks."""
    text = (site / "index.html").read_text()
    found = query_rows(con, printed_sql(text, 'id="job-cost"'))
    ranked = [one for one in rules.answer(con, Question(workload=recommend_form.FIRST, hours=None)) if one.rank]
    assert [row["gpu_id"] for row in found] == [one.gpu_id for one in ranked]
    assert f"The lowest costs among {len(found)} GPUs that fit" in words_of(site, "index.html")
    fastest = min(found, key=lambda row: row["seconds"])
    shown = [row | {"rank": rank} for rank, row in enumerate(found, start=1) if rank <= 10 or row is fastest]
    with (site / "data" / "charts" / "job-cost.csv").open() as file:
        drawn = [tuple(line[name] for name in ("rank", "usd", "low", "high")) for line in csv.DictReader(file)]
    assert drawn == [
        tuple("" if row[name] is None else str(row[name]) for name in ("rank", "usd", "low", "high")) for row in shown
    ]


def test_the_home_page_gives_the_first_answer_for_a_language_model(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    question = memory.model_question(con, llm_form.FIRST)
    assert question
    best, second, *_ = language_model.answer(
        con, memory.with_quantization(con, question, llm_form.FIRST_TYPE), llm_form.FIRST_USE
    )
    text = words_of(site, "index.html")
    for one in (best, second):
        assert labels.short_gpu(one.name, one.gpu_id) in text
        assert f"{numbers.usd(one.usd_per_million)} " in text
        assert provider_names(con)[one.provider] in text
    assert f"{numbers.usd(best.usd_per_million)} per million tokens. That is the lowest on-demand cost among" in text
    assert f"{numbers.usd(best.usd_per_million)} per million tokens at {numbers.number(best.tokens_per_s, 3)} tokens/s" in text


OTHER_TERMS = """
    SELECT min(usd) FROM offer_current
    WHERE acquisition = 'rent' AND billing IN ('spot', 'marketplace') AND NOT stale AND coalesce(min_gpus, 1) = 1
        AND least_gpu_id = ?
"""


def test_the_home_page_names_the_cheapest_rental_on_other_terms(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """With the prices of the offers' table, of ranked GPUs and of those that nobody rents out on demand."""
    question = memory.model_question(con, llm_form.FIRST)
    assert question
    choices = language_model.answer(con, memory.with_quantization(con, question, llm_form.FIRST_TYPE), llm_form.FIRST_USE)
    costs = [one.usd_per_million for one in choices if one.rank and one.usd_per_million]
    others = []
    for one in choices:
        ((usd,),) = con.execute(OTHER_TERMS, [one.gpu_id]).fetchall()
        is_known = one.rank or (one.reason == language_model.NO_PRICE and not one.unranked)
        if is_known and one.gpus == 1 and one.tokens_per_s and usd is not None:
            others.append((usd / (one.tokens_per_s * 3600) * 1e6, usd, labels.short_gpu(one.name, one.gpu_id)))
    cost, usd, gpu = min(others)
    assert gpu not in {labels.short_gpu(one.name, one.gpu_id) for one in choices if one.rank}, "the case of an unpriced GPU"
    assert cost < min(costs), "no rental on other terms is cheaper, so the page has nothing to name"
    text = words_of(site, "index.html")
    found = re.search(r"Cheaper (?:on|as) a .*?: one (.*?), (\S+) an hour, (\S+) per million tokens\. \S", text)
    assert found
    assert found.groups() == (gpu, numbers.usd(usd), numbers.usd(cost))


def offers_file(site: Path) -> dict[str, Any]:
    """The rows of the page of offers, by columns."""
    text = (site / "offers" / "offers.js").read_text()
    file: dict[str, Any] = json.loads(text.removeprefix("window.gpuledgerRows=").removesuffix(";\n"))
    return file


def test_the_page_of_prices_counts_an_offer_once(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """Regions, machines and sources of one offer are no offers of their own."""
    ((offers, providers),) = con.execute("""
        SELECT count(DISTINCT (lower(provider), gpu_model_id, gpu_id, billing, commitment_months, min_gpus)),
            count(DISTINCT lower(provider))
        FROM offer_current WHERE acquisition = 'rent' AND NOT stale
    """).fetchall()
    text = words_of(site, "prices/index.html")
    assert f"{offers:,} current offers of {providers} providers" in text
    ((in_market,),) = con.execute("""
        SELECT sum(n_offers) FROM rental_market WHERE commitment = 'any' AND gpus = 'any' AND gpu_id = 'any'
    """).fetchall()
    assert in_market == offers
    states = offers_file(site)["columns"]
    (stale,) = [column["at"].count(column["texts"].index("stale")) for column in states if "stale" in column.get("texts", ())]
    assert f"{stale:,} listings are out of date" in text


def test_the_offers_page_counts_its_rows_by_state(site: Path) -> None:
    file, text = offers_file(site), words_of(site, "offers/index.html")
    (state,) = [column for column in file["columns"] if "not counted" in column.get("texts", ())]
    n_rows = {name: state["at"].count(at) for at, name in enumerate(state["texts"])}
    assert f"{len(file['ids']):,} listings of" in text
    assert f"{n_rows['current']:,} are current at" in text
    assert f"{n_rows['stale']:,} are out of date" in text
    assert f"{n_rows['not counted']:,} are excluded from statistics" in text


def test_the_offers_page_holds_every_listing_at_its_newest_price(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    expected = con.execute("""
        SELECT offer_key, usd_per_gpu_hour, usd_per_gpu FROM price_latest
        WHERE gpu_model_id IS NOT NULL AND usd_per_gpu IS NOT NULL AND kind IN ('msrp', 'purchase_new', 'purchase_used')
            OR observation_id IN (SELECT observation_id FROM rental_listing WHERE recent)
    """).fetchall()
    file = offers_file(site)
    rents, prices = (file["columns"][at]["values"] for at in (1, 2))
    found = {key: (rent, price) for key, rent, price in zip(file["ids"], rents, prices, strict=True)}
    assert len(found) == len(file["ids"]) == len(expected)
    assert all(found[key[:ROW_ID_LENGTH]] == pytest.approx((rent, price)) for key, rent, price in expected)
    ((models,),) = con.execute("""
        SELECT count(DISTINCT gpu_model_id) FROM offer_current WHERE acquisition = 'rent' AND billing = 'on_demand' AND NOT stale
    """).fetchall()
    rows = [row for tag, row in Page(site / "offers/index.html").tags if tag == "th" and row.get("scope") == "row"]
    assert len(rows) == models


def test_no_current_rental_is_missing_from_the_offers_page(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """Each that counts shares a row with one of the same provider, model and billing that is no dearer."""
    rentals = con.execute("""
        SELECT offer_key, usd_per_gpu_hour, (lower(provider), gpu_model_id, billing, commitment_months)::VARCHAR
        FROM price_latest
        WHERE observation_id IN (SELECT observation_id FROM offer_current WHERE acquisition = 'rent' AND NOT stale)
    """).fetchall()
    ids = set(offers_file(site)["ids"])
    listed: dict[str, float] = {}
    for key, usd, terms in rentals:
        if key[:ROW_ID_LENGTH] in ids:
            listed[terms] = min(usd, listed.get(terms, usd))
    assert len(rentals) > len(listed) > 100
    assert [(key, terms) for key, usd, terms in rentals if listed.get(terms, math.inf) > usd] == []


def test_every_specification_is_a_column_of_the_explorer(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    described = con.execute("""
        SELECT column_name, text || coalesce(' (' || unit || ')', '') FROM column_dictionary WHERE table_name = 'gpu'
    """).fetchall()
    heads = {row["data-key"]: row for _, row in Page(site / "gpus/index.html").tags if "data-key" in row}
    keys = {"gpu_id", "gpu_model_id"}
    assert {name for name, _ in described} - set(heads) == keys
    assert [name for name, text in described if name not in keys | {"name"} and heads[name]["title"] != text] == []


def test_every_reject_is_counted_by_source_and_reason_in_words(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    text = words_of(site, "rejects/index.html")
    groups = con.execute("""
        SELECT r.reason_code, count(*) FROM reject r JOIN snapshot n USING (snapshot_id) GROUP BY n.source_id, r.reason_code
    """).fetchall()
    assert groups
    counted = {code: f"{quality_page.reason_words(code)} {n:,} row{'' if n == 1 else 's'}" for code, n in groups}
    assert [counted[code] for code, _ in groups if counted[code] not in text or ("_" in code and code in text)] == []


def test_every_source_is_listed_with_its_state(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    rows = [row for tag, row in Page(site / "sources/index.html").tags if tag == "tr" and "data-state" in row]
    assert len(rows) == con.execute("SELECT count(*) FROM source").fetchall()[0][0]
    ((stale,),) = con.execute("SELECT count(*) FROM source_health WHERE stale AND problems = 0").fetchall()
    assert sum(row["data-state"] == "stale" for row in rows) == stale


def test_pages_stand_when_there_is_no_price(database_copy: Path) -> None:
    with duckdb.connect(str(database_copy)) as con:
        con.execute("DELETE FROM price_latest WHERE kind = 'cloud_rental'")
        for table in EMPTIED:
            con.execute(f"DELETE FROM {table}")
        recompute(con, *EMPTIED, "price_latest")
        con.execute("DELETE FROM gpu WHERE gpu_id NOT IN (SELECT gpu_id FROM guide_machine WHERE gpu_id IS NOT NULL)")
    docs = write_pages(database_copy, home_page, prices_page, gpu_page, quality_page)
    assert "No GPU meets every limit" in (docs / "index.md").read_text()


def test_a_figure_in_one_billing_never_takes_an_offer_of_another(release: Path) -> None:
    with Database(release / "gpuledger.duckdb") as data:
        spot, demand = (market.rental_market(data, billing) for billing in ("spot", "on_demand"))
        known = {row["observation_id"]: row["billing"] for row in data.rows("SELECT observation_id, billing FROM price")}
        assert {known[row["observation_id"]] for row in spot.values()} == {"spot"}
        assert {known[row["observation_id"]] for row in demand.values()} == {"on_demand"}
        for row in [*demand.values(), *market.model_market(data, "on_demand").values()]:
            assert known[row["observation_id"]] == "on_demand"
            assert row["n_providers"] <= row["n_offers"]
            assert (row["usd_median"] is None) == (row["n_providers"] < 3), "a median is over three providers or more"
            assert row["usd_median"] is None or row["usd_min"] <= row["usd_median"]
        single = "SELECT low_min_gpus FROM rental_market WHERE commitment = 'any' AND billing = 'on_demand' AND gpus = 'single'"
        assert all((row["low_min_gpus"] or 1) == 1 for row in data.rows(single))


@pytest.mark.parametrize(
    ("flags", "said"),
    [(None, ""), ("STALE", ""), ("JUMP,STALE,JUMP", "changed by more than 40% at once"), ("<b>,CONFLICT", "sources differ")],
)
def test_flags_read_as_words(flags: str | None, said: str) -> None:
    assert market.flag_text(flags) == said


def test_a_gpu_page_lists_the_offers_of_open_variant(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """An offer that does not state its variant is on the page of each that it can be, and says so."""
    gpu_id = "nvidia-h100-sxm5-80gb"
    listed = con.execute("""
        SELECT provider, usd_per_gpu_hour_low FROM rental_listing
        WHERE NOT stale AND list_contains(string_split(candidates, ','), ?)
    """, [gpu_id]).fetchall()  # fmt: skip
    assert len(listed) > 5
    rows = offer_rows(site, gpu_id)
    open_rows = [(text_of_row, usd) for text_of_row, usd in rows if "not stated" in text_of_row.replace("host not stated", "")]
    assert sorted(usd for _, usd in open_rows) == pytest.approx(sorted(usd for _, usd in listed))
    names = provider_names(con)
    for provider, usd in listed:
        assert [text for text, one in open_rows if names[provider] in text and one == pytest.approx(usd)], (provider, usd)
    ((own,),) = con.execute("SELECT count(*) FROM rental_listing WHERE NOT stale AND gpu_id = ?", [gpu_id]).fetchall()
    assert len(rows) == own + len(listed)
    assert not [text for text, _ in offer_rows(site, "nvidia-l4-24gb") if "not stated" in text.replace("host not stated", "")]
    ((prices,),) = con.execute("SELECT count(*) FROM price WHERE gpu_id IS NULL AND gpu_model_id IS NOT NULL").fetchall()
    assert f"{prices:,} prices name only a GPU model" in words_of(site, "prices/index.html")


def offer_rows(site: Path, gpu_id: str) -> list[tuple[str, float]]:
    """The current offers on the page of a GPU: their text and price."""
    page = LexborHTMLParser((site / "gpus" / gpu_id / "index.html").read_text())
    found = []
    for row in page.css("#offer-table tbody tr"):
        price = row.css_first("td[data-v]")
        assert price is not None
        found.append((" ".join(row.text(separator=" ").split()), float(price.attributes["data-v"] or "")))
    return found


@pytest.mark.parametrize("workload", ["resnet50-imagenet-90-epochs", "all", "memory-bandwidth"])
def test_a_run_costs_on_the_page_of_its_workload_what_find_a_gpu_says(con: duckdb.DuckDBPyConnection, workload: str) -> None:
    """Both count one GPU, and an offer that does not state the variant for the weakest."""
    found = {one.gpu_id: one for one in rules.answer(con, Question(workload=workload)) if one.rank and not one.stale}
    rows = con.execute("SELECT gpu_id, usd_per_run_cheapest, cheapest_provider FROM workload_cost WHERE workload = ?", [workload])
    costs = {gpu_id: (usd, provider) for gpu_id, usd, provider in rows.fetchall() if usd is not None}
    assert found
    for gpu_id, one in found.items():
        usd, provider = costs[gpu_id]
        assert (usd, provider) == (pytest.approx(one.cost_usd), one.provider)


def test_several_gpus_that_tune_a_model_share_its_memory(con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute("""
        SELECT t.gpu_count, t.gpu_gb, f.usable_gb, f.gpu_gb AS gb_on_one
        FROM llm_tuning_cost AS t JOIN llm_fit_case AS c USING (llm_model_id, tune) JOIN llm_fit AS f USING (case_id, gpu_id)
    """).fetchall()
    assert {n for n, *_ in rows} == {1, 2, 4, 8}
    for n_gpus, gb, usable, gb_on_one in rows:
        assert gb <= usable
        assert gb == pytest.approx(gb_on_one) if n_gpus == 1 else gb < gb_on_one
