"""The calculators as a reader meets them in a real browser; `test_calculator_figures` holds what they count to the database."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipeline.website.writing.numbers import duration, usd
from tests.browser.axe import violations
from tests.browser.visit import Visit

PAGES = ("break-even/index.html", "calculators/index.html")
TOLD = "selector => [...document.querySelectorAll(selector)].map(spot => spot.textContent)"
SPOTS = "[data-text], [data-from]"
EXAMPLE = """
    SELECT b.break_even_days FROM break_even b JOIN break_even_default d USING (purchase_id, rental_observation_id)
    WHERE d.is_example AND b.utilisation_percent = ?
"""
CHEAPEST = """
    SELECT b.gpu_usd, b.break_even_days, b.cloud_usd_per_gpu_hour, o.price_date, coalesce(n.name, o.provider)
    FROM break_even b JOIN offer_current o ON o.observation_id = b.rental_observation_id
    JOIN gpu_price p ON p.purchase_observation_id = b.purchase_id
    LEFT JOIN provider n ON n.provider_id = o.provider
    WHERE b.buy_gpu_id = ? AND b.utilisation_percent = 15 AND o.billing = 'on_demand' AND NOT o.stale
    ORDER BY b.cloud_usd_per_gpu_hour LIMIT 1
"""
RANGE = """
    SELECT 86400 * days_on_one_low, 86400 * days_on_one_high,
        usd_on_one * seconds_low / seconds_per_epoch, usd_on_one * seconds_high / seconds_per_epoch, n_timed
    FROM training_job WHERE gpu_id = ? AND basis = 'predicted'
