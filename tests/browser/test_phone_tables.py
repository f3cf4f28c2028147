"""Tables on a phone: a long one is a list that fits the screen, and a price needs no scrolling sideways."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.visit import Visit
from tests.page_kinds import PAGES

PHONE = 390
PHONE_HEIGHT = 844


@pytest.fixture(scope="module")
def phone(browser: Any, url: str) -> Iterator[Visit]:
    visit = Visit(browser, url, PHONE)
    yield visit
    visit.close()


@pytest.mark.parametrize(
    ("kind", "table"),
    [("providers", "provider-table"), ("workload", "time-table"), ("uploaded", "run-table"), ("sources", "source-table")],
)
def test_a_long_table_fits_the_screen(phone: Visit, kind: str, table: str) -> None:
    page = phone.open(PAGES[kind])
    assert page.locator(f"#{table} tbody tr").count() > 20
    assert page.evaluate(
        "id => { const box = document.getElementById(id).parentElement; return box.scrollWidth <= box.clientWidth; }", table
    )


def test_the_price_of_a_gpu_is_beside_its_name(phone: Visit) -> None:
    page = phone.open(PAGES["gpus"])
    box = page.locator("#gpu-table thead th[data-key='rental_usd_per_gpu_hour_min']").bounding_box()
    assert box["x"] + box["width"] <= PHONE


@pytest.mark.parametrize(("kind", "table"), [("gpus", "gpu-table"), ("offers", "offer-table")])
def test_the_first_screen_has_rows_below_the_filters(phone: Visit, kind: str, table: str) -> None:
    page = phone.open(PAGES[kind])
    box = page.locator(f"#{table} tbody tr").first.bounding_box()
    assert box["y"] + box["height"] <= PHONE_HEIGHT
    compare = page.locator("[data-compare]")
    compare.scroll_into_view_if_needed()
    box = compare.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE


@pytest.mark.parametrize(
    ("kind", "table", "key"),
    [
        ("fine-tuning", "tuning-table", "Cost"),
        ("fine-tuning", "model-table", "QLoRA"),
        ("value", "value-table", "Rented"),
        ("value", "task-table", "Cost of 1,000 runs"),
        ("trends", "trend-table", "Doubling time"),
        ("changes", "day-move-table", "Change"),
    ],
)
def test_the_key_figure_is_beside_the_name(phone: Visit, kind: str, table: str, key: str) -> None:
    page = phone.open(PAGES[kind])
    box = page.locator(f"#{table} thead th", has_text=key).first.bounding_box()
    assert box["x"] + box["width"] <= PHONE


def test_the_gpus_of_a_pair_have_a_column_each(phone: Visit) -> None:
    page = phone.open(PAGES["pair"])
    for table in ("comparison-table", "specification-table"):
        first = page.locator(f"#{table} tbody tr").first
        name, one, other = (first.locator(cell).first.bounding_box() for cell in ("th", "td >> nth=0", "td >> nth=1"))
        assert name["y"] == one["y"] == other["y"]
        assert name["x"] < one["x"] < other["x"] < PHONE
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
