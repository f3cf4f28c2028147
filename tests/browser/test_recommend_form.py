"""The form of the home page: the same answers as `gpuledger recommend`, in the browser, from the published tables."""

import math
import random
import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipeline.recommend import workload as rules
from pipeline.recommend.workload import Question
from pipeline.website.components.recommend.recommend_form import FIRST
from pipeline.website.i18n.language import gettext_sentences
from pipeline.website.writing.links import provider_path
from pipeline.website.writing.numbers import day, number, usd
from tests.browser.visit import Visit

FIRST_QUESTIONS, EVERY_QUESTION = 20, 200
REASON_SHOWN = "reason => document.querySelector('#ranked .gl-why').textContent === reason"
JOB = "bert-large-squad-2-epochs"
ALL_STALE = """() => {  // as in a release whose purchase prices are all older than 12 months; before the tables are loaded
    let kept = null;
    const stale = data => {
        data.offer_current.stale = data.offer_current.stale.map((one, at) => one || data.offer_current.acquisition[at] === 'buy');
        return data;
    };
    Object.defineProperty(gpuledger, 'recommendData', { get: () => kept, set: data => { kept = stale(data); } });
}"""
NO_CURRENT_PRICE = """() => document.getElementById('lead').textContent
    === 'No purchase price is from the last 12 months, so no GPU is ranked. You can use older prices.'"""
FIGURES = ("seconds", "seconds_low", "seconds_high", "price_usd", "cost_usd", "cost_usd_low", "cost_usd_high", "system_usd",
    "electricity_usd", "memory_gb")  # fmt: skip
WORDS = ("gpu_id", "rank", "is_pareto_optimal", "name", "basis", "provider", "price_kind", "billing", "commitment_months",
    "price_date", "stale", "unranked", "reason")  # fmt: skip
STANDING = """() => ['lead', 'answers', 'ranked', 'left-out']
    .map(id => document.getElementById(id).textContent.replace(/\\s+/g, ''))"""
LOAD = """async root => {
    const loaded = name => new Promise((resolve, reject) => {
        const script = document.createElement('script');
        Object.assign(script, {src: root + name, onload: resolve, onerror: reject});
        document.head.append(script);
    });
    await loaded('assets/recommend.js');
    await loaded('assets/recommend-data.js');
}"""
RECOMMEND = "questions => questions.map(question => gpuledger.recommend(gpuledger.recommendTables(), question))"
TERMS = ("on_demand", "on_demand", "on_demand", "spot", "on_demand,spot,marketplace", "serverless", "reserved", "marketplace")


def question(dice: random.Random, known: dict[str, list[str]]) -> Question:
    """A question such as readers ask, and some that nothing answers."""

    def sometimes(value: Any, share: float = 0.12) -> Any:
        return value if dice.random() < share else None

    acquisition = dice.choice(("rent", "rent", "buy"))
    return Question(
        workload=dice.choice(known["workload"]),
        acquisition=acquisition,
        objective=dice.choice(rules.OBJECTIVES),
        billing=dice.choice(TERMS),
        gpus=dice.choice((1, 1, 1, 2, 3, 4, 5, 8, 12)),
        hours=dice.choice((None, 1.0, 100.0, 1200.0, dice.uniform(0.1, 20_000))),
        min_memory_gb=sometimes(dice.choice((8.0, 16.0, 24.0, 40.0, 80.0, dice.uniform(1, 200))), 0.3),
        budget_usd=sometimes(10 ** dice.uniform(-1, 4) if acquisition == "rent" else 10 ** dice.uniform(2, 5), 0.3),
        data_centre=dice.random() < 0.15,
        max_slots=sometimes(dice.choice((1.0, 2.0, 4.0, 7.0, 8.0))),
        max_watts=sometimes(dice.choice((75.0, 300.0, 1600.0, dice.uniform(50, 3000)))),
        vendor=sometimes(dice.choice(known["vendor"])),
        provider=sometimes(dice.choice(known["provider"]), 0.08),
        min_cuda=sometimes(dice.choice(("6.0", "8", "11.0", "11.8", "11.10", "12.0.1", "13.0"))),
        usd_per_kwh=sometimes(dice.choice((0.0, 0.12, dice.uniform(0, 0.6))), 0.5),
        older_prices=dice.random() < 0.7,
    )


