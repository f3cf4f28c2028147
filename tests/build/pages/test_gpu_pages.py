"""Pages of GPUs: labels of other GPUs that resemble its name, and its price history by billing."""

import csv
import re
from pathlib import Path

import duckdb
import pytest
from selectolax.lexbor import LexborHTMLParser

from pipeline.gpu_identity import resolve
from pipeline.gpu_identity.similar import similar_gpus
from pipeline.website.writing import numbers
from tests.build.pages.site_pages import Page, body_rows, printed_sql, query_rows

A100 = "nvidia-a100-pcie-40gb"


@pytest.mark.parametrize(
    ("label", "gpu", "like"),
    [
        ("NVIDIA A100", A100, True),
        ("A100-SXM4-80GB", A100, True),
        ("A100X", A100, False),
        ("A10", A100, False),
        ("RTX 3080 Ti", "nvidia-geforce-rtx-3080-10gb", True),
        ("RTX 3080", "nvidia-geforce-rtx-3080-ti-12gb", False),
        ("GeForce RTX 3080 Laptop GPU", "nvidia-geforce-rtx-3080-10gb", True),
        ("", A100, False),
        ("<script>" * 50, A100, False),
    ],
)
def test_a_label_is_like_a_gpu_when_it_holds_the_words_of_its_name(label: str, gpu: str, like: bool) -> None:
    assert (gpu in similar_gpus(label)) is like


def test_every_label_that_means_a_gpu_by_its_words_is_like_it(con: duckdb.DuckDBPyConnection) -> None:
    """So that what a page lists as not mapped leaves nothing out for the way it is written."""
    labels = con.execute(
        "SELECT DISTINCT raw_gpu_name, gpu_id FROM gpu_label WHERE gpu_id IS NOT NULL AND rule LIKE '%GPU of that name%'"
    ).fetchall()
    assert len(labels) > 60
    assert [row for row in labels if row[1] not in similar_gpus(row[0])] == []


