"""The frame of every page: tabs, the banner on old prices, the footer, the skip link, the page for wrong addresses, print."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.browser import axe
from tests.browser.visit import Host, HostBelowRoot, Visit, serve
from tests.page_kinds import LANGUAGES, PAGES, WRITTEN_BY_HAND

TABS = {
    "en": ["Find a GPU", "GPUs", "Prices", "Benchmarks", "Data & methods"],
    "zh": ["选 GPU", "GPU", "价格", "基准测试", "数据与方法"],
}
PHONE, DESKTOP = 360, 1280
NEEDED = {  # pages that readers look for, by the tab that has them
    "llm": "Find a GPU",
    "workloads": "Find a GPU",
    "value": "Find a GPU",
    "break-even": "Find a GPU",
    "calculators": "Find a GPU",
    "providers": "Prices",
    "compare": "GPUs",
    "audit": "Data & methods",
    "guides": "Data & methods",
    "glossary": "Data & methods",
}
SHIFT = """() => new Promise(done => {
  let sum = 0;
  const count = list => list.getEntries().forEach(one => { sum += one.value; });
  new PerformanceObserver(count).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 1000);
})"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_five_tabs(visit: Visit, language: str) -> None:
    page = visit.open(LANGUAGES[language] + "index.html")
    assert [tab.inner_text() for tab in page.query_selector_all(".md-tabs__link")] == TABS[language]


@pytest.mark.parametrize(
    "path", ["break-even", *(pytest.param(path, marks=pytest.mark.full) for path in NEEDED if path != "break-even")]
)
def test_two_clicks_on_a_desktop_reach_the_page(visit: Visit, path: str) -> None:
    page = visit.open("gpus/index.html")
    page.click(f".md-tabs__link:text-is('{NEEDED[path]}')")
    page.click(f".gl-section a[href$='{path}/index.html']")
    page.wait_for_url(f"**/{path}/index.html")
    assert page.inner_text(".md-tabs__item--active") == NEEDED[path]
    assert page.get_attribute(".gl-section [aria-current]", "aria-current") == "page"
    assert visit.faults == []


def test_two_clicks_on_a_phone_reach_every_page_of_the_navigation(visit: Visit) -> None:
    visit.show_as(PHONE)
    page = visit.open("gpus/index.html")
    links = ".gl-drawer a"
    addresses = {link.get_attribute("href") for link in page.query_selector_all(links)}
    assert len(addresses) >= 27
    page.click("label.md-header__button[for=__drawer]")
    for address in addresses:
        assert page.locator(f"{links}[href='{address}']").last.is_visible()
    page.click(".gl-drawer a[href$='calculators/index.html']")
    page.wait_for_url("**/calculators/index.html")
    assert visit.faults == []


@pytest.mark.parametrize(
    ("path", "tab"),
    [
        (PAGES["gpu"], "GPUs"),
        (PAGES["provider"], "Prices"),
        (PAGES["table"], "Data & methods"),
        (PAGES["source"], "Data & methods"),
        (PAGES["guide of autodl"], "Data & methods"),
        (PAGES["model family"], "Find a GPU"),
        (PAGES["workload"], "Find a GPU"),
        ("method/specs.html", "Data & methods"),
        ("run-it.html", "Data & methods"),
    ],
)
def test_a_page_outside_the_navigation_shows_its_tab(site: Path, path: str, tab: str) -> None:
    page = LexborHTMLParser((site / path.partition("?")[0]).read_text())
    assert [one.text(strip=True) for one in page.css(".md-tabs__item--active")] == [tab]


def test_the_architecture_is_not_in_the_navigation(visit: Visit) -> None:
    page = visit.open("about.html")
    assert page.query_selector("nav a[href*='architecture']") is None
    assert page.query_selector("article a[href='architecture.html']")


@pytest.fixture(scope="module")
def newest_price(release: Path) -> dt.date:
    with duckdb.connect(str(release / "gpuledger.duckdb"), read_only=True) as con:
        (day,) = con.execute("SELECT max(observed_at) FROM price").fetchone() or (None,)
    assert isinstance(day, dt.date)
    return day