@pytest.fixture(scope="module")
def questions(con: duckdb.DuckDBPyConnection) -> list[Question]:
    known = {"workload": rules.workloads(con), "vendor": rules.vendors(con), "provider": rules.providers(con)}
    dice = random.Random(20260820)  # noqa: S311
    return [question(dice, known) for _ in range(EVERY_QUESTION)]


@pytest.fixture
def home(visit: Visit) -> Iterator[Any]:
    """The home page, with the tables of the form loaded."""
    page = visit.open("index.html?run=train")
    page.evaluate(LOAD, visit.base)
    yield page
    assert visit.faults == []


@pytest.mark.parametrize("count", [FIRST_QUESTIONS, pytest.param(EVERY_QUESTION, marks=pytest.mark.full)])
def test_the_browser_answers_as_the_command_does(
    home: Any, con: duckdb.DuckDBPyConnection, questions: list[Question], count: int
) -> None:
    here = [[asdict(choice) for choice in rules.answer(con, asked)] for asked in questions[:count]]
    there = home.evaluate(RECOMMEND, [asdict(asked) for asked in questions[:count]])
    for asked, ours, theirs in zip(questions[:count], here, there, strict=True):
        told = [_words(row) for row in ours]
        assert told == [_words(row) for row in theirs], asked
        for mine, other in zip(ours, theirs, strict=True):
            assert _figures(mine) == pytest.approx(_figures(other), rel=1e-9, nan_ok=True), (asked, mine["gpu_id"])
    assert sum(bool(rows and rows[0]["rank"]) for rows in here) > count / 4, "too few questions have an answer"


def _words(row: dict[str, Any]) -> tuple[object, ...]:
    return tuple(str(row[name]) if name == "price_date" else row[name] for name in WORDS)


def _figures(row: dict[str, Any]) -> list[float]:
    return [math.nan if row[name] is None else row[name] for name in FIGURES]


def test_figures_are_written_as_the_database_writes_them(home: Any, con: duckdb.DuckDBPyConnection) -> None:
    dice = random.Random(7)  # noqa: S311
    values = [10 ** dice.uniform(-7, 9) for _ in range(500)] + [dice.randrange(1, 4000) / 8 for _ in range(500)]
    values += [0.125, 0.375, 1.005, 2.675, 999999.5, 1234567.0, 0.0001, 99999.95, 1000.125, 100.0, 1e-5]
    forms = {"{:.2f}": "fixed(value, 2)", "{:g}": "general(value)", "{:.4g}": "general(value, 4)", "{:.3g}": "general(value, 3)"}
    for form, script in forms.items():
        wanted = [con.execute("SELECT format(?, ?::DOUBLE)", [form, value]).fetchall()[0][0] for value in values]
        assert home.evaluate(f"values => values.map(value => gpuledger.numbers.{script})", values) == wanted, form


def first_row(page: Any) -> list[str]:
    """The cells of the first choice."""
    return [cell.inner_text() for cell in page.query_selector_all("#ranked tbody tr:first-child > *")[:8]]


def test_the_page_stands_as_the_form_writes_it(home: Any) -> None:
    before = home.evaluate(STANDING)
    home.evaluate("document.querySelector('#rent-tile').firstElementChild.id = 'old'")
    home.dispatch_event("select[name=workload]", "input")
    home.wait_for_function("() => document.getElementById('old') === null")
    assert home.evaluate(STANDING) == before
    assert home.url.endswith("?run=train")


