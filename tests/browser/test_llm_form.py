"""The form for language models: the same answers as `gpuledger recommend --model`, in the browser, and its addresses."""

import math
import random
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipeline.llm import memory
from pipeline.recommend import language_model
from pipeline.recommend.other_billing import find_cheaper
from pipeline.recommend.to_buy import LAST_KNOWN, MACHINES, to_buy
from pipeline.warehouse.connection import dictionaries
from tests.browser.visit import Visit
from tests.command import gpuledger

FIRST_QUESTIONS, EVERY_QUESTION = 20, 200
CHOOSE = """async asked => {
    const data = await gpuledger.llmTables();
    const answers = [];
    for (const { questions, use, objective } of asked) {
        const model = data.model.find(one => one.llm_model_id === questions[0].llm_model_id);
        const pairs = await Promise.all(questions.map(async one => [one, await gpuledger.ratesOf(model, one, use)]));
        const choices = gpuledger.llmChoose(data, pairs, objective);
        answers.push([choices, gpuledger.llmCheaper(data, choices), gpuledger.llmToBuy(data, choices)]);
    }
    return answers;
}"""
WORDS = ("rank", "gpu_id", "gpus", "at_once", "basis", "unranked", "provider", "price_date", "variant_stated", "reason")
FIGURES = ("needed_gb", "usable_gb", "tokens_per_s", "low", "high", "usd_per_hour", "usd_per_million", "usd_per_million_low")


