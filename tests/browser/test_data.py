"""The page of a table in a browser: its commands name the address on a host, or the downloaded file where there is no host."""

from pathlib import Path
from typing import Any

import pytest

from tests.browser import axe
from tests.browser.visit import Visit

COMMANDS = "nodes => nodes.map(node => node.textContent)"


def test_commands_name_the_address_of_the_file(visit: Visit, url: str) -> None:
    page = visit.open("dictionary/price/index.html")
    page.wait_for_selector(".gl-use")
    commands = page.eval_on_selector_all(".gl-use code", COMMANDS)
    address = f"{url}data/parquet/price.parquet"
    assert commands == [
        f'polars.read_parquet("{address}")',
        f"duckdb -c \"FROM '{address}'\"",
        f'price <- arrow::read_parquet("{address}")',
    ]
    assert page.request.get(address).body()[:4] == b"PAR1"
    assert visit.faults == []


def test_an_old_address_of_a_table_leads_to_its_page(visit: Visit, url: str) -> None:
    page = visit.open("data/index.html#t-price")
    page.wait_for_url(f"{url}dictionary/price/index.html")


def test_commands_name_the_downloaded_file_on_disk(browser: Any, release: Path) -> None:
    page = browser.new_page()
    page.goto((release / "site" / "dictionary" / "price" / "index.html").as_uri())
    page.wait_for_selector(".gl-use")
    commands = page.eval_on_selector_all(".gl-use code", COMMANDS)
    page.close()
    assert commands[0] == 'polars.read_parquet("price.parquet")'


def test_the_page_of_a_table_fits_a_phone(visit: Visit) -> None:
    visit.show_as(360)
    page = visit.open("dictionary/price/index.html")
    assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_on_the_page_of_a_table(visit: Visit, dark: bool) -> None:
    visit.show_as(dark=dark)
    assert axe.violations(visit.open("dictionary/price/index.html")) == []
