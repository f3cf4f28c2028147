"""The fact-check and the guides on a phone: short, with every detail one tap, one address or one print away."""

import pytest

from tests.browser.visit import Visit

GUIDES = ("autodl-2022", "dettmers-2020", "paperspace-2022", "pro-vs-consumer-2023", "wechat-2022")
PAGES = ("audit/index.html", "guides/index.html", *(f"guides/{guide}/index.html" for guide in GUIDES))
LARGEST_PX = 12_000
HEIGHT = "document.documentElement.scrollHeight"
SHOWN = "id => document.getElementById(id).checkVisibility()"


@pytest.fixture(scope="module")
def phone(browser, url):
    visit = Visit(browser, url, 390)
    yield visit
    visit.close()


@pytest.mark.parametrize("language", ["", "zh/"])
@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_short_on_a_phone(phone: Visit, path: str, language: str) -> None:
    page = phone.open(language + path)
    folded = page.evaluate("document.querySelectorAll('details.gl-data:not([open])').length")
    assert (folded > 0, page.evaluate(HEIGHT) <= LARGEST_PX) == (True, True), page.evaluate(HEIGHT)


@pytest.mark.parametrize(
    ("path", "table"), [("prices/index.html", "market-table"), ("gpus/nvidia-h100-sxm5-80gb/index.html", "offer-table")]
)
def test_a_long_table_of_prices_ends_with_the_number_of_the_other_rows(phone: Visit, path: str, table: str) -> None:
    page = phone.open(path)
    rows = f"[...document.querySelectorAll('#{table} tbody tr')]"
    assert page.evaluate(HEIGHT) <= LARGEST_PX
    assert page.evaluate(f"{rows}.filter(row => row.checkVisibility()).length") == 10
    box = page.locator(f".gl-scroll:has(> #{table})")
    assert box.evaluate("box => box.scrollHeight <= box.clientHeight + 1")  # no row is below the edge of a box
    count = page.evaluate(f"{rows}.length")
    more = page.locator(f".gl-scroll:has(> #{table}) + .gl-rest > summary")
    assert more.inner_text().startswith(f"{count - 10} more ")
    more.click()
    assert page.evaluate(f"{rows}.filter(row => row.checkVisibility()).length") == count
    assert phone.faults == []


@pytest.mark.parametrize(
    ("address", "table"),
    [
        ("#statements", "claim-table"),
        ("#figures", "audit-table"),
        ("#forecasts", "forecast-table"),
        ("?guide=autodl-2022", "audit-table"),
    ],
)
def test_an_address_opens_what_it_names(phone: Visit, address: str, table: str) -> None:
    page = phone.open("audit/index.html")
    assert page.evaluate(SHOWN, table) is False
    page.goto("about:blank")
    page = phone.open(f"audit/index.html{address}")
    page.wait_for_function(SHOWN, arg=table)
    assert page.locator(f"#{table} tbody tr").count() > 5


def test_nothing_is_lost_by_folding(phone: Visit) -> None:
    """Every statement and every figure is in the page, and print shows it."""
    page = phone.open("audit/index.html")
    assert page.locator("#claim-table tbody tr").count() > 140
    assert page.locator("#audit-table tbody tr").count() > 300
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")  # as a browser sends before it prints
    page.wait_for_function(SHOWN, arg="claim-table")
    page.wait_for_function(SHOWN, arg="audit-table")
    page.emulate_media(media="screen")