def random_question(dice: random.Random, con: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    models = con.execute("SELECT DISTINCT llm_model_id FROM llm_fit_case ORDER BY 1").fetchall()
    ranked = con.execute("SELECT DISTINCT llm_model_id FROM llm_rank WHERE rank IS NOT NULL ORDER BY 1").fetchall()
    question = memory.model_question(con, dice.choice(ranked if dice.random() < 0.8 else models)[0])
    assert question
    tune = dice.choice((None, None, None, *memory.TUNES))
    stored = memory.STORED[tune] if tune else dice.choice(("bf16", "fp8", "q4_k_m"))
    question = replace(memory.with_quantization(con, question, stored), tune=tune)
    context = min(dice.choice((384, 2048, 8192, 32768)), question.model_context_tokens or 10**9)
    question = replace(question, context_tokens=context, users=dice.choice((1, 1, 8, 64)))
    use = dice.choice(("single", "chat", "retrieval", "long", "batch"))
    return {
        "question": replace(question, may_wait=use == "batch" and not tune),
        "use": use,
        "objective": dice.choice(language_model.OBJECTIVES),
    }


@pytest.mark.parametrize("count", [FIRST_QUESTIONS, pytest.param(EVERY_QUESTION, marks=pytest.mark.full)])
def test_the_page_chooses_as_the_command_does(visit: Visit, con: duckdb.DuckDBPyConnection, count: int) -> None:
    dice = random.Random(17)  # noqa: S311
    questions = [random_question(dice, con) for _ in range(count)]
    page = visit.open("index.html")
    there = page.evaluate(CHOOSE, [one | {"question": None, "questions": [asdict(one["question"])]} for one in questions])
    prices, machines = (dictionaries(con.execute(sql)) for sql in (LAST_KNOWN, MACHINES))
    placed = cheaper = bought = 0
    for one, (theirs, named, own) in zip(questions, there, strict=True):
        choices = language_model.answer(con, **one)
        expected = find_cheaper(con, choices)
        cheaper += bool(expected)
        assert shown_terms(named) == shown_terms(asdict(expected) if expected else None), one
        purchases = to_buy(prices, machines, choices)
        bought += bool(purchases)
        assert [row["gpu_id"] for row in own] == [row.choice.gpu_id for row in purchases], one
        assert [row["usd_per_token_s"] for row in own] == pytest.approx([row.usd_per_token_s for row in purchases], rel=1e-6), one
        ours = [asdict(found) for found in choices]
        assert [shown_words(row) for row in theirs] == [shown_words(row) for row in ours], one
        for mine, other in zip(ours, theirs, strict=True):
            assert shown_figures(mine) == pytest.approx(shown_figures(other), rel=1e-6, nan_ok=True), (one, mine["gpu_id"])
        placed += bool(ours[0]["rank"] and ours[0]["usd_per_million"])
    assert placed > count / 3, "too few questions have an answer"
    assert cheaper > count / 20, "too few questions have a cheaper answer on other terms"
    assert bought > count / 3, "too few questions have a GPU to buy"
    assert visit.faults == []


@pytest.mark.parametrize("model", ["nemotron-3.5-lightning-30b-a3b", "deepseek-v3.1", "qwen2.5-32b"])
def test_without_speeds_every_served_type_is_compared_by_price(visit: Visit, con: duckdb.DuckDBPyConnection, model: str) -> None:
    """The type of the publisher first; FP8 and smaller types only on NVIDIA GPUs with a rate for FP8."""
    asked = memory.model_question(con, model)
    assert asked
    types = memory.served_types(con, model)
    questions = [memory.with_quantization(con, replace(asked, context_tokens=384, users=16), one) for one in types]
    ours = language_model.choose(con, [(one, {}) for one in questions], language_model.read_offers(con), "cheapest")
    case = {"questions": [asdict(one) for one in questions], "use": "chat", "objective": "cheapest"}
    ((theirs, *_),) = visit.open("index.html").evaluate(CHOOSE, [case])
    assert [(*shown_words(row), row["quantization"]) for row in theirs] == [
        (*shown_words(asdict(one)), one.quantization) for one in ours
    ]
    running = [one for one in ours if not one.reason]
    assert running[0].quantization in (types[0], "fp8")
    rates = dict(con.execute("SELECT gpu_id, vendor = 'NVIDIA' AND fp8_tensor_tflops IS NOT NULL FROM gpu").fetchall())
    assert all(rates[one.gpu_id] for one in running if one.quantization in memory.NARROW)
    alone = language_model.choose(con, [(questions[0], {})], language_model.read_offers(con), "cheapest")
    assert (running[0].usd_per_hour or 0) <= (alone[0].usd_per_hour or 0), "the published type alone is no cheaper"
    assert visit.faults == []


def shown_words(row: dict[str, Any]) -> tuple[object, ...]:
    return tuple(str(row[name]) if name == "price_date" and row[name] else row[name] for name in WORDS)


def shown_figures(row: dict[str, Any]) -> list[float]:
    return [math.nan if row[name] is None else row[name] for name in FIGURES]


def shown_terms(row: dict[str, Any] | None) -> tuple[object, ...]:
    """What the page says of a rental on other terms."""
    return () if row is None else (*shown_words(row), row["billing"], f"{row['usd_per_hour']:.4g} {row['usd_per_million']:.4g}")


def cells(page: Any) -> list[str]:
    return [row.inner_text() for row in page.query_selector_all("#llm-ranked tbody tr")[:8]]


@pytest.mark.parametrize("edition", ["", "zh/"])
def test_the_page_is_written_as_the_form_writes_it(visit: Visit, edition: str) -> None:
    page = visit.open(edition + "index.html")
    before = [cells(page), *map(page.inner_text, ("#llm-lead", "#llm-memory", "#llm-rent"))]
    page.evaluate("document.querySelector('#llm-ranked tbody').firstElementChild.id = 'old'")
    page.dispatch_event("#llm select[name=model]", "input")
    page.wait_for_function("() => document.getElementById('old') === null")
    assert [cells(page), *map(page.inner_text, ("#llm-lead", "#llm-memory", "#llm-rent"))] == before
    assert "?" not in page.url
    assert visit.faults == []


def test_the_first_question_chooses_the_form(visit: Visit) -> None:
    page = visit.open("index.html")
    assert page.is_visible("#llm")
    assert not page.is_visible("#recommend")
    page.select_option("#run select", "image")
    page.wait_for_function("() => document.querySelector('#recommend [name=workload]').value.includes('_')")
    assert page.is_visible("#recommend")
    assert not page.is_visible("#llm")
    assert "run=image" in page.url
    page.select_option("#run select", "tune")
    page.wait_for_function("() => document.getElementById('llm-lead').textContent.includes(' for the job in ')")
    assert page.inner_text("#llm-ranked thead").count("USD PER JOB") or "USD per job" in page.inner_text("#llm-ranked thead")
    assert [page.input_value(f"#llm [name={name}]") for name in ("context", "model")] == ["2048", "llama-3.1-8b"]
    assert not page.is_visible("#llm [name=use]")
    assert visit.faults == []


@pytest.mark.parametrize(
    ("address", "run"),
    [
        ("workload=cnn&way=buy", "train"),
        ("workload=yolor_inference", "image"),
        ("workload=llm-decode", "llm"),
        ("memory=24", "train"),
    ],
)
def test_older_addresses_open_their_form(visit: Visit, address: str, run: str) -> None:
    page = visit.open(f"index.html?{address}")
    page.wait_for_function("run => document.querySelector('#run select').value === run", arg=run)
    assert page.is_visible("#llm" if run == "llm" else "#recommend")


def test_a_use_sets_the_load_that_its_speed_is_of(visit: Visit) -> None:
    page = visit.open("index.html")
    page.select_option("#llm [name=use]", "chat")
    page.wait_for_function("() => document.getElementById('llm-lead').textContent.includes(' for 64 requests at a time')")
    assert [page.input_value(f"#llm [name={name}]") for name in ("users", "context", "type")] == ["64", "384", "best"]
    page.select_option("#llm [name=use]", "single")
    page.wait_for_function("() => document.getElementById('llm-lead').textContent.includes('than you can read')")
    assert "?" not in page.url
    assert visit.faults == []


@pytest.mark.parametrize(
    ("language", "told"), [("", "92 of 256 requests at once, the rest wait"), ("zh/", "256 个请求中同时运行 92 个，其余等待")]
)
def test_an_offline_batch_tells_how_many_requests_wait(visit: Visit, language: str, told: str) -> None:
    page = visit.open(f"{language}index.html?model=llama-3.1-8b&use=batch&type=bf16")
    row = "#llm-ranked tbody tr:has(a[href$='nvidia-geforce-rtx-4090-24gb/index.html'])"
    page.wait_for_function("([row, told]) => document.querySelector(row)?.textContent.includes(told)", arg=[row, told])
    assert page.text_content(f"{row} th").strip().startswith(("RTX 4090", "GeForce RTX 4090")), "one GPU"
    page.select_option("#llm [name=use]", "chat")
    page.wait_for_function("told => !document.getElementById('llm-ranked').textContent.includes(told.slice(-6))", arg=told)
    assert visit.faults == []


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("model=qwen3-32b&use=single&type=bf16", "GPUs that fit without a rank"),
        ("model=gpt-oss-20b&use=chat&type=mxfp4&users=64&context=384", "No GPU has a rank for gpt-oss-20b"),
    ],
)
def test_wide_predictions_are_grey_below_the_ranked_gpus(visit: Visit, address: str, told: str) -> None:
    page = visit.open(f"index.html?{address}")
    page.wait_for_function("told => document.getElementById('llm-lead').textContent.includes(told)", arg=told)
    rows = page.query_selector_all("#llm-ranked tbody tr")
    grey = [(row.get_attribute("class") or "") == "gl-unranked" for row in rows]
    assert grey == sorted(grey)
    assert sum(grey) > 10
    text = rows[grey.index(True)].text_content()
    assert "predicted, not ranked" in text
    assert text.count("$") >= 2
    assert visit.faults == []


