"""The pages of providers and of workloads: every one has a page, figures are those of the tables, links lead there."""

import re
from pathlib import Path

import duckdb
import pytest
from selectolax.lexbor import LexborHTMLParser

from pipeline.website.components.recommend import recommend_form
from pipeline.website.pages.providers import page as providers_page
from pipeline.website.pages.workloads import page as workloads_page
from pipeline.website.writing import numbers
from pipeline.website.writing.database import Row
from pipeline.website.writing.links import provider_path, slug, workload_path
from tests.build.pages.site_pages import Page, provider_names, recompute, words_of
from tests.build.pages.test_performance_pages import body_rows, printed_sql, query_rows, text_of, write_pages
from tests.hostile import SUFFIX

MOVED = "kind = 'cloud_rental' AND partition = 'whole' AND comparable AND change_ratio <> 1"
TABLES = (
    "offer_current",
    "price_latest",
    "price_change",
    "provider_alias",
    "source",
    "gpu",
    "gpu_price",
    "workload_time",
    "offer_repeat",
    "price",
)
RENTERS = "SELECT DISTINCT provider FROM offer_current WHERE acquisition = 'rent' AND NOT stale ORDER BY ALL"


def names(con: duckdb.DuckDBPyConnection, sql: str) -> list[str]:
    return [name for (name,) in con.execute(sql).fetchall()]


