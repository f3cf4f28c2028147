"""Tasks of real users with the data, within their number of clicks from the home page; typing a value is one."""

import csv
import re
from pathlib import Path

from pipeline.website.writing import npm_packages
from tests.browser.test_tasks import DATE
from tests.browser.visit import Clicks, show_all
from tests.tools import missing

H100 = "gpus/nvidia-h100-sxm5-80gb/index.html"


def test_e_the_on_demand_offers_of_the_h100_as_a_file(clicks: Clicks) -> None:
    clicks.click(".md-content a[href$='offers/index.html'] >> visible=true")
    page = clicks.page
    page.wait_for_selector("#offer-table tbody tr[data-id]")
    clicks.fill("input[name=find]", "h100 on demand")
    page.wait_for_function("() => Number(document.querySelector('.gl-count').textContent.split(' ')[0]) < 90")
    with page.expect_download() as download:
        clicks.click("[data-export]")
    with Path(download.value.path()).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    show_all(page)
    shown = page.locator("#offer-table tbody tr[data-id]").count()
    assert len(rows) == shown > 10
    assert int(re.findall(r"\d+", page.inner_text(".gl-count"))[0]) == shown
    for row in rows:
        assert "H100" in row["name"]
        assert row["billing"] == "on_demand"
        assert float(row["usd_per_gpu_hour"]) > 0
        assert row["provider"]
        assert row["licence"].startswith("CC BY-SA 4.0")
        assert row["cite"].startswith("gpuledger contributors")
        assert re.search(r"20\d\d-\d\d-\d\d", row["cite"])
    assert clicks.count <= 3


def test_f_where_a_number_comes_from(clicks: Clicks) -> None:
    page = clicks.page
    gpu = page.locator("main table a[href^='gpus/nvidia-'] >> visible=true").first
    gpu.click()
    clicks.count += 1
    row = page.locator("#offer-table tbody tr").first
    price = float(row.locator("td[data-v]").first.get_attribute("data-v") or 0)
    row.locator("a[href*='/sources/'][href*='file=']").click()
    clicks.count += 1
    line = page.locator("#stored-row mark").first.inner_text()
    assert f"{price:g}" in line
    facts = page.inner_text("#stored-row .gl-stored-facts")
    assert re.search(r"\b[0-9a-f]{64}\b", facts)
    assert any(origin in facts for origin in ("Fetched", "Carried over", "Transcribed"))
    assert DATE.search(facts) or re.search(r"20\d\d-\d\d-\d\d", facts)
    assert re.search(r"(line|row|item|entry|day) \d+", page.inner_text("#stored-heading"))
    sellers = page.locator("#stored-row a[rel~=nofollow], #sellers + p a.gl-out, .gl-links a[rel~=nofollow]")
    assert (sellers.first.get_attribute("href") or "").startswith("https://")
    assert clicks.count <= 2


def test_g_a_query_and_a_link_to_share_it(clicks: Clicks) -> None:
    if npm_packages.engine() is None:
        missing("the SQL page has no engine: run `make site`")
    page = clicks.page
    page.locator(".md-content a[href*='sql/index.html'] >> visible=true").first.click()
    clicks.count += 1
    page.wait_for_selector(".sq-run:enabled")
    clicks.click(".sq-run")
    page.wait_for_selector(".sq-result:not([hidden]) tbody tr")
    assert page.locator(".sq-result:not([hidden]) tbody tr").count() > 0
    assert page.locator("[data-copy]").is_enabled()
    assert clicks.count <= 2


def test_h_how_the_price_of_an_h100_moved(clicks: Clicks) -> None:
    page = clicks.page
    clicks.fill(".md-search__input", "H100")
    page.locator(".md-search-result__link[href*='gpus/nvidia-h100-']").first.click()
    clicks.count += 1
    page.wait_for_url("**/gpus/nvidia-h100-**")
    chart = page.locator("[data-chart='price-nvidia-h100']")
    assert chart.is_visible()
    address = page.evaluate("() => new URL('../../data/charts/price-nvidia-h100.csv', location).href")
    rows = list(csv.DictReader(page.request.get(address).text().splitlines()))
    assert {"2023", "2024", "2025", "2026"} <= {row["date"][:4] for row in rows}
    assert {"On demand", "Spot"} <= {row["billing"] for row in rows}
    assert len({row["provider"] for row in rows}) > 5
    assert all(int(row["n_offers"]) >= 1 for row in rows)
    assert clicks.count <= 2


def test_i_cite_the_data(clicks: Clicks) -> None:
    page = clicks.page
    page.locator("a[href$='data/index.html'], a[href$='data/index.html#cite']").locator("visible=true").last.click()
    clicks.count += 1
    entry = page.inner_text(".gl-cite pre")
    assert entry.startswith("@misc{gpuledger")
    assert re.search(r"version = \{20\d\d\.\d+\.\d+\}", entry)
    assert re.search(r"20\d\d-\d\d-\d\d", entry)
    assert clicks.count <= 2
