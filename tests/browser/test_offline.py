"""The downloadable edition, unpacked and opened from disk: charts, tables and search work, and no request leaves the folder."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.website import offline
from tests.browser.visit import Visit
from tests.page_kinds import CHARTS, PAGES, type_query
from tests.tools import missing


@pytest.fixture(scope="module")
def archive(release: Path) -> Path:
    path = release / "site" / "data" / offline.NAME
    if not path.exists():
        missing("the site has no edition for reading from disk: run `make site`")
    return path


@pytest.fixture(scope="module")
def unpacked(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    zipfile.ZipFile(archive).extractall(folder)
    return folder / "gpuledger-site"


@pytest.fixture
def disk(browser: Any, unpacked: Path) -> Iterator[Visit]:
    opened = Visit(browser, f"{unpacked.as_uri()}/")
    yield opened
    assert opened.faults == []
    opened.close()


@pytest.mark.parametrize("name", ["home", "gpu", *(pytest.param(name, marks=pytest.mark.full) for name in ("value", "audit"))])
def test_charts_are_drawn(disk: Visit, name: str) -> None:
    disk.open(PAGES[name])
    charts = disk.charts()
    assert len(charts) == CHARTS[name]
    assert all(chart.bounding_box()["width"] > 300 for chart in charts)


def test_tables_filter_and_sort(disk: Visit) -> None:
    page = disk.open("gpus/index.html")
    rows = "() => [...document.querySelectorAll('#gpu-table tbody tr th')].map(head => head.innerText)"
    before = page.evaluate(rows)
    page.click("#gpu-table thead button >> nth=0")
    ordered = page.evaluate(rows)
    assert sorted(ordered, key=str.lower) != before
    assert ordered != before
    page.fill("input[name=find]", "H100")
    kept = page.evaluate(rows)
    assert kept
    assert all("H100" in name for name in kept)


def test_offers_are_listed(disk: Visit) -> None:
    page = disk.open("offers/index.html")
    page.wait_for_selector("table tbody tr:nth-child(20)")


def test_search_finds_a_gpu_and_leads_to_it(disk: Visit) -> None:
    page = disk.open("index.html")
    type_query(page, "RTX 3090")
    page.click(".md-search-result__link >> nth=0")
    page.wait_for_url("**/gpus/nvidia-geforce-rtx-3090-24gb/index.html?*")


def test_the_home_page_answers(disk: Visit) -> None:
    page = disk.open("index.html")
    page.select_option("#llm [name=model]", "llama-3.3-70b")
    page.wait_for_function("() => document.getElementById('llm-memory').textContent.startsWith('42.5 GB')")  # as Q4_K_M
    page.select_option("#run select", "image")
    answer = page.inner_text("#answers")
    page.select_option("select[name=workload]", "yolor_inference")
    page.wait_for_function("before => document.querySelector('#answers').innerText !== before", arg=answer)


def test_the_sql_page_says_what_it_needs(disk: Visit) -> None:
    page = disk.open("sql/index.html")
    assert "python -m http.server" in page.inner_text("[data-obstacle=disk]")
    assert page.is_disabled(".sq-run")


def test_it_holds_what_its_pages_link_to_but_not_itself(unpacked: Path, release: Path) -> None:
    names = {path.relative_to(unpacked) for path in unpacked.rglob("*") if path.is_file()}
    own = {path.relative_to(release / "site") for path in (release / "site").rglob("*") if path.is_file()}
    left_out = {str(path) for path in own - names if path.parts[:2] not in offline.FOR_HOSTS}
    assert left_out == {f"data/{offline.NAME}", "SHA256SUMS"}
    shim = {"assets/vendor/iframe-worker.js", "assets/vendor/iframe-worker-licence.txt"}
    assert {str(name) for name in names - own} == {"search/search_index.js", "zh/search/search_index.js", *shim}
    assert offline.NAME not in (unpacked / "data" / "index.html").read_text()


def test_it_holds_each_page_once_and_as_it_is_served(archive: Path, release: Path) -> None:
    with zipfile.ZipFile(archive) as packed:
        names = [Path(name).relative_to(archive.stem) for name in packed.namelist()]
        assert len(names) == len(set(names))
        pages = [name for name in names if name.suffix == ".html" and name.parts[-2:] != ("data", "index.html")]
        assert len(pages) > 400
        for page in pages:
            served = (release / "site" / page).read_text(encoding="utf-8")
            text = packed.read(f"{archive.stem}/{page}").decode()
            assert re.sub(r'<script src="[./]*assets/vendor/iframe-worker\.js"></script>', "", text) == served, page


def test_the_data_page_offers_it_and_the_served_site_goes_without_its_script(visit: Visit, archive: Path) -> None:
    page = visit.open("data/index.html")
    row = page.locator(f"tr:has(a[href='{offline.NAME}'])").inner_text()
    assert f"{archive.stat().st_size / 1e6:.1f} MB" in row
    assert page.locator("script[src*=iframe-worker]").count() == 0
    assert visit.faults == []
