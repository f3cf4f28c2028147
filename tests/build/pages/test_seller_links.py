"""Links from offers to their sellers: the address of table `provider`, https only, never a price list for programs."""

import json
import re
from html import unescape
from pathlib import Path

import duckdb
import pytest

from pipeline.website.writing.links import provider_path, seller_link
from tests.build.pages.site_pages import Page, text_of

OFFERS = "SELECT DISTINCT provider FROM rental_listing ORDER BY ALL"


def test_every_provider_of_a_price_has_a_row(con: duckdb.DuckDBPyConnection) -> None:
    assert con.execute("SELECT provider FROM price EXCEPT SELECT provider_id FROM provider").fetchall() == []


@pytest.mark.parametrize("folder", ["", "zh/"])
def test_the_search_finds_why_a_provider_is_left_out(site: Path, folder: str) -> None:
    entries = json.loads((site / f"{folder}search/search_index.json").read_text())["docs"]
    found = [entry["text"] for entry in entries if entry["location"].startswith("prices/") and "RunPod" in entry["text"]]
    assert found
    assert all("vast.ai" in text and (folder or "terms forbid price comparisons" in text) for text in found)


def test_known_facts_and_missing_ones(con: duckdb.DuckDBPyConnection) -> None:
    columns = "offer_url, country, includes_host, unverified"
    facts = {name: rest for name, *rest in con.execute(f"SELECT provider_id, {columns} FROM provider").fetchall()}
    assert facts["lambda"] == ["https://lambda.ai/instances", "US", True, "country"]
    assert facts["aws"][0] == "https://aws.amazon.com", "its price list is for programs"
    assert facts["verda"][0] == "https://datacrunch.io/pricing", "listed under its former name"
    assert facts["modal"][2] is None, "no source confirms it"
    assert facts["dataoorts"] == [None, None, None, None]


def test_no_address_is_a_price_list_for_programs(con: duckdb.DuckDBPyConnection) -> None:
    urls = [url for (url,) in con.execute("SELECT offer_url FROM provider WHERE offer_url IS NOT NULL").fetchall()]
    assert len(urls) > 50
    assert [url for url in urls if not url.startswith("https://") or "/api/" in url or url.endswith(".json")] == []


def test_offers_of_a_gpu_link_to_the_sellers(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    sellers = dict(
        con.execute("SELECT coalesce(name, provider_id), offer_url FROM provider WHERE offer_url IS NOT NULL").fetchall()
    )
    linked = 0
    for path in sorted((site / "gpus").glob("*/index.html")):
        text = unescape(path.read_text())
        if 'id="offer-table"' not in text:
            continue
        for row in text.split('id="offer-table"', 1)[1].split("</tbody>", 1)[0].split("<tr")[2:]:
            name = re.search(r'<th scope="row"><a href="[^"]*">([^<]*)</a>', row)
            assert name, f"{path}: a row without a provider"
            url = sellers.get(name[1])
            assert (f'<a class="gl-out" href="{url}" rel="nofollow noopener"' in row) is bool(url), (path, name[1])
            linked += bool(url)
    assert linked > 100


def test_links_to_sellers_are_https_and_marked(site: Path) -> None:
    found = [
        tag
        for name in ("index.html", "prices/index.html", "break-even/index.html", "zh/index.html")
        for tag in Page(site / name).tags
    ]
    links = [attributes for tag, attributes in found if tag == "a" and attributes.get("class") == "gl-out"]
    assert len(links) > 20
    for attributes in links:
        assert attributes["href"].startswith("https://")
        assert set(attributes["rel"].split()) == {"nofollow", "noopener"}
        assert attributes["aria-label"]


def test_rows_of_the_offers_page_have_the_sellers_address(site: Path) -> None:
    text = (site / "offers" / "offers.js").read_text()
    columns = json.loads(text.removeprefix("window.gpuledgerRows=").rstrip().removesuffix(";"))["columns"]
    (links,) = [column["links"] for column in columns if "https://lambda.ai/instances" in column.get("links", ())]
    assert [url for url in links if not url.startswith("https://") or "/api/" in url or url.endswith(".json")] == []


def test_a_provider_page_shows_facts_with_source_and_mark(site: Path) -> None:
    text = text_of(site / provider_path("lambda"))
    assert "Website of the seller" in text
    assert "Pricing pagehttps://lambda.ai/instancesgpurentalprices 2026-10-03" in text
    assert "CountryUS not verified" in text
    unknown = text_of(site / provider_path("Dataoorts"))
    assert "Website of the seller" not in unknown


@pytest.mark.parametrize(
    "url",
    [None, "", "http://example.org", "javascript:alert(1)", "https://example.org/<script>", "https://example.org/a b",
     'https://example.org/"x', "//example.org", "data:text/html,x"],
)  # fmt: skip
def test_an_address_that_is_not_plain_https_is_no_link(url: str | None) -> None:
    assert seller_link("example", url) == ""
