"""The browser, and the built site as a host shows it."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.visit import Clicks, Visit, serve
from tests.tools import missing

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the first draws pages in half the time
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        missing("no Chromium: install it with `apt-get install chromium-headless-shell`")
    sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install -e .[test]")
    with sync_api.sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())


@pytest.fixture(scope="module")
def url(release: Path) -> Iterator[str]:
    server = serve(release)  # the site lies below the root here, as it may on a real host
    yield f"http://127.0.0.1:{server.server_port}/site/"
    server.shutdown()


@pytest.fixture(scope="module")
def tab_of_file(browser: Any, url: str) -> Iterator[Visit]:
    opened = Visit(browser, url)
    yield opened
    opened.close()


@pytest.fixture
def visit(tab_of_file: Visit) -> Iterator[Visit]:
    """The tab of all tests of a file, since to open one takes as long as to open a page; each test finds it as if new."""
    yield tab_of_file
    tab_of_file.renew()


@pytest.fixture(params=[1280, 390], ids=["desktop", "phone"])
def clicks(visit: Visit, request: pytest.FixtureRequest) -> Iterator[Clicks]:
    visit.show_as(request.param)
    yield Clicks(visit)
    assert visit.faults == []