def test_every_provider_has_a_page(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    found = names(con, "SELECT DISTINCT provider FROM price")
    assert len(found) > 20
    assert [name for name in found if not (site / provider_path(name)).exists()] == []
    listed = Page(site / "providers/index.html")
    assert {f"../{provider_path(name)}" for name in found} <= set(listed.values("href"))


def test_every_workload_has_a_page_that_asks_the_recommendation_form(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    kinds = con.execute("SELECT DISTINCT workload, kind FROM workload_time").fetchall()
    asked = {name for name, kind in kinds if kind in recommend_form.ASKED}
    assert len(kinds) > len(asked) > 4
    choices = {f["value"] for tag, f in Page(site / "index.html").tags if tag == "option"}
    listed = set(Page(site / "workloads/index.html").values("href"))
    for name in {name for name, _ in kinds}:
        assert f"../{workload_path(name)}" in listed
        links = set(Page(site / workload_path(name)).values("href"))
        assert (f"../../index.html?workload={name}" in links) is (name in asked), name
        assert (name in choices) is (name in asked), name


def test_a_provider_is_set_against_all_others(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    best, called = 0, provider_names(con)
    for provider in names(con, RENTERS):
        text = (site / provider_path(provider)).read_text()
        rows = [row for row in query_rows(con, printed_sql(text, 'id="rival-table"')) if row["provider"] == provider]
        shown = body_rows(text, "rival-table")
        assert len(shown) == len(rows) > 0
        for line, row in zip(shown, rows, strict=True):
            rival = called.get(row["elsewhere"], row["elsewhere"]) or "only provider"
            said = [numbers.usd(row["usd"]), numbers.usd(row["usd_elsewhere"]), rival]
            assert [one for one in said if one not in " ".join(line.split())] == [], row
            best += _is_unbeaten(con, row)
    assert best > 10


def _is_unbeaten(con: duckdb.DuckDBPyConnection, row: Row) -> bool:
    """Tell whether no other provider is cheaper, by another query of the offers; fail where the page disagrees."""
    ((lower,),) = con.execute(
        "SELECT count(*) FROM offer_current WHERE acquisition = 'rent' AND NOT stale AND gpu_model_id = $gpu_model_id "
        "AND billing = $billing "
        "AND commitment_months IS NOT DISTINCT FROM $commitment_months AND usd < $usd AND lower(provider) <> lower($provider)",
        {key: row[key] for key in ("gpu_model_id", "billing", "commitment_months", "usd", "provider")},
    ).fetchall()
    assert (row["rank"] == 1) is (lower == 0), row
    return bool(lower == 0)


def test_the_list_counts_the_gpus_that_a_providers_page_counts(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    table = LexborHTMLParser((site / "providers" / "index.html").read_text()).css("#provider-table tbody tr[data-rents=yes]")
    shown = {}
    for row in table:
        link, cell = row.css_first("a"), row.css_first('td[data-label="GPUs it is cheapest for"]')
        page = LexborHTMLParser((site / "providers" / str(link.attributes["href"])).read_text())
        (tile,) = [one for one in page.css(".gl-facts div") if one.css_first("dt").text() == "Cheapest provider for"]
        shown[link.text()] = (cell.text().strip(), tile.css_first("dd").text().split()[0])
    assert len(shown) > 10
    assert {name: pair for name, pair in shown.items() if pair[0] != pair[1]} == {}


def test_the_offers_of_a_provider_are_those_of_the_gpus(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """Each line of a provider is also on the page of its GPU."""
    (gpu,) = names(
        con, f"SELECT gpu_id FROM offer_current WHERE provider IN ({RENTERS}) GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1"
    )
    page = (site / "gpus" / gpu / "index.html").read_text()
    rows = body_rows(page, "offer-table") + body_rows(page, "past-offer-table")
    of_gpu = [" ".join(row.replace("↗", "").split()) for row in rows]  # the arrow is the link to the seller
    ((name,),) = con.execute("SELECT name FROM gpu WHERE gpu_id = ?", [gpu]).fetchall()
    short = name.removeprefix("NVIDIA ").removeprefix("Tesla ")
    found, called = [], provider_names(con)
    for provider in names(con, "SELECT DISTINCT provider FROM price"):
        text = (site / provider_path(provider)).read_text()
        lines = body_rows(text, "offer-table") if 'id="offer-table"' in text else []
        link = [
            f"{called.get(provider, provider)}{' '.join(row.split()).removeprefix(short)}"
            for row in lines
            if " ".join(row.split()).startswith(f"{short} $")
        ]
        found += link
    assert sorted(found) == sorted(of_gpu)


def test_changes_of_price_are_those_of_the_table(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    ((provider, moves),) = con.execute(
        f"SELECT provider, count(*) FROM price_change WHERE {MOVED} GROUP BY ALL ORDER BY 2 DESC, 1 LIMIT 1"
    ).fetchall()
    text = (site / provider_path(provider)).read_text()
    rows = [row for row in query_rows(con, printed_sql(text, 'id="move-table"')) if row["provider"] == provider]
    shown = body_rows(text, "move-table")
    newest = con.execute(
        f"SELECT valid_from FROM price_change WHERE {MOVED} AND lower(provider) = ? ORDER BY 1 DESC LIMIT ?",
        [provider, providers_page.MOVES_SHOWN],
    ).fetchall()
    assert [(row["valid_from"],) for row in rows] == newest
    assert len(shown) == len(rows) == providers_page.MOVES_SHOWN < moves
    assert f"{moves:,} changes since" in words_of(site, provider_path(provider))
    for line, row in zip(shown, rows, strict=True):
        said = [
            numbers.usd(row["usd_before"]),
            numbers.usd(row["usd"]),
            numbers.day(row["valid_from"]),
            numbers.percent(row["change"]),
        ]
        assert [one for one in said if one not in line] == [], row


def test_a_provider_names_its_sources_with_their_licence(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    for provider in ("aws", "verda"):
        text, page = words_of(site, provider_path(provider)), set(Page(site / provider_path(provider)).values("href"))
        rows = con.execute(
            "SELECT DISTINCT licence, terms_url FROM source SEMI JOIN (FROM price WHERE provider = ?) USING (source_id)",
            [provider],
        ).fetchall()
        assert rows
        for licence, terms in rows:
            assert (licence or "no licence stated") in text
            assert terms is None or terms in page


def test_times_and_costs_are_those_of_the_table(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    for workload in names(con, "SELECT DISTINCT workload FROM workload_time"):
        text = (site / workload_path(workload)).read_text()
        rows = [row for row in query_rows(con, printed_sql(text, 'id="time-table"')) if row["workload"] == workload]
        shown, is_tiny = body_rows(text, "time-table"), "Cost of 1" in text
        assert len(shown) == len(rows) > 0
        for line, row in zip(shown, rows, strict=True):
            values = [row[f"usd_per_run_cheapest{end}"] for end in ("", "_low", "_high")]
            costs = [numbers.usd(numbers.thousand(value) if is_tiny else value) for value in values]
            said = [numbers.duration(row["seconds"]), *costs, row["basis"] if row["status"] == "ok" else ""]
            assert [one for one in said if one not in line] == [], row


@pytest.mark.parametrize(
    ("low", "usd", "high", "told"),
    [
        (0.02, 0.03, 0.05, "3¢ a run (2¢ to 5¢)"),
        (0.0088, 0.0108, 0.0133, "$0.0108 a run ($0.0088 to $0.0133)"),
        (0.05, 0.08, 0.12, "$0.08 a run ($0.05 to $0.12)"),
        (None, 0.03, None, "3¢ a run"),
        (0.004, 0.005, 0.006, "$5.00 per 1,000 runs ($4.00 to $6.00)"),
    ],
)
def test_a_cost_and_its_interval_have_one_unit(low: float | None, usd: float, high: float | None, told: str) -> None:
    row = {"usd_per_run_cheapest": usd, "usd_per_run_cheapest_low": low, "usd_per_run_cheapest_high": high}
    assert workloads_page._cost_of_run(row) == told


def test_a_task_costs_the_same_as_on_the_page_of_value(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    sql = printed_sql((site / workload_path("yolor_inference")).read_text(), 'id="time-table"')
    here = {(row["workload"], row["gpu_id"]): row["usd_per_run_cheapest"] for row in query_rows(con, sql)}
    there = con.execute("SELECT workload, gpu_id, usd_per_run FROM task_cost").fetchall()
    assert there
    assert [row for row in there if here[row[:2]] != row[2]] == []


def test_offers_of_an_aggregator_say_that_they_are_resold(site: Path) -> None:
    for name, is_resold in (("spheron", True), ("lambda", False)):
        rows = body_rows((site / "providers" / name / "index.html").read_text(encoding="utf-8"), "offer-table")
        assert {"resold from other providers" in row for row in rows} == {is_resold}, name


def test_gpus_and_offers_link_to_providers(site: Path) -> None:
    gpu = set(Page(site / "gpus/nvidia-a100-pcie-40gb/index.html").values("href"))
    assert sum(url.startswith("../../providers/") for url in gpu) > 3
    assert "../providers/aws/index.html" in (site / "offers/offers.js").read_text()


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("aws", "aws"),
        ("Mystic AI", "mystic-ai"),
        ("mystic.ai", "mystic-ai"),
        ("yolor_inference", "yolor-inference"),
        ("../../etc/passwd", r"etc-passwd-[0-9a-f]{8}"),
        ("a/b", r"a-b-[0-9a-f]{8}"),
        ("阿里云", r"[0-9a-f]{8}"),
        ("", r"[0-9a-f]{8}"),
        (f"aws{SUFFIX}", r"aws-[a-z0-9-]{20,40}"),
        ("x" * 400, r"x{30}-[0-9a-f]{8}"),
    ],
)
def test_any_name_makes_a_safe_path(name: str, path: str) -> None:
    assert re.fullmatch(path, slug(name))


def test_names_of_other_signs_stay_apart() -> None:
    assert len({slug(name) for name in ("a/b", "a\\b", "a?b", "阿里云", "腾讯云", "x" * 61, "x" * 62)}) == 7


@pytest.mark.parametrize("emptied", [TABLES, *(pytest.param((table,), marks=pytest.mark.full) for table in TABLES)])
def test_the_pages_stand_without_tables(database_copy: Path, emptied: tuple[str, ...]) -> None:
    with duckdb.connect(str(database_copy)) as con:
        for table in emptied:
            con.execute(f"DELETE FROM {table}")
        recompute(con, *emptied, unpublished=True)
    docs = write_pages(database_copy, providers_page, workloads_page)
    texts = [text_of(path) for path in docs.rglob("index.md")]
    assert not [text for text in texts if {"None", "nan"} & set(text.split())]
    if "price" in emptied:
        assert "There are no prices yet." in text_of(docs / "providers" / "index.md")
    if "workload_time" in emptied:
        assert "There are no workload times yet." in text_of(docs / "workloads" / "index.md")
    if emptied == ("offer_current",):
        assert "No GPU with a known time has a current on-demand price." in text_of(docs / "workloads" / "cnn" / "index.md")
        assert "No current rental price, newest price" in text_of(docs / "providers" / "aws" / "index.md")
