"""Pairs of GPUs in a real browser: reached from the home page in few clicks."""

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
