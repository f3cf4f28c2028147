"""Tasks of real users, within their number of clicks from the home page; typing a value is one."""

import math
import re
from typing import Any

from tests.browser.visit import Clicks

DATE = re.compile(r"\d{1,2} \w+ 20\d\d")


def seller_in(page: Any, selector: str) -> str:
    """The address of the seller's own site in part of a page."""
    href = page.get_attribute(f"{selector} a.gl-out", "href")
    assert href.startswith("https://")
    return str(href)


def rows_of(page: Any) -> dict[str, list[str]]:
    """The table of the comparison: its cells by heading."""
    found = page.eval_on_selector_all(
        "#compare-table tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
    )
    return {row[0]: row[1:] for row in found}


def test_a_the_cheapest_way_to_fine_tune_a_7b_model(clicks: Clicks) -> None:
    clicks.select("#run select", "tune")
    clicks.select("#llm [name=model]", "qwen2.5-7b")
    page = clicks.page
    page.wait_for_function("() => document.getElementById('llm-lead').textContent.includes(' for the job in ')")
    lead = page.inner_text("#llm-lead")
    assert re.match(
        r"Rent .+ from .+: \$[\d.]+ for the job in [\d.]+ (minutes|hours|days)\. "
        r"That is the lowest on-demand cost among \d+ ranked GPUs",
        lead,
    )
    asked = [page.input_value(f"#llm [name={name}]") for name in ("model", "method", "tokens")]
    assert asked == ["qwen2.5-7b", "qlora", "10"]
    seller_in(page, "#llm-rent")
    assert DATE.search(page.inner_text("#llm-rent .src"))
    assert re.search(r"[\d.]+ GB of weights and [\d.]+ GB of gradients.* each needs [\d.]+ GB", page.inner_text("#llm-memory"))
    assert clicks.count <= 3


def test_b_three_gpus_at_home_side_by_side(clicks: Clicks) -> None:
    clicks.click("#llm-need a[href*='compare/']")
    page = clicks.page
    page.wait_for_selector("#compare-table tbody tr")
    heads = page.eval_on_selector_all("#compare-table thead a", "links => links.map(link => link.textContent)")
    assert [name[-4:] for name in heads] == ["3090", "4090", "5090"]
    rows = rows_of(page)
    assert [cell.partition(" GB")[0] for cell in rows["Memory"]] == ["24", "24", "32"]
    assert all(re.search(r"^\d+\n.*(measured|predicted)", cell) for cell in rows["Tokens/s"])
    assert DATE.search(rows["Price used"][0])
    assert all(DATE.search(cell) for cell in rows["Price new"])
    assert all(int(cell.partition("\n")[0]) > 300 for cell in rows["Power of the GPUs (W)"])
    assert "Best to buy for speed: GeForce RTX 3090" in page.inner_text("#compare-lead")
    for gpu, price in (("nvidia-geforce-rtx-3090-24gb", "700"), ("nvidia-geforce-rtx-4090-24gb", "1900")):
        clicks.fill(f"#compare-table [data-gpu={gpu}]", price)
        page.press(f"#compare-table [data-gpu={gpu}]", "Tab")
        page.wait_for_function("price => decodeURIComponent(location.search).includes(price)", arg=f"{gpu}:{price}")
    page.wait_for_function("() => document.getElementById('compare-lead').textContent.includes('Best to buy for speed')")
    assert rows_of(page)["USD per token/s, bought"][0].endswith("at your price")
    assert clicks.count <= 4


def test_c_an_h100_on_spot_below_two_dollars(clicks: Clicks) -> None:
    clicks.page.click(".md-content a[href$='offers/index.html'] >> visible=true")
    clicks.count += 1
    clicks.fill("input[name=find]", "h100 spot")
    clicks.fill(".gl-filters input[name=usd_per_gpu_hour]", "<2")
    page = clicks.page
    page.wait_for_selector("#offer-table tbody tr[data-id]")
    page.wait_for_function("() => [...document.querySelectorAll('tr[data-id]')].every(row => /H100/.test(row.textContent))")
    table = "rows => rows.map(row => [...row.cells].filter(cell => cell.offsetParent).map(cell => cell.innerText))"
    rows = page.eval_on_selector_all("#offer-table tbody tr", table)
    assert rows
    for row in rows:
        assert "H100" in row[0]
        assert float(next(cell for cell in row if cell.startswith("$")).removeprefix("$")) < 2
        assert any(re.fullmatch(r"20\d\d-\d\d-\d\d", cell) or DATE.search(cell) for cell in row)
    linked = page.eval_on_selector_all(
        "#offer-table tbody tr", "rows => rows.map(row => !!row.querySelector('a[rel~=nofollow]'))"
    )
    assert all(linked)
    assert clicks.count <= 3


def test_j_tokens_and_cost_of_a_70b_model_on_four_gpus(clicks: Clicks) -> None:
    clicks.click("#llm-need a[href*='compare/']")
    clicks.click(".gl-links a[href*='mi300x']")
    page = clicks.page
    page.wait_for_function("() => document.querySelectorAll('#compare-table thead a').length === 4")
    heads = page.eval_on_selector_all("#compare-table thead a", "links => links.map(link => link.textContent)")
    assert all(any(name in head for head in heads) for name in ("H100", "H200", "MI300X", "B200"))
    rows = rows_of(page)
    for cell in rows["Tokens/s"]:
        assert re.search(r"^[\d,]+\n.*(measured|predicted).*64 requests at a time", cell)
    assert all(cell.startswith("$") for cell in rows["USD per million tokens, rented"])
    assert all(DATE.search(cell) for cell in rows["Rent (USD/h)"])
    for watts in rows["Power of the GPUs (W)"]:
        total, _, each = watts.replace(",", "").partition("\n")
        assert int(total) == math.prod(int(one) for one in (each or total).split(" x "))
    assert len(page.query_selector_all("#compare-table a.gl-out")) == 4
    assert clicks.count <= 3