def test_several_users_are_a_chat_and_not_one_user(visit: Visit, built: Path) -> None:
    """The command names the same use for the same number of users."""
    page = visit.open("index.html")
    page.click("#llm .gl-more summary")
    page.fill("#llm [name=users]", "16")
    page.wait_for_function("() => document.getElementById('llm-lead').textContent.includes(' for 16 requests at a time')")
    values = [page.input_value(f"#llm [name={name}]") for name in ("use", "users", "context", "type")]
    assert values == ["chat", "16", "384", "best"]
    page.click("#llm-cost-sql-tab")
    page.wait_for_function("() => document.querySelector('#llm-cost .gl-sql code').textContent.includes('--users 16')")
    command = page.text_content("#llm-cost .gl-sql code").splitlines()[1]
    assert command == "-- gpuledger recommend --model llama-3.1-8b --use chat --users 16"
    answer = gpuledger(*command.split()[2:], "--db", str(built / "gpuledger.duckdb"), "--format", "csv")
    assert "chat: 16 requests at a time of 256 + 128 tokens" in answer.stderr
    assert visit.faults == []


def test_an_address_is_a_question(visit: Visit) -> None:
    page = visit.open("index.html?model=llama-3.3-70b&type=q4_k_m&context=4096&users=0")
    page.wait_for_function("() => document.getElementById('llm-memory').textContent.startsWith('42.5 GB')")
    assert "users=0" in page.inner_text(".gl-ignored")
    assert "42.5 GB of weights and 1.34 GB of KV cache" in page.inner_text("#llm-memory")
    page.click("#llm .gl-more summary")
    page.fill("#llm [name=context]", "1000000000")
    assert "a whole number from 1 to 20,000,000" in page.inner_text("#llm .gl-fault")
    page.fill("#llm [name=context]", "1000000")
    page.wait_for_function("() => document.querySelector('#llm .gl-fault').textContent.includes('reads at most 131,072 tokens')")
    assert visit.faults == []


