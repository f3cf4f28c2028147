"""The site in a real browser, as a reader meets it: charts are drawn, nothing complains, nothing leaves the host."""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import axe
from tests.browser.visit import Visit, serve
from tests.page_kinds import CHARTS, LANGUAGES, PAGES, type_query

MARKS = "svg => svg.querySelectorAll('.role-mark path, .role-mark text, .role-mark line').length"
# links that cannot be followed, or whose text does not say where they lead: Lighthouse has audits of both, which take minutes
POOR_LINKS = """vague => [...document.querySelectorAll('a')]
    .filter(link => link.hasAttribute('href')
        ? !/^(https?|mailto|blob):/.test(link.href) || vague.includes(link.innerText.trim().toLowerCase())
        : !(link.id || link.role))
    .map(link => link.outerHTML)"""
VAGUE = ["click here", "click this", "go", "here", "information", "learn more", "link", "more", "more info", "more information"]
VAGUE += ["read more", "right here", "see more", "start", "this", "更多", "点击", "查看", "这里", "链接"]
VAGUE += ["点击这里", "查看更多", "了解更多"]
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
CHINESE = re.compile("[\u4e00-\u9fff]")
Look = tuple[str, str, int, bool]  # name of the page, language, width of the window, dark color scheme
FIRST_LOOKS = (("zh", 1280, False), ("en", 360, True))  # each language, each width and each scheme once; the sweep has more
OTHER_LOOKS = (("en", 1280, False), ("zh", 360, False), ("zh", 1280, True))
LOOKS_WITH_AXE = FIRST_LOOKS[1], OTHER_LOOKS[1]  # axe takes longer than all else
EVERY_LOOK = [(name, *look) for name in PAGES for look in FIRST_LOOKS + OTHER_LOOKS]


def cases(looks: Iterable[Look], first: Callable[[Look], bool]) -> list[Any]:
    """Test cases of the looks; those that are not first ones belong to the sweep."""
    return [pytest.param(*look, marks=() if first(look) else pytest.mark.full, id="-".join(map(str, look))) for look in looks]


@pytest.fixture(scope="module")
def visits(browser: Any, url: str) -> Iterator[dict[tuple[int, bool], Visit]]:
    """One tab for each width and color scheme, in which page after page is opened."""
    opened = {(width, dark): Visit(browser, url, width, dark) for width, dark in itertools.product((1280, 360), (False, True))}
    yield opened
    for visit in opened.values():
        visit.close()


@pytest.mark.parametrize(("name", "language", "width", "dark"), cases(EVERY_LOOK, lambda look: look[1:] in FIRST_LOOKS))
def test_a_page_is_whole(visits: dict[tuple[int, bool], Visit], name: str, language: str, width: int, dark: bool) -> None:
    visit = visits[width, dark]
    visit.faults.clear()
    page = visit.open(LANGUAGES[language] + PAGES[name])
    charts = visit.charts()
    assert len(charts) == CHARTS.get(name, 0)
    assert all(chart.bounding_box()["width"] > 300 for chart in charts)
    assert all(chart.evaluate(MARKS) > 4 for chart in charts)
    assert page.evaluate(SIDEWAYS) <= 0
    assert page.evaluate(POOR_LINKS, VAGUE) == []
    assert page.get_attribute("html", "lang") == language
    assert language != "zh" or is_chinese(page, name)
    if (language, width, dark) in LOOKS_WITH_AXE:
        assert axe.violations(page) == []
    assert visit.faults == []


def test_poor_links_are_found(browser: Any) -> None:
    page = browser.new_context().new_page()
    poor = ['<a href="javascript:void(0)">Prices</a>', '<a href="https://example.org/"> Here </a>', "<a>Prices</a>"]
    page.set_content("".join([*poor, '<a href="https://example.org/">Prices</a>', '<a id="prices"></a>']))
    assert page.evaluate(POOR_LINKS, VAGUE) == poor
    page.context.close()


@pytest.mark.parametrize(
    "path", ["index.html?run=specs", "index.html?run=train&memory=500", "run-it.html", "uploads.html", "scale.html"]
)
def test_states_and_handwritten_pages_are_accessible(visit: Visit, path: str) -> None:
    page = visit.open(path)
    page.wait_for_function("() => !location.search.includes('memory') || document.querySelector('.gl-ranking').hidden")
    page.wait_for_function("() => [...document.querySelectorAll('.md-code__nav')].every((one) => one.role)")
    assert axe.violations(page) == []


def is_chinese(page: Any, name: str) -> bool:
    """Tell whether text and title are in Chinese; the title of a GPU's page is the GPU's name."""
    title = CHINESE.search(page.title()) or name in {"gpu", "history"}
    return bool(title and CHINESE.search(page.inner_text("main")))


def test_the_colour_scheme_can_change_again_and_again(visit: Visit) -> None:
    page = visit.open("index.html?run=specs")
    visit.charts()
    for scheme in ("slate", "default", "slate"):
        page.evaluate("scheme => document.body.setAttribute('data-md-color-scheme', scheme)", scheme)
    page.wait_for_timeout(800)
    charts = visit.charts()
    assert len(charts) == 2
    assert all(chart.bounding_box()["width"] > 300 for chart in charts)
    assert visit.faults == []


def test_the_choice_of_work_steers_answers_and_chart(visit: Visit) -> None:
    page = visit.open("index.html?run=image")
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


def test_search_finds_a_gpu(visit: Visit) -> None:
    page = visit.open("index.html")
    type_query(page, "RTX 3090")
    page.wait_for_selector(".md-search-result__link")
    assert visit.faults == []


def of_each_kind(site: Path) -> list[str]:
    """The first page made from data in each folder of the site, whatever it is called, after the home page; each guide."""
    kinds: dict[tuple[str | int, ...], str] = {}
    for path in sorted(site.rglob("index.html")):
        parts = path.relative_to(site).parts
        kinds.setdefault(parts if parts[0] == "guides" else (parts[0], len(parts)), "/".join(parts))
    return [path for path in kinds.values() if not path.startswith("method/")]


def open_hostile_pages(browser: Any, site: Path, pages: list[str], width: int) -> None:
    """Open the pages of the hostile site; fail where its texts run, complain or widen a page."""
    server = serve(site)
    visit = Visit(browser, f"http://127.0.0.1:{server.server_port}/", width)
    for path in pages:
        page = visit.open(path)
        visit.charts()
        assert page.evaluate("window.hit") is None
        assert page.evaluate(SIDEWAYS) <= 0, path
    assert visit.faults == []
    visit.close()
    server.shutdown()


@pytest.mark.full
@pytest.mark.parametrize("width", [1280, 360])
def test_hostile_data_do_nothing_and_break_no_page(browser: Any, hostile_site: Path, width: int) -> None:
    pages = of_each_kind(hostile_site)
    assert len(pages) >= len(PAGES) - 1
    open_hostile_pages(browser, hostile_site, pages, width)


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
