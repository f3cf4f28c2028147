"""Explanations of terms: shown on hover and focus, closed with Escape, inside a narrow screen, and a link without scripts."""

from typing import Any

import pytest

from tests.browser.axe import violations
from tests.browser.visit import Visit

GPU = "gpus/nvidia-h100-sxm5-80gb/index.html"


def test_a_term_is_explained_on_hover_and_on_focus(visit: Visit) -> None:
    page = visit.open(GPU)
    sign = page.locator(".gl-term[href$='#memory-bandwidth']")
    assert page.locator("#gl-meaning:visible").count() == 0
    sign.hover()
    tip = page.locator("#gl-meaning")
    assert "reads from its own memory" in tip.inner_text()
    assert sign.get_attribute("aria-describedby") == tip.get_attribute("id")
    tip.hover()
    assert tip.is_visible(), "the pointer may rest on the text"
    page.keyboard.press("Escape")
    assert tip.is_hidden()
    sign.focus()
    assert tip.is_visible()
    page.keyboard.press("Tab")
    assert tip.is_hidden() or "reads from its own memory" not in tip.inner_text()
    sign.click()
    page.wait_for_url("**/glossary/index.html#memory-bandwidth")
    assert visit.faults == []


@pytest.mark.parametrize(
    "name", [GPU, *(pytest.param(f"{name}index.html", marks=pytest.mark.full) for name in ("", "value/", "changes/"))]
)
def test_what_is_told_stays_on_a_narrow_screen(visit: Visit, name: str) -> None:
    page = visit.open(name)
    page.set_viewport_size({"width": 360, "height": 740})
    for sign in page.locator(".gl-term").all()[:12]:
        if not sign.is_visible():
            continue
        sign.focus()
        box: Any = page.locator("#gl-meaning").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


@pytest.mark.parametrize(
    "name",
    [
        GPU,
        *(pytest.param(f"{name}/index.html", marks=pytest.mark.full) for name in ("glossary", "changes", "providers/spheron")),
    ],
)
def test_signs_and_pages_have_no_fault_of_accessibility(visit: Visit, name: str) -> None:
    page = visit.open(name)
    if page.locator(".gl-term").count():
        page.locator(".gl-term").first.focus()
    assert violations(page) == []