def test_the_answer_follows_form_and_address(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    page = visit.open("index.html?hours=200")  # an address of before the first question: training
    assert page.inner_text("#recommend .gl-more summary").endswith("1 set")
    page.click("#recommend .gl-more summary")
    page.select_option("select[name=workload]", JOB)
    assert page.is_hidden("input[name=older]")
    page.select_option("select[name=way]", "buy")
    page.wait_for_function("() => document.getElementById('lead').textContent.startsWith('Buy one ')")
    assert "GPUs have a purchase price from the last 12 months" in page.inner_text(".gl-older")
    page.check("input[name=older]")
    page.fill("input[name=memory]", "24")
    page.fill("input[name=budget]", "1900")
    page.fill("input[name=kwh]", "0.4")
    limits = {"min_memory_gb": 24.0, "budget_usd": 1900.0, "hours": 2400.0, "usd_per_kwh": 0.4, "older_prices": True}
    choices = rules.answer(con, Question(workload=JOB, acquisition="buy", **limits))
    assert choices[0].rank
    page.wait_for_function(REASON_SHOWN, arg=gettext_sentences(choices[0].reason))
    placed = sum(choice.rank is not None for choice in choices)
    assert len(page.query_selector_all("#ranked tbody tr")) == placed
    assert len(page.query_selector_all("#left-out li")) == len(choices) - placed
    links = page.eval_on_selector_all(
        "#ranked tbody a[href*='/providers/']", "found => found.map(one => [one.textContent, one.href])"
    )
    sold = [choice.provider or "" for choice in choices if choice.rank]
    names = dict(con.execute("SELECT provider_id, coalesce(name, provider_id) FROM provider").fetchall())
    assert [name for name, _ in links] == [names[provider] for provider in sold]
    assert all(href.endswith(provider_path(provider)) for provider, (_, href) in zip(sold, links, strict=True))
    written = first_row(page)
    address = page.url.partition("?")[2]
    assert address == f"hours=200&run=train&workload={JOB}&way=buy&older=1&memory=24&budget=1900&kwh=0.4"
    page.reload()
    page.wait_for_function(REASON_SHOWN, arg=gettext_sentences(choices[0].reason))
    assert first_row(page) == written
    page.select_option("select[name=rank]", "fastest")
    fastest = rules.answer(con, Question(workload=JOB, acquisition="buy", objective="fastest", **limits))
    page.wait_for_function(REASON_SHOWN, arg=gettext_sentences(fastest[0].reason))
    assert visit.faults == []


def test_a_cheaper_spot_or_marketplace_rental_is_named(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    asked = Question(workload=JOB, min_memory_gb=40, hours=None)
    on_demand, other = (rules.answer(con, replace(asked, billing=terms))[0] for terms in ("on_demand", "spot,marketplace"))
    assert (other.cost_usd or 0) < (on_demand.cost_usd or 0)
    page = visit.open(f"index.html?run=train&workload={JOB}&memory=40")
    text, seller = page.locator("#rent-tile .context").nth(1), page.locator("#rent-tile .src").nth(1)
    text.wait_for()
    assert usd(other.price_usd) in text.inner_text()
    assert f"{usd(other.cost_usd)} for the job" in text.inner_text()
    assert day(other.price_date) in seller.inner_text()
    page.click("#recommend .gl-more summary")
    page.select_option("#recommend select[name=billing]", other.billing)
    text.wait_for(state="detached")  # a rental on these terms is the answer itself
    assert visit.faults == []


def test_older_purchase_prices_are_one_click_away(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    page = visit.open("index.html")
    page.evaluate(ALL_STALE)
    page.select_option("#run select", "train")
    page.select_option("select[name=way]", "buy")
    page.wait_for_function(NO_CURRENT_PRICE)
    assert not any(page.is_visible(spot) for spot in ("#answers", "#ranked .gl-scroll", "#choices"))
    note = "The others are not ranked by purchase price"
    assert note in page.inner_text(".gl-older")
    ((first, last),) = con.execute("SELECT first_date, last_date FROM purchase_range").fetchall()
    assert page.inner_text("#older-prices button") == f"Use prices of {day(first)} to {day(last)}"
    page.click("#older-prices button")
    page.wait_for_function("() => document.getElementById('lead').textContent.startsWith('Buy one ')")
    assert page.is_hidden("#older-prices")
    assert page.is_checked("input[name=older]")
    assert note not in page.inner_text(".gl-older")
    assert page.is_visible("#choices")
    link, price = (page.inner_text(f"#ranked tbody tr:first-child {cell}") for cell in ("th a", "[data-label='Price:']"))
    assert page.inner_text("#buy-tile .gpu") == link
    assert page.inner_text("#buy-tile .figure b") == price.split()[0]
    assert page.inner_text("#rent-tile .gpu") == link
    assert "not ranked" not in page.inner_text("#buy-tile .detail")
    assert visit.faults == []


def test_an_outdated_rental_is_no_advice_until_older_prices_are_used(visit: Visit) -> None:
    page = visit.open("index.html?run=train&provider=autodl")
    told = (
        "No GPU that can be ranked has a current offer on these terms. "
        "The last known is one GeForce RTX 4090 from AutoDL at $0.332 an hour, of 31 January 2024."
    )
    page.wait_for_function("text => document.getElementById('lead').textContent === text", arg=told)
    assert page.is_hidden("#answers")
    assert page.inner_text("#older-prices button") == "Use older prices"
    assert page.is_hidden("#older-prices .gl-note")
    page.click("#older-prices button")
    page.wait_for_function(
        "() => document.getElementById('lead').textContent.startsWith('Rent one GeForce RTX 4090 from AutoDL')"
    )
    assert "The price is of 31 January 2024." in page.inner_text("#lead")
    assert page.is_checked("input[name=older]")
    page.uncheck("input[name=older]")
    page.wait_for_function("text => document.getElementById('lead').textContent === text", arg=told)
    assert visit.faults == []


def test_a_seller_without_rentals_is_not_said_to_lack_a_current_one(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    (seller,) = con.execute("""
        FROM offer_current SELECT provider WHERE kind = 'purchase_new' AND in_purchase_range
        AND provider NOT IN (SELECT provider FROM offer_current WHERE acquisition = 'rent')
        ORDER BY ALL LIMIT 1""").fetchall()[0]
    page = visit.open(f"index.html?run=train&way=buy&older=1&provider={seller}")
    page.wait_for_function("() => document.getElementById('lead').textContent.startsWith('Buy one ')")
    assert page.inner_text("#rent-tile .figure") == "–"
    assert page.inner_text("#rent-tile .context") == "no offer on these terms is for this GPU"
    assert visit.faults == []


def test_a_reserved_price_names_its_commitment(visit: Visit) -> None:
    page = visit.open("index.html?run=train&billing=reserved")
    page.wait_for_function("() => document.getElementById('lead').textContent.includes('needs a commitment of 12 months.')")
    assert "an hour, 12 months of commitment" in page.inner_text("#rent-tile .figure")
    assert "12 months of commitment" in page.inner_text("#ranked tbody tr:first-child [data-label='Price:']")
    assert visit.faults == []


def test_a_budget_that_buys_nothing_is_no_question_of_older_prices(visit: Visit) -> None:
    page = visit.open("index.html?run=train&way=buy&older=1&budget=50")
    page.wait_for_function("() => document.getElementById('lead').textContent.startsWith('No GPU meets every limit. Nearest: ')")
    assert page.is_hidden("#older-prices")
    assert page.evaluate("document.querySelector('#recommend [name=budget]').closest('label').innerText").startswith(
        "Budget for the GPUs"
    )
    assert visit.faults == []


def test_the_cost_of_a_bought_job_follows_from_the_page(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    """The price of the GPUs, and the rest of the machine, over the share of the hours that the job takes."""
    page = visit.open("index.html?run=train&way=buy&older=1&gpus=4&kwh=0")
    ((rest,),) = con.execute("SELECT base_cost_usd FROM base_system_cost WHERE gpu_count = 4").fetchall()
    told = f"The rest of the machine counts as {usd(rest)}."
    page.wait_for_function("text => document.getElementById('job-note').textContent.includes(text)", arg=told)
    asked = Question(workload=FIRST, acquisition="buy", gpus=4, hours=1200.0, older_prices=True)
    best = rules.answer(con, asked)[0]
    cost = (4 * (best.price_usd or 0) + rest) * (best.seconds or 0) / 3600 / 1200
    assert page.inner_text("#ranked tbody tr:first-child [data-label='Cost of the job:']") == usd(cost)
    assert visit.faults == []


def test_the_nearest_gpu_misses_the_limit_by_least(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    memory = rules.answer(con, Question(workload=FIRST, hours=None, min_memory_gb=500))
    most = max(one.memory_gb or 0 for one in memory if one.seconds and one.cost_usd)
    budget = rules.answer(con, Question(workload=FIRST, hours=None, budget_usd=0.5))
    least = min(one.cost_usd for one in budget if one.seconds and one.cost_usd)
    told = {
        "memory=500": f"{most:g} GB of memory, 500 GB asked for.",
        "budget=0.5": f" = {least:.2f} USD, above the budget of 0.50 USD.",
    }
    for limit, text in told.items():
        page = visit.open(f"index.html?run=train&{limit}")
        page.wait_for_function("() => document.getElementById('lead').textContent.startsWith('No GPU meets every limit.')")
        assert page.inner_text("#lead").endswith(text)
    assert visit.faults == []


def test_the_form_offers_the_providers_that_rent_or_those_that_sell(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    page = visit.open("index.html?run=train")
    page.click("#recommend .gl-more summary")
    for way in ("rent", "buy"):
        page.select_option("select[name=way]", way)
        sql = "SELECT DISTINCT provider FROM offer_current WHERE acquisition = ?"
        known = {name for (name,) in con.execute(sql, [way]).fetchall()}
        options = "found => found.map(one => one.value).filter(Boolean)"
        assert set(page.eval_on_selector_all("select[name=provider] option", options)) == known, way
    page.select_option("select[name=provider]", "AMD")
    page.select_option("select[name=way]", "rent")
    assert page.input_value("select[name=provider]") == ""
    assert "provider=" not in page.url
    assert visit.faults == []


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("provider=beam", "For an answer, change one of these: Provider."),
        ("provider=Beam", "For an answer, change one of these: Provider."),
        ("vendor=AMD", "For an answer, change one of these: Made by."),
        ("provider=beam&vendor=AMD", "Remove several limits."),
    ],
)
def test_an_empty_answer_names_the_limit_to_drop(visit: Visit, address: str, told: str) -> None:
    page = visit.open(f"index.html?run=train&{address}")
    page.wait_for_function("() => document.getElementById('lead').textContent.startsWith('No GPU meets every limit.')")
    assert page.inner_text("#lead") == f"No GPU meets every limit. {told}"
    assert visit.faults == []


def to_buy(con: duckdb.DuckDBPyConnection, **limits: float) -> rules.RankedGpu:
    """The GPU on which the work costs least if it is bought at its last known price, by the form's own hours and electricity."""
    owned = {"acquisition": "buy", "hours": 1200.0, "usd_per_kwh": 0.12, "older_prices": True}
    return rules.answer(con, Question(workload=FIRST, **owned, **limits))[0]


def test_the_gpu_to_buy_is_one_that_is_sold(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    """Where the GPU that is cheapest to rent has no known price."""
    page = visit.open("index.html?run=train&gpus=2")
    page.wait_for_function("() => document.getElementById('lead').textContent.startsWith('Rent 2 x ')")
    rented, bought = rules.answer(con, Question(workload=FIRST, gpus=2, hours=None))[0], to_buy(con, gpus=2)
    sold = con.execute("SELECT list(DISTINCT gpu_id) FROM purchase_metric WHERE last_known").fetchall()[0][0]
    assert rented.gpu_id not in sold
    assert page.inner_text("#buy-tile .gpu") == f"2 x {bought.name.removeprefix('NVIDIA ')}"
    assert page.inner_text("#buy-tile .figure b") == usd(2 * (bought.price_usd or 0))
    ((rest,),) = con.execute("SELECT base_cost_usd FROM base_system_cost WHERE gpu_count = 2").fetchall()
    total = usd(2 * (bought.price_usd or 0) + rest)
    assert page.inner_text("#buy-tile .context").startswith(f"{total} with the rest of the computer ({usd(rest)}).")
    assert visit.faults == []


def test_several_gpus_have_the_price_of_all(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    page = visit.open("index.html?run=train&gpus=8&memory=24")
    page.wait_for_function("() => document.getElementById('job-note').textContent.includes('16-bit training on 8 GPUs')")
    best = rules.answer(con, Question(workload=FIRST, gpus=8, hours=None, min_memory_gb=24))[0]
    price, product = usd(8 * (best.price_usd or 0)), f"8 x {usd(best.price_usd)}"
    assert page.inner_text("#rent-tile .figure") == f"{price} an hour, {product}"
    assert page.inner_text("#ranked tbody tr:first-child [data-label='Price:']").split("\n") == [price, product]
    assert page.inner_text("#ranked tbody tr:first-child th").startswith("8 x ")
    bought = to_buy(con, gpus=8, min_memory_gb=24)
    of_one = bought.price_usd or 0
    assert page.inner_text("#buy-tile .gpu") == f"8 x {bought.name.removeprefix('NVIDIA ')}"
    assert page.inner_text("#buy-tile .figure b") == usd(8 * of_one)
    assert page.inner_text("#buy-tile .detail").startswith(f"8 x {usd(of_one)}, ")
    assert page.is_visible("#several")
    page.fill("#buy-tile [name=price]", "100")
    page.wait_for_function("() => document.querySelector('#buy-tile .detail').textContent === '8 x $100, your price'")
    assert page.inner_text("#buy-tile .figure b") == "$800"
    assert visit.faults == []


COSTS = """() => [...document.querySelectorAll('#job-cost-table-panel tbody tr')]
    .map(row => [...row.cells].map(cell => cell.textContent))"""
COSTS_ARE = f"costs => JSON.stringify(({COSTS})().map(row => row[2])) === JSON.stringify(costs)"


def test_the_chart_of_the_job_follows_the_choice(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    """It has the ten cheapest GPUs and the fastest; its first view is what the script writes for the same question."""
    page = visit.open("index.html?run=train&job-cost.tab=table")
    page.wait_for_selector("#job-cost-table-panel tbody tr")
    first, title = page.evaluate(COSTS), page.inner_text("#job-cost .gl-title")
    page.click("#recommend .gl-more summary")
    for gpus in ("4", "1"):
        page.fill("#recommend [name=gpus]", gpus)
        ranked = [one for one in rules.answer(con, Question(workload=FIRST, gpus=int(gpus), hours=None)) if one.rank]
        fastest = min(ranked, key=lambda one: one.seconds or 0)
        costs = [number(one.cost_usd) for at, one in enumerate(ranked) if at < 10 or one.gpu_id == fastest.gpu_id]
        page.wait_for_function(COSTS_ARE, arg=costs)
        assert page.inner_text("#job-cost .gl-title").endswith(f"costs least: {usd(ranked[0].cost_usd)} for the job")
    assert (page.evaluate(COSTS), page.inner_text("#job-cost .gl-title")) == (first, title)
    page.select_option("#recommend [name=workload]", JOB)
    page.wait_for_function("job => document.querySelector('#job-cost .gl-sql code').textContent.includes(job)", arg=JOB)
    ((gpus,),) = con.execute(f"SELECT count(*) FROM ({page.text_content('#job-cost .gl-sql code')})").fetchall()
    assert gpus == len([one for one in rules.answer(con, Question(workload=JOB, hours=None)) if one.rank]) > 10
    rented = page.text_content("#job-cost .gl-source")
    page.select_option("#recommend [name=way]", "buy")
    page.check("#recommend [name=older]")
    page.wait_for_function("() => document.querySelector('#job-cost .gl-sql code').textContent.includes('offer_current')")
    con.execute(f"SELECT count(*) FROM ({page.text_content('#job-cost .gl-sql code')})")
    dates = "Prices of 31 January 2026 to 30 September 2026."
    assert page.text_content("#job-cost .gl-source") == f"{dates} Source: GPU Poet"
    assert "The prices are of 31 January 2026 to 30 September 2026." in page.inner_text("#lead")
    page.select_option("#recommend [name=way]", "rent")
    page.wait_for_function("() => document.querySelector('#job-cost .gl-sql code').textContent.includes('workload_cost')")
    assert page.text_content("#job-cost .gl-source") == rented
    assert visit.faults == []


@pytest.mark.parametrize(
    ("folder", "heading", "unit"), [("", "Prediction too uncertain for a rank", "hours"), ("zh/", "预测太不确定", "小时")]
)
def test_uncertain_times_are_one_group_in_hours(visit: Visit, folder: str, heading: str, unit: str) -> None:
    page = visit.open(f"{folder}index.html?run=train&gpus=4")
    page.wait_for_function("() => document.getElementById('several').hidden === false")
    groups = page.eval_on_selector_all("#left-out details", "found => found.map(one => one.textContent)")
    (uncertain,) = (text for text in groups if text.startswith(heading))
    assert uncertain.count(unit) > 1
    assert not re.search(r"\de\+\d", "".join(groups))
    assert visit.faults == []


@pytest.mark.parametrize(
    ("address", "text"),
    [
        (f"run=train&workload={JOB}&gpus=2", "Memory: the smallest GPU on which it was measured has 16 GB."),
        ("run=image&workload=efficientnet_training", "has 16 GB. One with 16 GB ran out of memory."),
    ],
)
def test_the_memory_of_measured_gpus_is_stated(visit: Visit, address: str, text: str) -> None:
    page = visit.open(f"index.html?{address}")
    page.wait_for_function("text => document.getElementById('job-note').textContent.includes(text)", arg=text)
    groups = page.eval_on_selector_all("#left-out summary", "found => found.map(one => one.textContent)")
    assert not any(re.match(r"\d+ GB of memory", group) for group in groups), "sizes of memory are one group, not one each"
    assert visit.faults == []


def test_nonsense_is_told_and_leaves_the_last_answer(visit: Visit) -> None:
    page = visit.open(f"index.html?memory=lots&gpus=99&cuda=new&way=steal&workload={JOB}")
    page.wait_for_selector("#recommend .gl-ignored")
    page.wait_for_function("() => / for the job in [\\d.]+ (minutes|hours?)/.test(document.getElementById('lead').textContent)")
    told = page.inner_text(".gl-ignored")
    assert all(part in told for part in ("memory=lots (not a number)", "gpus=99 (above 8)", "cuda=new", "way=steal"))
    before = page.evaluate(STANDING)
    page.click("#recommend .gl-more summary")
    page.fill("input[name=gpus]", "0")
    assert "Number of GPUs: a whole number from 1 to 8" in page.inner_text("#recommend .gl-fault")
    assert page.get_attribute("input[name=gpus]", "aria-invalid") == "true"
    assert page.evaluate(STANDING) == before
    page.fill("input[name=gpus]", "2")
    assert page.is_hidden("#recommend .gl-fault")
    assert visit.faults == []


def test_tables_that_do_not_load_are_told(visit: Visit) -> None:
    visit.page.route("**/recommend-data.js", lambda route: route.abort())
    page = visit.open("index.html?run=train")
    before = page.evaluate(STANDING)
    page.select_option("select[name=workload]", JOB)
    page.wait_for_selector("#recommend .gl-ignored")
    assert "did not load" in page.inner_text("#recommend .gl-ignored")
    assert page.evaluate(STANDING) == before


def test_the_recommendation_form_works_from_disk(browser: Any, site: Path) -> None:
    answer_from_disk(browser, site)


def test_the_recommendation_form_works_with_hostile_names(browser: Any, hostile_site: Path) -> None:
    answer_from_disk(browser, hostile_site)


def answer_from_disk(browser: Any, folder: Path) -> None:
    opened = Visit(browser, folder.as_uri() + "/")
    page = opened.open("index.html?run=train")
    page.select_option("select[name=workload]", index=1)
    page.select_option("select[name=way]", "buy")
    page.wait_for_function("() => /^(Buy|No) /.test(document.getElementById('lead').textContent)")
    assert page.evaluate("window.hit") is None
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    # the site's search opens from disk in the downloadable build alone
    assert [fault for fault in opened.faults if "ERR_FILE_NOT_FOUND" not in fault and "search_index" not in fault] == []
    opened.close()