"""
T4 = "nvidia-t4-16gb"
H100 = "nvidia-h100-sxm5-80gb"


@pytest.fixture
def rent_or_buy(visit: Visit) -> Iterator[Any]:
    yield visit.open("break-even/index.html")
    assert visit.faults == []


@pytest.fixture
def calculators(visit: Visit) -> Iterator[Any]:
    yield visit.open("calculators/index.html")
    assert visit.faults == []


def one(con: duckdb.DuckDBPyConnection, sql: str) -> str:
    return str(con.execute(sql).fetchall()[0][0])


def days_of_example(con: duckdb.DuckDBPyConnection, percent: int = 15) -> str:
    """The days of the GPU that the page begins with, in words."""
    return f"{con.execute(EXAMPLE, [percent]).fetchall()[0][0]:,.0f} days"


@pytest.mark.parametrize("path", PAGES)
def test_the_worked_example_is_what_the_script_writes(browser: Any, visit: Visit, path: str) -> None:
    page = visit.open(path)
    without = browser.new_context(java_script_enabled=False).new_page()
    without.goto(visit.base + path)
    assert [spot.text_content() for spot in without.query_selector_all(SPOTS)] == page.evaluate(TOLD, SPOTS)
    assert without.is_visible("noscript p")
    without.context.close()
    assert "?" not in page.url
    assert visit.faults == []


def test_a_gpu_brings_its_prices_and_their_days(rent_or_buy: Any, con: duckdb.DuckDBPyConnection) -> None:
    page, example = rent_or_buy, days_of_example(con)
    assert page.inner_text("output") == example
    gpu = "nvidia-geforce-rtx-4090-24gb"
    price, days, usd_per_hour, rented, provider = con.execute(CHEAPEST, [gpu]).fetchall()[0]
    page.select_option("select[name=card]", gpu)
    assert float(page.input_value("input[name=gpu]")) == price
    assert page.inner_text("#from-gpu").startswith("used, ")
    assert page.inner_text("output") == f"{days:,.0f} days"
    page.fill("input[name=gpu]", "1800")
    assert page.inner_text("#from-gpu") == "your figure"
    assert float(page.input_value("input[name=cloud]")) == usd_per_hour
    assert page.inner_text("#from-cloud") == f"on demand, {rented.day} {rented:%B %Y}, {provider}"
    page.fill("input[name=cloud]", "2.5")
    assert page.inner_text("#from-cloud") == "your figure"
    page.fill("input[name=kept]", "80")
    assert page.inner_text(".gl-arithmetic").startswith("The purchase of ")
    assert "Bought and sold after 3 years, it has saved $" in page.inner_text(".gl-arithmetic")
    told = page.inner_text("output")
    assert told.endswith(" days, if the GPU is then sold")
    assert page.url.partition("?")[2] == f"card={gpu}&gpu=1800&cloud=2.5&kept=80"
    page.reload()
    assert (page.inner_text("output"), page.input_value("input[name=cloud]")) == (told, "2.5")
    page.select_option("select[name=card]", one(con, "SELECT gpu_id FROM break_even_default WHERE is_example"))
    page.fill("input[name=kept]", "0")
    assert page.inner_text("output") == example
    assert "?" not in page.url


def test_the_guides_case_is_one_click_away(rent_or_buy: Any) -> None:
    page = rent_or_buy
    page.click("main a:has-text('293 days')")
    page.wait_for_url("**?card=guide")
    assert page.inner_text("output") == "293 days"
    assert "guide" in page.inner_text("#from-gpu")
    assert "($1,499 + $701) / (24 × 15% × ($2.14 − 0.45 kW × $0.12)) = $2,200 / $7.51 a day" in page.inner_text(".gl-arithmetic")
    page.fill("input[name=utilisation]", "30")
    assert page.inner_text("output") == "147 days"
    page.select_option("select[name=card]", "nvidia-geforce-rtx-4090-24gb")
    assert page.input_value("input[name=utilisation]") == "30"
    assert page.inner_text("#from-gpu").startswith("used, ")
    page.select_option("select[name=card]", "nvidia-rtx-a6000-48gb")
    assert page.inner_text("#from-gpu").startswith("last known: ")


def test_no_desktop_is_counted_for_a_module(rent_or_buy: Any) -> None:
    page = rent_or_buy
    page.select_option("select[name=card]", H100)
    assert page.input_value("input[name=host]") == ""
    page.fill("input[name=gpu]", "30000")
    assert page.inner_text("output") == "not known"
    assert page.inner_text(".gl-arithmetic").startswith("No desktop takes this GPU.")
    page.fill("input[name=host]", "1062.5")
    assert page.inner_text("output").endswith(" days")
    page.select_option("select[name=card]", "nvidia-geforce-rtx-4090-24gb")
    assert page.input_value("input[name=host]") == "1062.5"


def test_old_prices_are_said_to_be_stale(rent_or_buy: Any, con: duckdb.DuckDBPyConnection) -> None:
    rentals = "SELECT gpu_id, stale FROM offer_current WHERE acquisition = 'rent'"
    stale = f"SELECT gpu_id FROM ({rentals}) GROUP BY gpu_id HAVING bool_and(stale) ORDER BY gpu_id LIMIT 1"
    rent_or_buy.select_option("select[name=card]", one(con, stale))
    assert rent_or_buy.inner_text("#from-cloud").endswith(": stale")


def test_what_is_not_known_is_said_and_counts_as_nothing(calculators: Any, con: duckdb.DuckDBPyConnection) -> None:
    bare = one(con, "SELECT min(gpu_id) FROM gpu WHERE tdp_w IS NULL AND slot_width IS NULL")
    page = calculators
    page.select_option("#system select[name=card]", bare)
    assert page.inner_text("#system output") == "not known"
    assert "The power limit of this GPU is not known" in page.inner_text("[data-text=psu-how]")
    assert page.inner_text("[data-text=power]") == "not known"
    page.fill("input[name=tdp]", "300")
    assert page.inner_text("#system output") == "1,750 W"
    page.select_option("#system select[name=card]", H100)
    assert page.inner_text("[data-text=fit]") == "This GPU is a module and needs no slot."
    page.select_option("select[name=job_card]", one(con, "SELECT min(gpu_id) FROM gpu ANTI JOIN training_job USING (gpu_id)"))
    assert page.inner_text("#training-job output") == "not known"
    page.select_option("select[name=job_card]", "nvidia-geforce-gtx-1070-8gb")
    assert page.inner_text("#training-job output") == "4.17 days on one GPU, cost not known"
    page.select_option("select[name=job_card]", T4)
    page.select_option("select[name=link]", "")
    assert page.inner_text("[data-text=time-8]") == "not known"


def test_a_rent_that_never_pays_and_a_wait_without_end(rent_or_buy: Any) -> None:
    rent_or_buy.fill("input[name=cloud]", "0.05")
    assert rent_or_buy.inner_text("output") == "never"
    assert "Renting is always cheaper" in rent_or_buy.inner_text(".gl-arithmetic")
    rent_or_buy.fill("input[name=kept]", "50")
    assert rent_or_buy.inner_text("output") == "not within 20 years"


def test_a_prediction_has_its_interval_until_the_time_is_the_readers(calculators: Any, con: duckdb.DuckDBPyConnection) -> None:
    calculators.select_option("select[name=job_card]", H100)
    low, high, least, most, timed = con.execute(RANGE, [H100]).fetchall()[0]
    told = f"{duration(low)} to {duration(high)}, {usd(least)} to {usd(most)}"
    assert calculators.inner_text("[data-text=interval]") == f"The time is a rough prediction: {told}."
    assert f"predicted from {timed} timed GPUs" in calculators.inner_text("#from-seconds")
    calculators.fill("input[name=seconds]", "100")
    assert calculators.inner_text("[data-text=interval]") == ""


def test_figures_out_of_range_are_told_and_leave_the_last_answer(visit: Visit) -> None:
    page = visit.open("calculators/index.html?gpus=lots&tdp=-5&epochs=0&job_card=none&within=48&host=200")
    told = page.inner_text("#system .gl-ignored") + page.inner_text("#training-job")
    assert all(part in told for part in ("gpus=lots (not a number)", "tdp=-5 (below 1)", "epochs=0 (below 1)", "job_card=none"))
    assert page.input_value("input[name=within]") == "48"
    assert page.inner_text("[data-text=machine]") == "2,000 W"
    before = page.evaluate(TOLD, "[data-text]")
    page.fill("input[name=gpus]", "9")
    assert "GPUs: a whole number from 1 to 8." in page.inner_text("#system .gl-fault")
    assert page.get_attribute("input[name=gpus]", "aria-invalid") == "true"
    page.fill("input[name=gpus]", "2.5")
    assert "GPUs: a whole number from 1 to 8." in page.inner_text("#system .gl-fault")
    page.fill("input[name=tdp]", "")
    assert "GPU power (W): a number from 1 to 5,000." in page.inner_text("#system .gl-fault")
    assert page.evaluate(TOLD, "[data-text]") == before
    page.fill("input[name=tdp]", "450")
    page.fill("input[name=gpus]", "8")
    assert page.is_hidden("#system .gl-fault")
    assert page.inner_text("[data-text=machine]") == "4,000 W"
    assert visit.faults == []


def test_tables_that_do_not_load_are_told(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    visit.page.route("**/calculators-data.js", lambda route: route.abort())
    page = visit.open("break-even/index.html")
    assert "did not load" in page.inner_text("#rent-or-buy .gl-ignored")
    assert page.inner_text("output") == days_of_example(con)


def test_the_calculators_work_by_keyboard(rent_or_buy: Any, con: duckdb.DuckDBPyConnection) -> None:
    page = rent_or_buy
    page.focus("select[name=card]")
    for name in ("gpu", "host", "cloud", "utilisation"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.name") == name
    page.keyboard.type("100")
    assert page.inner_text("output") == days_of_example(con, 100)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    ("width", "dark"),
    [(1280, False), *(pytest.param(*look, marks=pytest.mark.full) for look in ((1280, True), (360, False), (360, True)))],
)
def test_the_calculators_are_open_to_all(visit: Visit, path: str, width: int, dark: bool) -> None:
    visit.show_as(width, dark)
    page = visit.open(path)
    page.fill("form[id] input[type=number] >> nth=1", "-1")  # a fault to see
    assert page.is_visible(".gl-fault >> nth=0")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert visit.faults == []


@pytest.mark.full
def test_the_calculators_work_from_disk_and_with_hostile_names(browser: Any, release: Path, hostile_site: Path) -> None:
    for folder in (release / "site", hostile_site):
        opened = Visit(browser, folder.as_uri() + "/")
        for path, form in (("break-even", "rent-or-buy"), ("calculators", "training-job"), ("calculators", "system")):
            page = opened.open(f"{path}/index.html")
            page.select_option(f"#{form} select[data-copies]", index=2)
            page.fill(f"#{form} input[type=number] >> nth=0", "5")
            assert page.inner_text(f"#{form} [data-from] >> nth=0") == "your figure"
            assert page.evaluate("window.hit") is None
            assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        # the site's search opens from disk in the downloadable build alone
        assert [fault for fault in opened.faults if "ERR_FILE_NOT_FOUND" not in fault and "search_index" not in fault] == []
        opened.close()


def test_the_other_pages_lead_here(visit: Visit) -> None:
    for path, anchor in (("value/index.html", "#job"), ("break-even/index.html", "")):
        page = visit.open(path)
        assert page.query_selector(f'.gl-page a[href$="calculators/index.html{anchor}"]'), path
    assert visit.faults == []


def test_the_lead_of_rent_or_buy_gives_way_to_another_case(rent_or_buy: Any) -> None:
    assert rent_or_buy.is_visible(".gl-lead")
    rent_or_buy.fill("#rent-or-buy [name=utilisation]", "50")
    rent_or_buy.wait_for_function("() => document.querySelector('.gl-lead').hidden")
    rent_or_buy.reload()
    rent_or_buy.wait_for_function("() => document.querySelector('.gl-lead').hidden")
    rent_or_buy.fill("#rent-or-buy [name=utilisation]", "15")
    rent_or_buy.wait_for_function("() => !document.querySelector('.gl-lead').hidden")
