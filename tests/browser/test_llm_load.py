"""The form for language models with the reader's own load and types: it answers as the command does."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from tests.browser.visit import Visit
from tests.command import gpuledger

LEAD = "told => document.getElementById('llm-lead').textContent.includes(told)"
COST, SPEED = 2, 3  # cells of a row


def first_rows(page: Any, count: int = 8) -> list[list[str]]:
    rows = page.query_selector_all("#llm-ranked tbody tr")[:count]
    return [[cell.text_content().strip() for cell in row.query_selector_all("th, td")] for row in rows]


def values(page: Any, *names: str) -> list[str]:
    return [page.input_value(f"#llm [name={name}]") for name in names]


def command_of(page: Any, built: Path) -> list[dict[str, str]]:
    """The rows that the command on the page prints."""
    words = page.text_content("#llm-cost .gl-sql code").split("-- gpuledger ")[1].splitlines()[0].split()
    answer = gpuledger(*words, "--db", str(built / "gpuledger.duckdb"), "--format", "csv")
    return list(csv.DictReader(io.StringIO(answer.stdout)))


@pytest.mark.parametrize(
    "address",
    [
        "model=llama-3.1-8b&use=chat&type=bf16&context=384&users=2",
        "model=llama-3.1-8b&use=chat&context=2048",
        "model=llama-3.1-8b&context=4096",
        "model=deepseek-v3.1&use=chat",
        "model=qwen2.5-32b&users=4",
    ],
)
def test_a_question_that_no_table_has_is_answered_as_its_command_does(visit: Visit, built: Path, address: str) -> None:
    page = visit.open(f"index.html?{address}")
    page.click("#llm-cost-sql-tab")
    page.wait_for_function("() => document.querySelector('#llm-cost .gl-sql code').textContent.includes('gpuledger recommend')")
    rows, expected = first_rows(page), command_of(page, built)
    shown = [[float(re.sub("[$,]", "", row[cell].split()[0])) for cell in (COST, SPEED)] for row in rows]
    told = [[float(one["usd_per_million"]), float(one["tokens_per_s"])] for one in expected[: len(rows)]]
    assert np.ravel(shown).tolist() == pytest.approx(np.ravel(told).tolist(), rel=0.01)
    assert [row[0] for row in rows] == [one["rank"] for one in expected[: len(rows)]]
    assert all("predicted" in " ".join(row) for row in rows)
    assert visit.faults == []


@pytest.mark.parametrize(("model", "stored"), [("gpt-oss-120b", "MXFP4"), ("deepseek-r1", "FP8")])
def test_several_users_get_the_best_type_as_from_the_command(visit: Visit, built: Path, model: str, stored: str) -> None:
    page = visit.open(f"index.html?model={model}&use=chat")  # a choice would leave the answer of the last model for a moment
    page.wait_for_function(LEAD, arg=f"Weights: {stored}.")
    arguments = ("recommend", "--model", model, "--use", "chat", "--db", str(built / "gpuledger.duckdb"), "--format", "csv")
    expected = list(csv.DictReader(io.StringIO(gpuledger(*arguments).stdout)))
    rows = first_rows(page)
    assert stored in rows[0][1]
    shown = [float(row[COST].split()[0].strip("$")) for row in rows]
    assert shown == pytest.approx([float(one["usd_per_million"]) for one in expected[: len(rows)]], rel=0.01)
    types = [one["quantization"].upper() for one in expected[: len(rows)]]
    assert all(name in row[1] for name, row in zip(types, rows, strict=True))
    assert visit.faults == []


def test_a_model_in_four_bits_is_not_asked_for_in_sixteen(visit: Visit) -> None:
    page = visit.open("index.html?model=kimi-k2.5&use=chat")
    page.wait_for_function(LEAD, arg="Weights: INT4.")
    assert "INT4" in first_rows(page)[0][1]
    assert page.is_enabled("#llm [name=type] option[value=int4]")
    assert visit.faults == []


def test_weights_without_speeds_have_the_cheapest_machine_that_holds_them(visit: Visit) -> None:
    page = visit.open("index.html?model=deepseek-v3.1&type=q8_0")
    page.wait_for_function(LEAD, arg="no speed of this model with these weights")
    assert page.inner_text("#llm-lead").startswith("Cheapest machine that holds the model, out of ")
    assert page.inner_text("#llm-rent .context") == "enough memory, speed not known here"
    assert not page.is_visible("#llm-cost")
    assert [first_rows(page)[0][cell] for cell in (0, COST, SPEED)] == ["", "", ""]
    assert visit.faults == []


def test_the_published_type_is_offered_and_stays_in_the_address(visit: Visit) -> None:
    page = visit.open("index.html?model=gpt-oss-120b&use=chat&type=mxfp4")
    page.wait_for_function(LEAD, arg="per million tokens")
    assert "type=mxfp4" in page.url
    assert page.query_selector(".gl-ignored") is None
    page.select_option("#llm [name=model]", "llama-3.1-8b")
    page.wait_for_function("() => !location.search.includes('mxfp4')")
    assert values(page, "type") == ["best"]
    assert page.is_disabled("#llm [name=type] option[value=mxfp4]")
    assert visit.faults == []


def test_no_gpu_with_enough_memory_is_said_to_lack_it(visit: Visit) -> None:
    page = visit.open("index.html?run=tune&model=qwen3-32b&method=full&context=1280&users=64")
    page.wait_for_function(LEAD, arg="has enough memory, but its speed with this model is not known")
    assert "Nearest" not in page.inner_text("#llm-lead")
    assert visit.faults == []


@pytest.mark.parametrize("method", ["lora", "full"])
def test_a_fine_tune_without_bf16_says_so(visit: Visit, built: Path, con: duckdb.DuckDBPyConnection, method: str) -> None:
    page = visit.open(f"index.html?run=tune&model=qwen2.5-7b&method={method}")
    page.wait_for_function(LEAD, arg=" for the job in ")
    asked = ("recommend", "--model", "qwen2.5-7b", "--tune", method, "--db", str(built / "gpuledger.duckdb"), "--format", "csv")
    answer = gpuledger(*asked)
    first = next(csv.DictReader(io.StringIO(answer.stdout)))["gpu_id"]
    older = con.execute("SELECT TRY_CAST(compute_capability AS DOUBLE) < 8 FROM gpu WHERE gpu_id = ?", [first]).fetchone()
    told = "It has no BF16, so it trains in FP16 with loss scaling."
    assert (told in page.inner_text("#llm-lead")) is (told in answer.stderr) is (older == (True,))
    assert visit.faults == []


def test_fine_tuning_keeps_the_model_and_not_the_load_of_a_use(visit: Visit) -> None:
    page = visit.open("index.html")
    page.select_option("#llm [name=use]", "chat")
    page.select_option("#run select", "tune")
    page.wait_for_function(LEAD, arg=" for the job in ")
    assert values(page, "model", "context", "users") == ["llama-3.1-8b", "2048", "1"]
    page.select_option("#run select", "llm")
    page.wait_for_function(LEAD, arg=" for 64 requests at a time")
    page.click("#llm .gl-more summary")
    page.fill("#llm [name=users]", "4")
    page.select_option("#run select", "tune")
    page.wait_for_function(LEAD, arg=" for the job in ")
    assert values(page, "context", "users") == ["2048", "4"], "the reader chose the users"
    assert visit.faults == []


def test_an_address_with_a_use_alone_has_its_load(visit: Visit) -> None:
    page = visit.open("index.html?use=chat")
    page.wait_for_function(LEAD, arg=" for 64 requests at a time")
    assert values(page, "users", "context", "type") == ["64", "384", "best"]
    assert page.url.endswith("?use=chat")
    page.click("#llm .gl-more summary")
    page.fill("#llm [name=users]", "1")
    page.wait_for_function("() => location.search.includes('users=1')")
    page.reload()
    page.wait_for_function(LEAD, arg="than you can read")
    assert values(page, "users") == ["1"]
    assert visit.faults == []


PLACES = """() => {
    const { llmAdvice } = window.gpuledger;
    const one = { gpu_id: "a", name: "A", gpus: 1, copies: 1, rank: 1, usd_per_million: 1, usd_per_hour: 1, tokens_per_s: 99,
        variant_stated: true, provider: "x" };
    const asked = { tune: null, millions: 1, objective: "cheapest", titles: new Map(), load: { users: 64, context: 384 } };
    return [[one], [{ ...one, tokens_per_s: null }]].map(running => llmAdvice(asked, running, [], []));
}"""


def test_one_gpu_is_not_the_best_of_one(visit: Visit) -> None:
    ranked, unknown = visit.open("index.html").evaluate(PLACES)
    assert "No other GPU has a rank." in ranked
    assert "also the fastest" not in ranked
    assert unknown.startswith("The only machine that holds the model at a known price: ")
    assert visit.faults == []
