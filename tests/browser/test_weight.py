"""What a page weighs: the bytes that a browser fetches for it the first time from a host that compresses."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.test_site import CHARTS, PAGES
from tests.browser.visit import Packed, Visit, serve

LIMIT_BYTES = {"with charts": 450_000, "without": 120_000}
WRITTEN_BY_HAND = {"method": "method/index.html", "benchmarks": "benchmarks.html"}


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


@pytest.mark.parametrize("name", [*PAGES, *WRITTEN_BY_HAND])
@pytest.mark.parametrize("folder", ["", "zh/"])
def test_a_page_is_light(browser: Any, host: str, name: str, folder: str) -> None:
    sizes = fetched_bytes(browser, host, folder + (PAGES | WRITTEN_BY_HAND)[name])
    limit = LIMIT_BYTES["with charts" if CHARTS.get(name) else "without"]
    heaviest = sorted(sizes.items(), key=lambda item: -item[1])[:5]
    assert sum(sizes.values()) <= limit, heaviest