@pytest.mark.parametrize(("days", "shown"), [(-1, False), (0, False), (7, False), (8, True), (400, True)])
def test_a_banner_tells_that_prices_are_older_than_a_week(
    browser: Any, url: str, newest_price: dt.date, days: int, shown: bool
) -> None:
    visit = Visit(browser, url)
    visit.page.clock.set_fixed_time(dt.datetime.combine(newest_price, dt.time(12), dt.UTC) + dt.timedelta(days=days))
    for folder in LANGUAGES.values():
        visit.open(folder + "prices/index.html")
        banner = visit.page.locator(".gl-old")
        assert banner.is_visible() is shown
        if shown:
            assert str(days) in banner.text_content()
            assert visit.page.evaluate(SHIFT) < 0.05
            banner.locator("a").click()
            visit.page.wait_for_url("**/about.html#refresh")
            assert visit.page.locator("#refresh").is_visible()
            commands = visit.page.locator("#refresh ~ * code").all_text_contents()
            assert any("gpuledger fetch" in text and "gpuledger build" in text for text in commands)
    assert visit.faults == []
    visit.close()


def test_the_banner_works_without_storage(browser: Any, url: str, newest_price: dt.date) -> None:
    visit = Visit(browser, url)
    visit.page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('denied') } })")
    visit.page.clock.set_fixed_time(dt.datetime.combine(newest_price, dt.time(12), dt.UTC) + dt.timedelta(days=30))
    visit.open("about.html")
    assert "30" in visit.page.inner_text(".gl-old")
    visit.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_footer_has_version_date_and_licences(visit: Visit, newest_price: dt.date, language: str) -> None:
    for path in ("index.html", PAGES["history"], "about.html"):
        page = visit.open(LANGUAGES[language] + path)
        footer = page.inner_text(".gl-footer")
        assert f"{newest_price.year}.{newest_price.month}.{newest_price.day}" in footer
        assert "MIT" in footer
        assert "CC BY-SA 4.0" in footer
        assert not {"None", "{"} & set(footer.split())
        for link in page.query_selector_all(".gl-footer a"):
            address = page.evaluate("link => link.href", link)
            assert page.request.get(address).ok, address
    assert visit.faults == []


def test_every_page_has_the_footer_and_a_skip_link(site: Path) -> None:
    """A chart for other sites is no page: it has a link to its page instead."""
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        if path.parent.name == "embed":
            assert text.count('class="gl-embed"') == text.count(' target="_blank" rel="noopener">') == 1, path
            continue
        moved = 'http-equiv="refresh"' in text
        assert moved or text.count('class="gl-footer"') == 1, path
        assert moved or text.count('class="md-skip"') == 1, path


@pytest.mark.parametrize("path", ["index.html", PAGES["gpu"], PAGES["sql"], *WRITTEN_BY_HAND.values(), "zh/prices/index.html"])
def test_the_skip_link_leads_past_the_navigation_by_keyboard(visit: Visit, path: str) -> None:
    page = visit.open(path)
    page.keyboard.press("Tab")
    assert "md-skip" in page.evaluate("document.activeElement.className")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('article') !== null")


@pytest.fixture(params=[(Host, "site", ""), (HostBelowRoot, "", "site/")], ids=["at the root", "below the root"])
def host(request: Any, release: Path) -> Iterator[tuple[str, str]]:
    """Address of a host that shows the page for wrong addresses, and the folder of the site on it."""
    handler, folder, below = request.param
    server = serve(release / folder if folder else release, handler)
    yield f"http://127.0.0.1:{server.server_port}/", below
    server.shutdown()


