"""The chart of rental prices in a real browser: choices, range, address, table, downloads, query, names and hover."""

import csv
import io
import itertools
from typing import Any

import duckdb

from tests.browser import axe
from tests.browser.test_charts import ROWS, saved
from tests.browser.visit import Visit

CHART = "market-prices"
PAGE = "prices/index.html"
POINTS = "chart => chart.querySelectorAll('.gl-live svg .mark-symbol path').length"
LINES = """chart => [...chart.querySelectorAll('.gl-live svg .mark-line path')].map(one => one.getBoundingClientRect())
    .map(({ top, bottom }) => [top, bottom])"""
AXES = "chart => [...chart.querySelectorAll('.gl-live svg .role-axis-title text')].map(one => one.textContent)"
OFFERS_AXIS = """chart => [...[...chart.querySelectorAll('.gl-live svg .role-axis')].find(one =>
    one.querySelector('.role-axis-title')?.textContent === 'Offers' && one.querySelector('.role-axis-label text'))
    .querySelectorAll('.role-axis-label text')].map(one => one.textContent)"""
LABELS = "chart => [...chart.querySelectorAll('.gl-live svg .mark-text.role-mark text')].map(one => one.textContent)"


def drawn(page: Any) -> Any:
    """The chart, once it is drawn."""
    chart = page.query_selector(f"#{CHART}")
    chart.scroll_into_view_if_needed()
    page.wait_for_selector(f"#{CHART} .gl-live svg .role-mark", state="attached")
    return chart


def table(page: Any) -> list[list[str]]:
    page.click(f"#{CHART}-table-tab")
    page.wait_for_selector(f"#{CHART}-table-panel tbody tr", state="attached")
    rows: list[list[str]] = page.eval_on_selector_all(f"#{CHART}-table-panel tbody tr", ROWS)
    page.click(f"#{CHART}-chart-tab")
    return rows


def test_a_range_changes_the_points_the_rows_and_the_address(visit: Visit) -> None:
    page = visit.open(PAGE)
    chart = drawn(page)
    points, rows = chart.evaluate(POINTS), len(table(page))
    assert points == rows > 100
    page.focus(f"#{CHART} [name=range]:checked")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(f"([chart, before]) => ({POINTS})(chart) < before", arg=[chart, points])
    assert chart.evaluate(POINTS) == len(table(page)) < rows
    assert f"{CHART}.range=1" in page.url
    page.click(f"#{CHART} .gl-range label:has([value=all])")
    page.wait_for_function(f"([chart, before]) => ({POINTS})(chart) > before", arg=[chart, points])
    assert visit.faults == []


