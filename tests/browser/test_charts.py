"""The chart component in a real browser: tabs, address, downloads, a failure, and a chart on another site."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import axe
from tests.browser.visit import Visit, serve
from tests.page_kinds import PAGES

CHART = "value-of-renting"
DRAWN = f"#{CHART} .gl-live svg .role-mark"
SELECTED = f"document.querySelector('#{CHART} [role=tab][aria-selected=true]').dataset.view"
VISIBLE = f"[...document.querySelectorAll('#{CHART} .gl-panel')].filter(one => one.checkVisibility()).map(one => one.id)"
HEIGHTS = "charts => charts.filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect().height)"
LEGEND_LINE_PX = 40  # a legend may take another line on a narrow screen than in the picture
ROWS = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
FRAME = (
    '<!DOCTYPE html><html lang="en"><title>Another site</title><link rel="icon" href="data:,">'
    '<iframe title="chart" width="700" height="700" {more} src="{url}"></iframe>'
)


def saved(page: Any, selector: str) -> bytes:
    """The file that a click on a download saves."""
    with page.expect_download() as download:
        page.click(selector)
    return Path(download.value.path()).read_bytes()


def test_tabs_are_opened_with_the_arrow_keys_and_kept_in_the_address(visit: Visit) -> None:
    page = visit.open(PAGES["value"])
    page.focus(f"#{CHART} [role=tab] >> nth=0")
    order = []
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "End", "Home", "ArrowLeft"):
        page.keyboard.press(key)
        order.append(page.evaluate(SELECTED))
        assert page.evaluate("document.activeElement.dataset.view") == order[-1]
        assert page.evaluate(VISIBLE) == [f"{CHART}-{order[-1]}-panel"]
    assert order == ["table", "download", "sql", "embed", "chart", "embed", "chart", "embed"]
    assert f"{CHART}.tab=embed" in page.url
    again = visit.open(page.url.removeprefix(visit.base))
    assert again.evaluate(SELECTED) == "embed"
    assert visit.faults == []


def test_every_tab_is_accessible(visit: Visit) -> None:
    page = visit.open(PAGES["value"])
    for tab in ("table", "download", "sql", "embed"):
        page.click(f"#{CHART}-{tab}-tab")
        assert axe.violations(page, f"#{CHART}") == []
    assert visit.faults == []


def test_the_view_can_be_saved_as_table_and_pictures(visit: Visit) -> None:
    page = visit.open(f"{PAGES['value']}?{CHART}.tab=download#{CHART}")
    page.click(f"#{CHART}-chart-tab")
    page.wait_for_selector(DRAWN, state="attached")
    page.click(f"#{CHART}-table-tab")
    shown = page.eval_on_selector_all(f"#{CHART}-table-panel tbody tr", ROWS)
    page.click(f"#{CHART}-download-tab")
    rows = list(csv.DictReader(io.StringIO(saved(page, f"#{CHART} [data-save=csv]").decode())))
    assert [row["gpu"] for row in rows] == [cells[0] for cells in shown]
    assert saved(page, f"#{CHART} [data-save=png]").startswith(b"\x89PNG")
    assert rows[0]["gpu"] in saved(page, f"#{CHART} [data-save=svg]").decode()
    assert visit.faults == []


def test_the_query_of_a_chart_can_be_opened_in_the_sql_page(visit: Visit) -> None:
    page = visit.open(f"{PAGES['value']}?{CHART}.tab=sql")
    query = page.inner_text(f"#{CHART}-sql-panel code")
    page.click(f"#{CHART} [data-ask]")
    page.wait_for_function("query => document.querySelector('#sq-text')?.value.trim() === query.trim()", arg=query)
    assert visit.faults == []


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("kind", ["home", "history", "value"])
def test_the_page_does_not_move_when_its_charts_are_drawn(visit: Visit, kind: str, width: int) -> None:
    visit.show_as(width)
    visit.page.route("**/vega.js*", lambda route: route.abort())
    pictures = visit.open(PAGES[kind]).eval_on_selector_all(".gl-chart", HEIGHTS)
    visit.page.unroute_all()
    page = visit.open(PAGES[kind])
    visit.charts()
    drawn = page.eval_on_selector_all(".gl-chart", HEIGHTS)
    assert pictures, "no chart"
    assert drawn == pytest.approx(pictures, abs=LEGEND_LINE_PX if width == 390 else 10)


def test_the_picture_of_an_embedded_chart_keeps_to_a_narrow_frame(visit: Visit) -> None:
    visit.show_as(390)
    visit.page.route("**/vega.js*", lambda route: route.abort())
    page = visit.open(f"embed/{CHART}.html")
    page.wait_for_selector(".gl-failed:not([hidden])")
    width = page.evaluate(
        "[...document.querySelectorAll('.gl-static')].find(one => one.checkVisibility()).getBoundingClientRect().width"
    )
    assert 0 < width <= 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_chart_that_cannot_be_drawn_shows_its_picture_the_error_and_the_table(visit: Visit) -> None:
    visit.page.route("**/assets/vega.js", lambda route: route.abort())
    page = visit.open(PAGES["value"])
    page.query_selector(f"#{CHART}").scroll_into_view_if_needed()
    page.wait_for_selector(f"#{CHART} .gl-failed:not([hidden])")
    assert "vega.js did not load" in page.inner_text(f"#{CHART} .gl-failed")
    assert page.is_visible(f"#{CHART} .gl-static.gl-light")
    assert b"gpu" in saved(page, f"#{CHART} .gl-failed a")
    assert axe.violations(page, f"#{CHART}") == []
    visit.page.unroute("**/assets/vega.js")
    page.evaluate("document.body.setAttribute('data-md-color-scheme', 'slate')")
    page.wait_for_selector(DRAWN, state="attached")
    assert page.is_hidden(f"#{CHART} .gl-failed")


@pytest.fixture
def another_site(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    server = serve(tmp_path)
    yield tmp_path, f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.mark.parametrize("more", ["", 'sandbox="allow-scripts"'])
def test_another_site_can_embed_a_chart(browser: Any, url: str, another_site: tuple[Path, str], more: str) -> None:
    """In the sandbox every access to cookies and storage throws."""
    folder, base = another_site
    visit = Visit(browser, base)
    (folder / "index.html").write_text(FRAME.format(url=f"{url}embed/{CHART}.html", more=more))
    page = visit.open("index.html")
    frame = page.frames[1]
    frame.wait_for_selector(DRAWN, state="attached")
    frame.click(f"#{CHART}-table-tab")
    assert frame.locator(f"#{CHART}-table-panel tbody tr").count() > 5
    assert page.context.cookies() == []
    if not more:
        assert frame.evaluate("localStorage.length + sessionStorage.length") == 0
    assert [fault for fault in visit.faults if not fault.startswith("left the host: " + url)] == []
    visit.close()


def test_the_code_for_another_page_leads_to_the_same_view(visit: Visit) -> None:
    page = visit.open(f"{PAGES['value']}?{CHART}.tab=embed")
    code = page.input_value(f"#{CHART}-embed-panel textarea")
    assert f'src="{visit.base}embed/{CHART}.html"' in code
    assert 'title="Most training per rental dollar' in code
    page.goto(code.split('src="')[1].split('"')[0])
    page.wait_for_selector(DRAWN, state="attached")
    assert axe.violations(page) == []
    assert visit.faults == []


def test_lines_have_their_names_and_the_nearest_point_its_figures(visit: Visit) -> None:
    page = visit.open(PAGES["break-even"])
    visit.charts()
    names = page.eval_on_selector_all(
        "#break-even .gl-live svg .mark-text.role-mark text", "texts => texts.map(one => one.textContent)"
    )
    lines = page.eval_on_selector_all("#break-even .gl-live svg .mark-line path", "paths => paths.length")
    assert 5 < len(names) < 10 < lines, "a few lines have a name"
    chosen = "GeForce RTX 4070 ($"
    assert not any(name.startswith(chosen) for name in names)
    page.select_option("select[name=card]", "nvidia-geforce-rtx-4070-12gb")
    texts = "[...document.querySelectorAll('#break-even .gl-live svg text')]"
    page.wait_for_function(f"start => {texts}.some(one => one.textContent.startsWith(start))", arg=chosen)
    box = page.query_selector("#break-even .gl-live svg").bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.72 * box["height"], steps=9)
    page.mouse.move(box["x"] + 0.3 * box["width"] + 1, box["y"] + 0.72 * box["height"])
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert "GeForce RTX 3090" in page.inner_text("#vg-tooltip-element")
    assert "undefined" not in page.inner_text("#vg-tooltip-element")
    assert visit.faults == []
