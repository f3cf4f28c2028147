"""Bytes that a browser fetches for a page from a host that compresses; `build/pages/test_weight` counts the same without one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.visit import Packed, Visit, serve
from tests.build.pages.test_weight import weight
from tests.page_kinds import LANGUAGES, PAGES, WRITTEN_BY_HAND


@pytest.fixture(scope="module")
def host(release: Path) -> Iterator[str]:
    server = serve(release, Packed)
    yield f"http://127.0.0.1:{server.server_port}/site/"
    server.shutdown()


def fetched_bytes(browser: Any, base: str, path: str) -> dict[str, int]:
    """Compressed bytes of the body of each answer, by address, once every chart was scrolled to and drawn."""
    visit = Visit(browser, base)
    finished: list[Any] = []
    visit.page.on("requestfinished", lambda request: finished.extend([request]))
    visit.open(path)
    visit.charts()
    visit.page.wait_for_load_state("networkidle")
    sizes = {request.url.removeprefix(base): request.sizes()["responseBodySize"] for request in finished}
    visit.close()
    return sizes


FIRST = [("home", "en"), ("offers", "zh"), ("glossary", "en")]
OTHERS = [(name, "en") for name in [*PAGES, *WRITTEN_BY_HAND] if (name, "en") not in FIRST]


@pytest.mark.parametrize(("name", "language"), [*FIRST, *(pytest.param(*case, marks=pytest.mark.full) for case in OTHERS)])
def test_a_browser_fetches_what_the_page_weighs(browser: Any, host: str, release: Path, name: str, language: str) -> None:
    folder = LANGUAGES[language]
    fetched = fetched_bytes(browser, host, folder + (PAGES | WRITTEN_BY_HAND)[name])
    files = weight(release / "site", name, folder)
    assert without_icon(fetched) == without_icon({str(path): size for path, size in files.items()}), fetched


def without_icon(sizes: dict[str, int]) -> int:
    """Sum of the sizes; a browser without a window fetches no icon."""
    return sum(size for path, size in sizes.items() if not path.endswith("favicon.svg"))