@pytest.mark.parametrize(
    "lost",
    [
        "gpus/no-such-gpu/index.html",
        "zh/a/b.html",
        *(pytest.param(path, marks=pytest.mark.full) for path in ("nothing.html", "a/b/c/d/e.html")),
    ],
)
def test_a_wrong_address_leads_on_at_any_depth(browser: Any, host: tuple[str, str], lost: str) -> None:
    base, below = host
    visit = Visit(browser, base)
    page = visit.open(below + lost)
    chinese = lost.startswith("zh/")
    shown = page.locator(".gl-lost:visible")
    assert shown.count() == 1
    assert lost in shown.inner_text()
    assert ("找不到页面" if chinese else "Page not found") in shown.inner_text()
    page.wait_for_function("getComputedStyle(document.querySelector('.gl-footer ul')).display === 'flex'")
    assert shown.locator("li a").count() == len(TABS["en"])
    assert page.locator(".gl-footer a[href='/None']").count() == 0
    shown.locator("input").fill("RTX 3090")
    shown.locator("button").click()
    page.wait_for_url(f"{base}{below}{'zh/' if chinese else ''}index.html?q=RTX+3090")
    page.wait_for_selector(".md-search-result__link")
    visit.close()


def test_the_page_for_wrong_addresses_is_accessible(browser: Any, site: Path) -> None:
    server = serve(site, Host)
    for width in (DESKTOP, PHONE):
        visit = Visit(browser, f"http://127.0.0.1:{server.server_port}/", width)
        assert axe.violations(visit.open("a/b.html")) == []
        visit.close()
    server.shutdown()


def test_the_theme_works_though_its_script_follows_the_page(visit: Visit) -> None:
    visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = visit.open("run-it.html")
    code = page.locator(".highlight").first
    code.locator("[data-md-type='copy']").click()
    assert page.evaluate("navigator.clipboard.readText()").strip() == code.locator("code").inner_text().strip()
    page.locator("label[for^='__palette']:visible").click()
    page.wait_for_function("() => document.body.dataset.mdColorScheme === 'slate'")
    assert visit.faults == []


def test_a_first_visit_is_dark_where_the_system_is_before_the_theme_s_script_arrives(visit: Visit, url: str) -> None:
    visit.show_as(dark=True)
    visit.page.route("**/bundle.*.js", lambda route: route.abort())
    visit.page.goto(f"{url}index.html")
    assert visit.page.get_attribute("body", "data-md-color-scheme") == "slate"
    assert visit.page.is_visible(".md-search__input")


def test_words_typed_before_the_theme_s_script_arrives_are_searched(visit: Visit, url: str) -> None:
    held: list[Any] = []
    visit.page.route("**/bundle.*.js", lambda route: held.extend([route]))
    with visit.page.expect_request("**/bundle.*.js"):
        visit.page.goto(f"{url}index.html")
    visit.page.fill(".md-search__input", "H100")
    held[0].continue_()
    visit.page.wait_for_selector(".md-search-result__link")
    assert visit.faults == []


@pytest.mark.parametrize("path", [PAGES["history"], PAGES["prices"], PAGES["value"], PAGES["gpus"]])
def test_print_has_no_navigation_and_cuts_no_table(visit: Visit, path: str) -> None:
    visit.show_as(703)  # A4 within margins of 12 mm
    page = visit.open(path)
    page.emulate_media(media="print")
    hidden = ".md-header, .md-tabs, .gl-section, .gl-old, .md-sidebar, .gl-tools"
    assert not any(one.is_visible() for one in page.query_selector_all(hidden))
    cut = "all => all.filter(one => one.checkVisibility() && getComputedStyle(one).overflowY !== 'visible').length"
    assert page.eval_on_selector_all(".gl-scroll", cut) == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_two_clicks_lead_to_a_citation_with_address_version_and_date(
    visit: Visit, url: str, newest_price: dt.date, language: str
) -> None:
    page = visit.open(LANGUAGES[language] + "index.html")
    page.click(".gl-footer a[href$='#cite']")
    page.wait_for_url("**/data/index.html#cite")
    version = f"{newest_price.year}.{newest_price.month}.{newest_price.day}"
    for text in (page.inner_text(".gl-cite p:first-child"), page.inner_text(".gl-cite pre")):
        assert url in text
        assert version in text
        assert newest_price.isoformat() in text
    assert f"url = {{{url}}}" in page.inner_text(".gl-cite pre")
    assert visit.faults == []
