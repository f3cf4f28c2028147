"""The data page in a browser: its commands name addresses that a host serves, or the downloaded file where there is no host."""

from pathlib import Path
from typing import Any

import pytest

from tests.browser import axe
from tests.browser.visit import Visit

COMMANDS = "nodes => nodes.map(node => node.textContent)"


def test_commands_name_the_address_of_the_file(visit: Visit, url: str) -> None:
    page = visit.open("data/index.html#t-price")
    page.wait_for_selector("#t-price .gl-use")
    commands = page.eval_on_selector_all("#t-price .gl-use code", COMMANDS)
    address = f"{url}data/parquet/price.parquet"
    assert commands == [
        f'polars.read_parquet("{address}")',
        f"duckdb -c \"FROM '{address}'\"",
        f'price <- arrow::read_parquet("{address}")',
    ]
    assert page.request.get(address).body()[:4] == b"PAR1"
    assert visit.faults == []


def test_commands_name_the_downloaded_file_on_disk(browser: Any, release: Path) -> None:
    page = browser.new_page()
    page.goto((release / "site" / "data" / "index.html").as_uri() + "#t-price")
    page.wait_for_selector("#t-price .gl-use")
    commands = page.eval_on_selector_all("#t-price .gl-use code", COMMANDS)
    page.close()
    assert commands[0] == 'polars.read_parquet("price.parquet")'


def test_the_data_page_fits_a_phone(browser: Any, url: str) -> None:
    narrow = Visit(browser, url, width=360)
    page = narrow.open("data/index.html#t-price")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.evaluate("document.getElementById('t-price').open")
    narrow.close()


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_on_the_data_page(browser: Any, url: str, dark: bool) -> None:
    opened = Visit(browser, url, dark=dark)
    assert axe.violations(opened.open("data/index.html#t-price")) == []
    opened.close()