def test_each_price_line_has_its_number_of_offers_below(visit: Visit) -> None:
    chart = drawn(visit.open(PAGE))
    lines = chart.evaluate(LINES)
    prices, offers = lines[: len(lines) // 2], lines[len(lines) // 2 :]
    assert len(prices) == len(offers) > 0
    assert max(bottom for _, bottom in prices) < min(top for top, _ in offers)
    assert chart.evaluate(AXES) == ["USD per GPU and hour", "Offers"]
    labels = chart.evaluate(OFFERS_AXIS)
    assert labels[0] == "0"
    assert any(int(label) > 0 for label in labels if label)


def test_a_choice_by_keyboard_shows_in_chart_table_and_address(visit: Visit) -> None:
    page = visit.open(PAGE)
    chart = drawn(page)
    page.focus(f"#{CHART} .gl-boxes:has([name=gpu]) summary")
    page.keyboard.press("Enter")
    page.focus(f"#{CHART} [name=gpu][value=nvidia-l40s]")
    page.keyboard.press("Space")
    page.wait_for_function(f"chart => ({LABELS})(chart).includes('L40S')", arg=chart)
    assert {row[0] for row in table(page)} == set(chart.evaluate(LABELS))
    assert "nvidia-l40s" in page.url
    assert axe.violations(page) == []
    assert visit.faults == []


def test_a_link_reproduces_the_view_and_its_csv_has_the_rows_seen(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    page = visit.open(f"{PAGE}?{CHART}.gpu=nvidia-h100&{CHART}.line=cheapest,lambda,coreweave&{CHART}.range=3&{CHART}.tab=table")
    page.wait_for_selector(f"#{CHART}-table-panel tbody tr")
    shown = table(page)
    assert {row[0] for row in shown} == {"H100"}
    assert {row[3] for row in shown} == {"Cheapest offer", "Lambda", "CoreWeave"}
    page.click(f"#{CHART}-download-tab")
    rows = [list(row.values()) for row in csv.DictReader(io.StringIO(saved(page, f"#{CHART} [data-save=csv]").decode()))]
    assert rows == shown
    page.click(f"#{CHART}-sql-tab")
    found = con.execute(page.inner_text(f"#{CHART}-sql-panel code")).fetchall()
    assert sorted(f"{row[1]} {row[4]:.4f}" for row in found) == sorted(f"{row[1]} {float(row[4]):.4f}" for row in shown)
    page.click(f"#{CHART}-embed-tab")
    code = page.input_value(f"#{CHART}-embed-panel textarea")
    page.goto(code.split('src="')[1].split('"')[0].replace("&amp;", "&"))
    drawn(page)
    assert table(page) == shown
    assert visit.faults == []


def test_an_address_with_unknown_choices_says_so(visit: Visit) -> None:
    page = visit.open(f"{PAGE}?{CHART}.gpu=nvidia-h100,no-such-gpu&{CHART}.range=7")
    drawn(page)
    assert "no-such-gpu" in page.inner_text(f"#{CHART} .gl-ignored")
    assert {row[0] for row in table(page)} == {"H100"}
    assert visit.faults == []


def test_names_of_lines_do_not_overlap(visit: Visit) -> None:
    page = visit.open(f"{PAGE}?{CHART}.line=cheapest,median,lambda,coreweave,gcp&{CHART}.billing=on_demand,spot")
    chart = drawn(page)
    boxes = chart.evaluate("""chart => [...chart.querySelectorAll('.gl-live svg .mark-text.role-mark text')]
        .map(one => one.getBoundingClientRect()).map(one => [one.top, one.bottom])""")
    assert len(boxes) > 12
    assert all(after[0] >= before[1] - 3 for before, after in itertools.pairwise(sorted(boxes)))
    assert len(set(chart.evaluate(LABELS))) == len(boxes)


def test_the_nearest_point_has_a_tooltip_anywhere_in_the_plot(visit: Visit) -> None:
    page = visit.open(PAGE)
    box = drawn(page).query_selector(".gl-live svg").bounding_box()
    for part in (0.3, 0.5, 0.7):
        page.mouse.move(box["x"] + part * box["width"], box["y"] + part * box["height"], steps=9)
        page.mouse.move(box["x"] + part * box["width"] + 1, box["y"] + part * box["height"])  # the first move draws the point
        page.wait_for_selector("#vg-tooltip-element.visible")
        assert "USD per GPU and hour" in page.inner_text("#vg-tooltip-element")
        assert "undefined" not in page.inner_text("#vg-tooltip-element")


def test_no_label_of_an_axis_is_repeated(visit: Visit) -> None:
    page = visit.open("gpus/nvidia-geforce-rtx-3090-24gb/index.html")
    visit.charts()
    labels = page.eval_on_selector_all(".gl-live svg .role-axis-label text", "texts => texts.map(one => one.textContent)")
    labels = [label for label in labels if label]
    assert len(labels) == len(set(labels)) > 4


def test_prices_that_do_not_load_leave_picture_error_and_table(visit: Visit) -> None:
    visit.page.route("**/assets/prices/*.js", lambda route: route.abort())
    page = visit.open(PAGE)
    page.query_selector(f"#{CHART}").scroll_into_view_if_needed()
    page.wait_for_selector(f"#{CHART} .gl-failed:not([hidden])")
    assert ".js did not load" in page.inner_text(f"#{CHART} .gl-failed")
    assert page.is_visible(f"#{CHART} .gl-static.gl-light")
    assert saved(page, f"#{CHART} .gl-failed a").startswith(b"gpu,date,billing")
    assert axe.violations(page) == []