RANKED = """() => [...document.querySelectorAll('#llm-ranked tbody tr')].slice(0, 10).map(row => {
    const words = cell => [...cell.childNodes].filter(one => one.nodeName !== 'SMALL')
        .map(one => one.textContent).join('').trim();
    const [rank, gpu, cost, speed] = [...row.children].map(words);
    const provider = row.children[5].querySelector('span').textContent.replace(' ↗', '');
    return [rank, gpu.replace(/ \\(.*\\)$/, ''), provider, cost, speed];
}).filter(row => row[3])"""
CHARTED = """() => [...document.querySelectorAll('#llm-cost-table-panel tbody tr')].map(row => {
    const [rank, gpu, cost, , , speed, provider] = [...row.cells].map(cell => cell.textContent);
    return [rank, gpu.replace(/ \\(.*\\)$/, ''), provider, cost, speed];
})"""
SAME_ORDER = f"""() => {{
    const names = rows => JSON.stringify(rows.map(row => row.slice(0, 3)));
    return names(({CHARTED})()) === names(({RANKED})());
}}"""
OTHER_TITLE = """([before, unit]) => {
    const title = document.querySelector('#llm-cost .gl-title').textContent;
    return title !== before && title.endsWith(unit);
}"""

CHOICES = (("#llm [name=model]", "llama-3.3-70b", "per million tokens"), ("#run select", "tune", "for the job"))


def figures(rows: list[list[str]]) -> list[float]:
    """Costs and speeds of the rows."""
    return [float(text.strip("$").replace(",", "")) for row in rows for text in row[3:]]


def charted(page: Any) -> list[list[str]]:
    """The first ranked rows of the page, once the chart's table has the same; it writes more digits."""
    page.wait_for_function(SAME_ORDER)
    rows, ranked = page.evaluate(CHARTED), page.evaluate(RANKED)
    assert len(rows) > 5
    assert figures(rows) == pytest.approx(figures(ranked), rel=0.005)
    return list(ranked)


def test_the_chart_of_costs_follows_the_choice(visit: Visit) -> None:
    """The ranked rows name the form of a GPU in brackets, the chart does not."""
    page = visit.open("index.html")
    page.click("#llm-cost-table-tab")
    charted(page)
    seen = []
    for selector, chosen, unit in CHOICES:
        before = page.inner_text("#llm-cost .gl-title")
        page.select_option(selector, chosen)
        page.wait_for_function(OTHER_TITLE, arg=[before, unit])
        rows = charted(page)
        _, gpu, _, cost, _ = min(rows, key=lambda row: figures([row])[0])
        assert page.inner_text("#llm-cost .gl-title") == f"{gpu} costs least: {cost} {unit}"
        seen.append(rows)
    assert seen[0] != seen[1]
    assert visit.faults == []


def test_the_query_of_the_chart_runs_after_a_return_from_fine_tuning(visit: Visit, con: duckdb.DuckDBPyConnection) -> None:
    page = visit.open("index.html")
    page.click("#llm-cost-sql-tab")
    for run, table in (("tune", "llm_tuning_cost"), ("llm", "llm_rank")):
        page.select_option("#run select", run)
        page.wait_for_function("table => document.querySelector('#llm-cost .gl-sql code').textContent.includes(table)", arg=table)
        con.execute(f"SELECT count(*) FROM ({page.text_content('#llm-cost .gl-sql code')})")
    assert visit.faults == []


