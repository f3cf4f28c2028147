"""Accessibility of every page by axe-core, with its charts drawn: in both colour schemes and widths where most readers come."""

from typing import Any

import pytest

from tests.browser import axe
from tests.browser.test_site import PAGES
from tests.browser.visit import Visit

MOST_READ = ("home", "gpus", "offers", "gpu", "sql", "value", "speedups", "break-even")


def assert_accessible(browser: Any, url: str, name: str, *, width: int, dark: bool) -> None:
    opened = Visit(browser, url, width, dark)
    page = opened.open(PAGES[name])
    opened.charts()
    assert axe.violations(page) == []
    opened.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_narrow_dark_page_is_accessible(browser: Any, url: str, name: str) -> None:
    assert_accessible(browser, url, name, width=360, dark=True)


@pytest.mark.parametrize("name", MOST_READ)
def test_a_wide_light_page_is_accessible(browser: Any, url: str, name: str) -> None:
    assert_accessible(browser, url, name, width=1280, dark=False)
