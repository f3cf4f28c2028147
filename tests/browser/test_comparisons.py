"""Pairs of GPUs in a real browser: reached from the home page in few clicks."""

import pytest

from tests.browser.test_tasks import rows_of
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


MI300X = "amd-instinct-mi300x-192gb"


def test_an_estimate_of_a_launch_price_is_named_and_decides_nothing(visit: Visit) -> None:
    page = visit.open(f"compare/index.html?gpus={MI300X},nvidia-geforce-rtx-4090-24gb&model=llama-3.1-8b&use=chat")
    page.wait_for_selector(f"#compare-table [data-gpu='{MI300X}']")
    rows = {line.split("\t")[0]: line for line in page.inner_text("#compare-table").replace("\n\t", "\t").split("\n")}
    assert "estimate, 6 December 2023" in page.inner_text("#compare-table"), rows
    bought = page.locator("#compare-table tr", has_text="USD per token/s, bought").locator("td")
    assert bought.nth(0).inner_text() == "–"
    assert "\nused, " in bought.nth(1).inner_text(), "the price that counts has its kind"


def test_the_tile_of_buying_gives_no_hours_for_an_estimate(visit: Visit) -> None:
    page = visit.open("index.html")
    text = page.evaluate("""() => {
        const tile = document.getElementById("llm-buy");
        const price = { kind: "msrp", usd: 15000, price_date: "2023-12-06", estimated: true, is_old: true };
        const gpu = { gpu_id: "amd-instinct-mi300x-192gb", name: "AMD Instinct MI300X" };
        gpuledger.parts.showBuying(tile, gpu, [price], { gpus: 1, rent: 2, tdpW: 750, kwh: 0.12 }, null);
        return tile.innerText;
    }""")
    assert "estimate, 6 December 2023" in text
    assert "launch price" not in text
    assert "hours of work" not in text


def test_the_weights_are_the_best_for_each_gpu_unless_the_reader_chooses(visit: Visit) -> None:
    page = visit.open("compare/index.html?gpus=nvidia-b200-sxm-180gb,nvidia-a100-sxm4-80gb&model=llama-3.1-8b&use=chat")
    page.wait_for_function("() => document.getElementById('compare-table').textContent.includes('FP8')")
    assert rows_of(page)["Weights"] == ["FP8", "BF16"]
    page.select_option("#compare-form [name=type]", "bf16")
    page.wait_for_function("() => location.search.includes('type=bf16')")
    page.wait_for_function("() => !document.getElementById('compare-table').textContent.includes('FP8')")
    assert rows_of(page)["Weights"] == ["BF16", "BF16"]
    page.select_option("#compare-form [name=model]", "gpt-oss-120b")
    page.wait_for_function("() => document.getElementById('compare-table').textContent.includes('MXFP4')")
    assert page.is_disabled("#compare-form [name=type] option[value=bf16]"), "nobody publishes its weights in 16 bits"
    page.select_option("#compare-form [name=use]", "single")
    page.wait_for_function("() => document.getElementById('compare-table').textContent.includes('MXFP4 MoE')")
    assert "type=" not in page.url
    page.select_option("#compare-form [name=model]", "llama-3.1-8b")
    page.wait_for_function("() => document.getElementById('compare-table').textContent.includes('Q4_K_M')")
    page.select_option("#compare-form [name=model]", "gpt-oss-20b")
    page.wait_for_function("() => document.getElementById('compare-table').textContent.includes('MXFP4 MoE')")
    assert visit.faults == []


def test_a_gpu_that_the_model_does_not_fit_has_the_price_of_one(visit: Visit) -> None:
    page = visit.open("compare/index.html?gpus=nvidia-l4-24gb,nvidia-h100-sxm5-80gb&model=deepseek-r1&use=chat&type=bf16")
    page.wait_for_selector("#compare-table tbody tr")
    small, _ = rows_of(page)["Rent (USD/h)"]
    assert small.startswith("$")
    assert "(one GPU)" in small
    assert visit.faults == []


def test_a_model_that_fits_without_a_rent_has_its_number_of_gpus(visit: Visit) -> None:
    page = visit.open(
        "compare/index.html?gpus=nvidia-geforce-rtx-3060-12gb,nvidia-tesla-v100-pcie-32gb&model=qwen2.5-14b&use=chat&type=bf16"
    )
    page.wait_for_function("() => document.getElementById('compare-table').textContent.includes('vLLM does not run on it')")
    rows = rows_of(page)
    assert rows["GPUs"] == ["4", "vLLM does not run on it"]
    assert "predicted" in rows["Tokens/s"][0], "nobody rents it out, so that the tables of costs lack it"
    assert rows["Rent (USD/h)"][0].startswith("no current on-demand offer")
    assert visit.faults == []


@pytest.mark.parametrize("edition", ["", "zh/"])
def test_any_gpu_can_be_added_and_removed(visit: Visit, edition: str) -> None:
    page = visit.open(edition + "compare/index.html")
    page.wait_for_selector("#compare-form [name=add] option[value=nvidia-a10-24gb]", state="attached")
    names = page.eval_on_selector_all("#compare-form [name=add] option", "options => options.map(one => one.textContent)")
    assert len(names) == len(set(names)) > 170
    page.select_option("#compare-form [name=add]", "nvidia-a10-24gb")
    page.wait_for_selector("#compare-table thead a:text-is('A10')")
    assert "nvidia-a10-24gb" in page.url
    page.click("#compare-table [data-remove=nvidia-a10-24gb]")
    page.wait_for_selector("#compare-table thead a:text-is('A10')", state="detached")
    assert visit.faults == []