def test_the_budget_limits_the_gpus_to_buy(visit: Visit, built: Path) -> None:
    """As the option of the command does."""
    page = visit.open("index.html?model=llama-3.3-70b&purchase=2000")
    page.wait_for_function("() => document.querySelector('#llm-buy .gpu').textContent.startsWith('4 x ')")
    shown = page.eval_on_selector_all(
        "#llm-to-buy tbody tr a[href*='/gpus/']", "found => found.map(one => one.href.split('/').at(-2))"
    )
    asked = ("recommend", "--model", "llama-3.3-70b", "--buy", "--budget", "2000", "--format", "csv")
    answer = gpuledger(*asked, "--db", str(built / "gpuledger.duckdb"))
    assert shown == [line.split(",")[0] for line in answer.stdout.splitlines()[1:]]
    assert "The GPUs need 8 slots and " in page.inner_text("#llm-buy .context")
    page.fill("#llm [name=purchase]", "5")
    page.wait_for_function("() => document.querySelector('#llm-buy .context').textContent.includes('is within the budget')")
    assert page.is_hidden("#llm-to-buy .gl-scroll")
    page.fill("#llm [name=purchase]", "100000")
    page.wait_for_function("() => document.querySelector('#llm-buy .context').textContent.includes(' With one GPU: ')")
    assert page.url.endswith("?model=llama-3.3-70b&purchase=100000")
    assert visit.faults == []


def test_a_price_in_the_address_opens_the_form_for_language_models(visit: Visit) -> None:
    """Both forms ask the reader's price; it opened the form of training."""
    page = visit.open("index.html?model=qwen3-8b&price=500")
    page.wait_for_function("() => document.querySelector('#llm-buy .detail').textContent === 'your price'")
    assert page.input_value("#run select") == "llm"
    assert visit.faults == []


def test_one_user_of_a_model_published_as_mxfp4_runs_its_own_file(visit: Visit, built: Path) -> None:
    page = visit.open("index.html")
    page.select_option("#llm [name=model]", "gpt-oss-120b")
    page.wait_for_function("() => document.getElementById('llm-lead').textContent.includes('gpt-oss-120b as MXFP4 MoE')")
    assert page.url.endswith("?model=gpt-oss-120b")
    assert "63.4 GB of weights" in page.inner_text("#llm-memory")
    command = gpuledger("recommend", "--model", "gpt-oss-120b", "--db", str(built / "gpuledger.duckdb"))
    assert "gpt-oss-120b as mxfp4_moe, single" in command.stderr
    page.select_option("#llm [name=model]", "qwen3-8b")
    page.wait_for_function("() => document.querySelector('#llm [name=type]').value === 'q4_k_m'")
    assert visit.faults == []


def test_a_list_without_gpus_is_hidden_with_its_heading(visit: Visit) -> None:
    page = visit.open("index.html?run=tune&model=llama-3.3-70b&method=full")
    page.wait_for_function("() => document.querySelector('#llm-to-buy .gl-scroll').hidden")
    assert page.is_visible("#llm-choices")
    assert page.is_hidden("#llm-buying")
    assert page.is_hidden("#llm-to-buy summary")
    page.select_option("#llm [name=method]", "qlora")
    page.wait_for_function("() => !document.querySelector('#llm-to-buy .gl-scroll').hidden")
    assert page.is_visible("#llm-buying")
    assert visit.faults == []


def test_the_comparison_opens_with_the_question(visit: Visit) -> None:
    page = visit.open("index.html?model=llama-3.3-70b&use=chat&type=fp8")
    page.wait_for_function("() => document.querySelector('#llm-need a').search.includes('type=fp8')")
    first = page.get_attribute("#llm-ranked tbody tr th a", "href")
    page.click("#llm-need a")
    page.wait_for_function("() => document.querySelectorAll('#compare-table thead th').length === 4")
    asked = [page.input_value(f"#compare-form [name={name}]") for name in ("model", "use", "type")]
    assert asked == ["llama-3.3-70b", "chat", "fp8"]
    assert page.get_attribute("#compare-table thead th a", "href").split("gpus/")[1] == first.split("gpus/")[1]
    assert visit.faults == []
