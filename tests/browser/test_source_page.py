"""The page of a source in a browser: the row that an address names, shown from the published copy."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.browser.axe import violations
from tests.browser.visit import Visit, serve
from tests.page_kinds import LANGUAGES

H100 = "gpus/nvidia-h100-sxm5-80gb/index.html"
FOUND = "#stored-row mark"


def first_source_link(page: Any) -> Any:
    return page.locator("#offer-table tbody tr").first.locator('a[href*="/sources/"][href*="file="]')


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", [1280, 390])
def test_a_price_leads_to_its_line_and_the_line_to_the_bytes(visit: Visit, language: str, width: int) -> None:
    visit.show_as(width)
    page = visit.open(LANGUAGES[language] + H100)
    price = page.locator("#offer-table tbody tr td[data-v]").first.get_attribute("data-v")
    first_source_link(page).click()
    line = page.locator(FOUND).first.inner_text()
    assert price in line
    facts = page.locator("#stored-row .gl-stored-facts").inner_text()
    assert any(len(word) == 64 for word in facts.split())
    address = page.locator('#stored-row a[href*="/data/snapshots/"]').first.get_attribute("href")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    answer = page.request.get(page.evaluate("(path) => new URL(path, location).href", address))
    assert answer.headers["content-type"].startswith("text/plain")
    assert line in answer.text()
    assert visit.faults == []


def test_a_seller_page_that_the_row_names_is_a_link(visit: Visit) -> None:
    page = visit.open(H100)
    row = page.locator("#offer-table tbody tr", has=page.locator('a[href*="sources/gpurentalprices/"]')).first
    row.locator('a[href*="sources/gpurentalprices/"]').click()
    seller = page.locator("#stored-row [data-fields] a")
    assert seller.first.get_attribute("href").startswith("https://")
    assert "nofollow" in seller.first.get_attribute("rel")


def test_a_specification_value_leads_to_its_line(visit: Visit) -> None:
    page = visit.open(H100)
    link = page.locator('#specification ~ * a[href*="sources/spec-evidence/"]').first
    link.click()
    assert "nvidia-h100-sxm5-80gb" in page.locator(FOUND).first.inner_text()
    assert visit.faults == []


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("file=000000000000&row=line+2", "No stored file"),
        ("file=%3Cimg+src%3Dx+onerror%3Dwindow.hit%3D1%3E&row=line+2", "No stored file"),
        ("file={file}&row=line+99999999", "this row is not in the file"),
        ("file={file}&row=%3Cimg+src%3Dx+onerror%3Dwindow.hit%3D1%3E", "could not be shown"),
        ("file={file}", "could not be shown"),
    ],
)
def test_a_wrong_address_is_told(visit: Visit, query: str, told: str) -> None:
    page = visit.open("sources/gpurentalprices/index.html")
    file = page.locator("#file-table tbody tr").first.get_attribute("id").removeprefix("file-")
    page = visit.open(f"sources/gpurentalprices/index.html?{query.format(file=file)}")
    page.wait_for_function("(text) => document.getElementById('stored-row').textContent.includes(text)", arg=told)
    assert page.evaluate("window.hit") is None
    assert visit.faults == []


HOSTILE = '<script>window.hit=1</script>,"<img src=x onerror=window.hit=1>",javascript:window.hit=1,https://x.example/"onclick=1'


def test_hostile_bytes_are_text(browser: Any, release: Path, tmp_path: Path) -> None:
    """The stored file of a source carries markup in its header and in the row: nothing of it runs."""
    site = tmp_path / "site"
    page_path = Path("sources/gpurentalprices/index.html")
    shutil.copytree(release / "site" / "assets", site / "assets")
    shutil.copytree((release / "site" / page_path).parent, (site / page_path).parent)
    text = (site / page_path).read_text()
    snapshot = text.split("data/snapshots/", 1)[1][:64]
    (site / "data" / "snapshots").mkdir(parents=True)
    (site / "data" / "snapshots" / f"{snapshot}.txt").write_text(f"a,{HOSTILE}\nb,{HOSTILE}\n")
    server = serve(site)
    visit = Visit(browser, f"http://127.0.0.1:{server.server_port}/")
    page = visit.open(f"{page_path}?file={snapshot[:12]}&row=line+2")
    assert HOSTILE in page.locator(FOUND).first.inner_text()
    assert page.locator("#stored-row :is([data-found], [data-fields]) :is(img, script, a)").count() == 0
    assert page.evaluate("window.hit") is None
    opened = visit.open(f"data/snapshots/{snapshot}.txt")
    assert opened.evaluate("document.contentType") == "text/plain"
    assert opened.evaluate("window.hit") is None
    visit.close()
    server.shutdown()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("dark", [False, True])
def test_the_row_is_accessible(visit: Visit, language: str, dark: bool) -> None:
    visit.show_as(390 if dark else 1280, dark)
    page = visit.open(LANGUAGES[language] + H100)
    first_source_link(page).click()
    page.wait_for_selector(FOUND)
    assert violations(page) == []
