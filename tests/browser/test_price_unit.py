"""The unit of rental prices in the tables with filters: hour, month or year."""

from typing import Any

import pytest

from tests.browser.test_explorer import GPUS, OFFERS, exported, filters
from tests.browser.visit import Visit

SHOWN = """([table, key]) => {
    const at = [...table.tHead.rows[0].cells].findIndex(head => head.dataset.key === key);
    return [...table.tBodies[0].rows].map(row => row.cells[at].textContent.trim()).filter(Boolean);
}"""
BOX = """(() => {
    const { x, y, width, height } = document.querySelector(".gl-explore").getBoundingClientRect();
    return [x, y + scrollY, width, height];
})()"""


def shown_prices(page: Any, table: str, key: str) -> list[float]:
    """The prices that the cells of a column show."""
    texts: list[str] = page.evaluate(SHOWN, [page.query_selector(table), key])
    return [float(text.lstrip("$").replace(",", "")) for text in texts]


@pytest.mark.parametrize(
    ("path", "table", "key"), [(OFFERS, "#offer-table", "usd_per_gpu_hour"), (GPUS, "#gpu-table", "rental_usd_per_gpu_hour_min")]
)
def test_rent_is_shown_per_hour_month_or_year(visit: Visit, browser: Any, url: str, path: str, table: str, key: str) -> None:
    page = visit.open(path)
    page.wait_for_selector(f"{table} tbody tr[data-id]")
    before, box = shown_prices(page, table, key), page.evaluate(BOX)
    page.focus("[data-per]")
    page.keyboard.press("ArrowDown")
    assert "per=month" in page.url
    assert page.inner_text(f"{table} th[data-key={key}] .u") == "USD/(GPU·mo)"
    monthly = shown_prices(page, table, key)
    assert monthly == [pytest.approx(price * 730, rel=0.006) for price in before]
    assert page.evaluate(BOX) == box  # what is around the table does not move
    filters(page, key, f"<={monthly[0]:.0f}")
    assert 0 < max(shown_prices(page, table, key)) <= monthly[0]
    page.keyboard.press("Tab")
    page.fill(f".gl-filters input[name={key}]", "")
    exact = [float(row[key]) for row in exported(page) if row[key]]
    assert exact[:5] == [pytest.approx(price, rel=0.006) for price in before[:5]]  # the file keeps the unit of its column name
    other = Visit(browser, url)
    other.page.goto(page.url)
    other.page.wait_for_selector(f"{table} tbody tr[data-id]")
    assert shown_prices(other.page, table, key) == monthly
    other.page.select_option("[data-per]", "year")
    assert shown_prices(other.page, table, key) == [pytest.approx(price * 8760, rel=0.006) for price in before]
    other.page.select_option("[data-per]", "hour")
    assert shown_prices(other.page, table, key) == before
    assert "per=" not in other.page.url
    assert visit.faults == other.faults == []
    other.close()


def test_an_unknown_unit_in_the_address_is_told(visit: Visit) -> None:
    page = visit.open(f"{GPUS}?per=decade")
    assert "per=decade" in page.inner_text(".gl-ignored")
    assert page.input_value("[data-per]") == "hour"
