"""The page of a GPU on paper: at most four pages of A4, with the verdict and the prices."""

import re
from typing import Any

import pytest

from tests.browser.visit import Visit

MOST_PAGES = 4
GPUS = ("nvidia-h100-sxm5-80gb", "nvidia-geforce-rtx-4090-24gb", "amd-instinct-mi300x-192gb")


@pytest.mark.parametrize("gpu_id", GPUS)
def test_a_gpu_fits_on_four_printed_pages(visit: Visit, gpu_id: str) -> None:
    page = visit.open(f"gpus/{gpu_id}/index.html")
    assert pages_of(page.pdf(format="A4")) <= MOST_PAGES
    page.emulate_media(media="print")
    assert page.is_visible("#verdict")
    assert page.is_visible("#offer-table tbody tr")
    assert page.is_visible("#spec-table tbody tr")
    heights = page.eval_on_selector_all(".gl-chart", "charts => charts.map(chart => getComputedStyle(chart).minHeight)")
    assert set(heights) == {"0px"}, "a chart keeps no space for its live height on paper"
    assert visit.faults == []


def pages_of(document: Any) -> int:
    """Return the number of pages of a PDF, whose page objects Chromium writes without compression."""
    return len(re.findall(rb"/Type\s*/Page\b", document))