def test_a_gpu_shows_what_was_refused_and_what_is_another_gpu(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    shown = body_rows((site / "gpus" / A100 / "index.html").read_text(), "not-mapped-table")
    found = con.execute("SELECT DISTINCT raw_gpu_name, gpu_id, reason FROM gpu_label").fetchall()
    expected = [row for row in found if A100 in similar_gpus(row[0]) and row[1] != A100]
    refused = [row for row in expected if row[1] is None]
    assert len(expected) > len(refused) > 3
    for label, gpu_id, reason in expected:
        said = re.sub("^'.+' can be .+?: ", "", reason) if gpu_id is None else "matched to"
        assert [row for row in shown if label in row and said in row], label
    assert not [row for row in shown if "matched to NVIDIA A100 PCIe 40 GB" in " ".join(row.split())]
    assert resolve("NVIDIA A100", reported_memory_gb=80.0).gpu_id is None


def test_a_gpu_tells_its_history_on_each_billing(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    text = (site / "gpus" / A100 / "index.html").read_text()
    rows = [row for row in query_rows(con, printed_sql(text, 'id="history-table"')) if row["gpu_model_id"] == "nvidia-a100"]
    shown = body_rows(text, "history-table")
    assert len(shown) == len(rows) > 1
    for line, row in zip(shown, rows, strict=True):
        ((offers, usd),) = con.execute(
            "SELECT n_offers, usd_min FROM price_daily WHERE kind = 'cloud_rental' AND commitment = 'none' "
            "AND gpu_model_id = 'nvidia-a100' AND gpu_id = 'any' AND billing = ? AND date = ?",
            [row["billing"], row["last_day"]],
        ).fetchall()
        assert (offers, usd) == (row["n_offers_last"], row["usd_last"])
        assert str(numbers.usd(usd)) in line
        assert row["n_matched"] == 0 or str(numbers.ratio(row["price_index"])) in line
    with (site / "data" / "charts" / "price-nvidia-a100.csv").open() as file:
        drawn = list(csv.DictReader(file))
    assert {"usd", "line", "provider"} <= set(drawn[0])
    assert {"Median of providers", "Cheapest offer"} <= {row["line"] for row in drawn}


def test_labels_stay_text(hostile_site: Path) -> None:
    found = Page(hostile_site / "gpus" / A100 / "index.html")
    assert "not-mapped" in set(found.values("id"))
    assert not [tag for tag, had in found.tags if tag in {"b-hit", "iframe"} or any(key.startswith("on") for key in had)]


def test_offers_of_a_variant_come_before_those_that_state_none(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """Both groups are in order of billing and price, so the lowest on-demand price leads one of them."""
    rows = con.execute("""
        SELECT gpu_id, low_variant_stated, usd_per_gpu_hour_low FROM rental_market
        WHERE gpu_id <> 'any' AND (billing, commitment, gpus) = ('on_demand', 'any', 'any')
    """).fetchall()
    assert {stated for _, stated, _ in rows} == {True, False}
    for gpu_id, stated, low in rows:
        table = body_rows((site / "gpus" / gpu_id / "index.html").read_text(), "offer-table")
        is_open = [re.search("(form factor|memory|edition) not stated", row) is not None for row in table]
        assert is_open == sorted(is_open), gpu_id
        assert str(numbers.usd(low)) in table[0 if stated else is_open.index(True)], gpu_id


def test_the_list_of_gpus_dates_the_rent_and_the_purchase_price(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    page = LexborHTMLParser((site / "gpus" / "index.html").read_text())
    heads = [head.css_first("button").text() for head in page.css("#gpu-table thead th")]
    assert "Price date" not in heads
    assert {"Rent from", "Cheapest at", "Rent date", "Purchase date"} <= set(heads)
    dates = con.execute("""
        SELECT gpu_id, low_price_date FROM rental_market
        WHERE gpu_id <> 'any' AND (billing, commitment, gpus) = ('on_demand', 'any', 'any')
    """).fetchall()
    for gpu_id, date in dates:
        cells = page.css_first(f'#gpu-table tr[data-id="{gpu_id}"]').css("th, td")
        assert cells[heads.index("Rent date")].text() == str(date)


def test_the_list_of_gpus_names_the_price_behind_the_speed_for_the_rent(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    page = LexborHTMLParser((site / "gpus" / "index.html").read_text())
    heads = {head.css_first("button").text(): head.attributes["title"] for head in page.css("#gpu-table thead th[title]")}
    assert "at the price in column 'Rent, median'" in (heads["Speed per median price"] or "")
    rows = con.execute("""
        SELECT v.value_rental * p.rental_usd_per_gpu_hour, v.index FROM value_index AS v JOIN gpu_price AS p USING (gpu_id)
        WHERE v.family = 'all' AND v.precision = 'fp16' AND v.gpu_count = 1 AND v.value_rental IS NOT NULL
    """).fetchall()
    assert [product for product, _ in rows] == pytest.approx([index for _, index in rows])


def test_the_cost_of_a_model_is_on_as_many_gpus_as_its_speed(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """llm_rank chooses two A100 PCIe for Llama 3.1 8B, the page shows the speed of one."""
    gpu = "nvidia-a100-pcie-80gb"
    (row,) = [row for row in body_rows((site / "gpus" / gpu / "index.html").read_text(), "llm-table") if "Llama-3.1-8B" in row]
    ((usd,),) = con.execute("""
        SELECT usd_per_million_output_tokens FROM llm_cost
        WHERE gpu_id = ? AND (llm_model_id, use, gpu_count) = ('llama-3.1-8b', 'chat', 1)
            AND replace(quantization, 'fp16', 'bf16') = 'bf16' AND priced_by = 'gpu' AND billing = 'on_demand' AND NOT price_stale
    """, [gpu]).fetchall()  # fmt: skip
    assert row.strip().endswith(str(numbers.usd(usd)))


def test_a_gpu_says_with_which_context_it_holds_a_model_and_a_board_that_it_holds_none(site: Path) -> None:
    h100, board = (LexborHTMLParser((site / "gpus" / gpu / "index.html").read_text()).css_first("#verdict").text()
        for gpu in ("nvidia-h100-sxm5-80gb", "nvidia-a16-board-64gb"))  # fmt: skip
    assert "For one user with 8,192 tokens of context, one GPU holds language models up to Qwen3.6-35B-A3B with 16-bit" in h100
    assert "as several GPUs, each with part of the memory" in board
    assert "holds" not in board
