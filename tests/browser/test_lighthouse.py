"""Lighthouse's mobile audit of the site served compressed: the marks that do not hang on the machine.

The score of speed does, and is no assertion here: `make lighthouse` prints it beside its goal.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser import lighthouse
from tests.browser.lighthouse import Report
from tests.browser.visit import Packed, serve
from tests.page_kinds import PAGES
from tests.tools import missing

MARKS = ("accessibility", "best-practices", "seo")
# its two audits of links take half of the time; `test_pages` finds the same links on the same pages
AUDITS = {
    "onlyCategories": MARKS,
    "onlyAudits": ("cumulative-layout-shift",),
    "skipAudits": ("crawlable-anchors", "link-text"),
}


@pytest.fixture(scope="module")
def audit(release: Path) -> Iterator[Callable[[str], Report]]:
    """The audit of a page by its path."""
    if problem := lighthouse.obstacle():
        missing(problem)
    server = serve(release, Packed)
    with lighthouse.auditing(**AUDITS) as audit_address:
        yield lambda path: audit_address(f"http://127.0.0.1:{server.server_port}/site/{path}")
    server.shutdown()


@pytest.mark.browser
@pytest.mark.full
@pytest.mark.long
@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_a_page_has_full_marks_and_stands_still(audit: Callable[[str], Report], path: str) -> None:
    report = audit(path)
    assert report.faults() == []
    assert report.scores == dict.fromkeys(MARKS, 100)
    assert report.layout_shift < 0.05


def test_speed_is_printed_beside_its_goals() -> None:
    paint = {"largest-contentful-paint": {"numericValue": 1730.0}}
    report = Report({"categories": {"performance": {"score": 0.95}}, "audits": paint})
    assert lighthouse.speed([report]) == (
        "performance 95 (goal 95, met; at least 90 demanded), largest paint 1.73 s (goal under 1.5 s, missed)"
    )
