"""Pairs of GPUs in a real browser: reached from the home page in few clicks."""

import pytest

from tests.browser.visit import Visit


def follow(visit: Visit, *texts: str) -> int:
    """Click the links with these texts from the home page. Returns the number of clicks."""
    page = visit.open("index.html")
    for text in texts:
        page.get_by_role("link", name=text, exact=True).first.click()
        page.wait_for_load_state()
    return len(texts)


def test_whether_an_a100_is_worth_it_over_a_v100_takes_three_clicks(visit: Visit) -> None:
    assert follow(visit, "GPUs", "Pairs", "V100 vs A100") <= 3
    page = visit.page
    assert "worth its price" in page.inner_text("main") or "saves money" in page.inner_text("main")
    assert page.locator("#task-table tbody tr").count() == 9
    assert visit.faults == []


@pytest.mark.parametrize("edition", ["", "zh/"])
def test_the_page_has_the_verdict_that_its_script_writes(visit: Visit, edition: str) -> None:
    page = visit.open(edition + "compare/index.html")
    page.wait_for_selector("#compare-table tbody tr")
    written = page.evaluate("""async () => {
        const text = await (await fetch(location.href)).text();
        return new DOMParser().parseFromString(text, "text/html").getElementById("compare-lead").textContent;
    }""")
    assert "RTX" in written
    assert page.text_content("#compare-lead") == written
    assert visit.faults == []
