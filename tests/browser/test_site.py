"""The site in a real browser, as a reader meets it: charts are drawn, nothing complains, nothing leaves the host."""

from pathlib import Path
from typing import Any

import pytest

from tests.browser.visit import Visit, serve

PAGES = {
    "home": "index.html",
    "gpus": "gpus/index.html",
    "gpu": "gpus/nvidia-a100-pcie-40gb/index.html",
    "history": "gpus/nvidia-h100-sxm5-80gb/index.html",
    "offers": "offers/index.html",
    "prices": "prices/index.html",
    "providers": "providers/index.html",
    "provider": "providers/aws/index.html",
    "value": "value/index.html",
    "workloads": "workloads/index.html",
    "workload": "workloads/stylegan-xl-training/index.html",
    "speedups": "speedups/index.html",
    "uploaded": "runs/index.html",
    "sources": "sources/index.html",
    "rejects": "rejects/index.html",
    "guides": "guides/index.html",
    "audit": "audit/index.html",
    "break-even": "break-even/index.html",
    "calculators": "calculators/index.html",
    "data": "data/index.html",
    "changes": "changes/index.html",
    "glossary": "glossary/index.html",
    "sql": "sql/index.html",
}
CHARTS = {"home": 3, "value": 2, "speedups": 3, "gpu": 1, "history": 1, "audit": 1, "break-even": 1, "data": 1}
MARKS = "svg => svg.querySelectorAll('.role-mark path, .role-mark text, .role-mark line').length"


def type_query(page: Any, text: str) -> None:
    page.click(".md-search__input")
    ready = "() => !document.querySelector('.md-search-result__meta').textContent.includes('Initializing')"
    page.wait_for_function(ready)  # the worker answers a query that comes earlier with a warning
    page.locator(".md-search__input").press_sequentially(text, delay=30)


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (360, True)])
def test_a_page_is_whole(browser: Any, url: str, name: str, width: int, dark: bool) -> None:
    visit = Visit(browser, url, width, dark)
    page = visit.open(PAGES[name])
    charts = visit.charts()
    assert len(charts) == CHARTS.get(name, 0)
    assert all(chart.bounding_box()["width"] > 300 for chart in charts)
    assert all(chart.evaluate(MARKS) > 4 for chart in charts)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert visit.faults == []
    visit.close()


def test_the_colour_scheme_can_change_again_and_again(visit: Visit) -> None:
    page = visit.open("index.html")
    visit.charts()
    for scheme in ("slate", "default", "slate"):
        page.evaluate("scheme => document.body.setAttribute('data-md-color-scheme', scheme)", scheme)
    page.wait_for_timeout(800)
    charts = visit.charts()
    assert len(charts) == 3
    assert all(chart.bounding_box()["width"] > 300 for chart in charts)
    assert visit.faults == []


def test_the_choice_of_work_steers_answers_and_chart(visit: Visit) -> None:
    page = visit.open("index.html")
    chart = visit.charts()[0]
    before, answer = chart.inner_html(), page.inner_text("#answers")
    page.select_option("select[name=workload]", "yolor_inference")
    page.wait_for_function("before => document.querySelector('.gl-live svg').innerHTML !== before", arg=before)
    assert page.inner_text("#answers") != answer
    assert [panel.get_attribute("data-task-panel") for panel in page.query_selector_all("[data-task-panel]:not([hidden])")] == [
        "yolor_inference"
    ]
    assert "workload=yolor_inference" in page.url
    assert visit.faults == []


def test_the_price_history_has_a_mark_for_each_day(visit: Visit) -> None:
    page = visit.open(PAGES["history"])
    (chart,) = visit.charts()
    days = len(page.query_selector_all(".gl-figure details tbody tr"))
    assert days >= 40
    assert chart.bounding_box()["width"] > 300
    assert chart.evaluate(MARKS) >= 2 * days  # a bar of offers and a point that tells its figures
    assert visit.faults == []


def test_search_finds_a_card(visit: Visit) -> None:
    page = visit.open("index.html")
    type_query(page, "RTX 3090")
    page.wait_for_selector(".md-search-result__link")
    assert visit.faults == []


def of_each_kind(site: Path) -> list[str]:
    """The first page made from data in each folder of the site, whatever it is called, after the home page."""
    kinds: dict[tuple[str, int], str] = {}
    for path in sorted(site.rglob("index.html")):
        parts = path.relative_to(site).parts
        kinds.setdefault((parts[0], len(parts)), "/".join(parts))
    return [path for path in kinds.values() if not path.startswith("method/")]


@pytest.mark.parametrize("width", [1280, 360])
def test_hostile_data_do_nothing_and_break_no_page(browser: Any, hostile_site: Path, width: int) -> None:
    server = serve(hostile_site)
    visit = Visit(browser, f"http://127.0.0.1:{server.server_port}/", width)
    pages = of_each_kind(hostile_site)
    assert len(pages) >= len(PAGES) - 1
    for path in pages:
        page = visit.open(path)
        visit.charts()
        assert page.evaluate("window.hit") is None
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0, path
    assert visit.faults == []
    visit.close()
    server.shutdown()


def test_hostile_data_do_nothing_in_the_search(browser: Any, hostile_site: Path) -> None:
    server = serve(hostile_site)
    visit = Visit(browser, f"http://127.0.0.1:{server.server_port}/")
    page = visit.open("index.html")
    type_query(page, "window")
    page.wait_for_selector(".md-search-result__link")  # every word of every page matches
    assert page.evaluate("window.hit") is None
    assert visit.faults == []
    visit.close()
    server.shutdown()
