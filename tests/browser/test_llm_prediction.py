"""The form for language models under loads and for models that no table has: the speeds that the command predicts."""

import random
from dataclasses import asdict, replace
from typing import Any

import duckdb
import pytest

from pipeline.llm import memory
from pipeline.llm.request_load import change_load, read_loads
from pipeline.recommend import language_model
from tests.browser.test_llm_form import EVERY_QUESTION, FIRST_QUESTIONS, shown_figures, shown_words
from tests.browser.visit import Visit

ANSWER = """async asked => {
    const data = await gpuledger.llmTables();
    const answers = [];
    for (const one of asked) {
        const model = data.model.find(found => found.llm_model_id === one.model);
        answers.push((await gpuledger.llmAnswer(data, model, one)).choices);
    }
    return answers;
}"""


def random_question(dice: random.Random, con: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """A question as the form asks it; half of the loads are the reader's own."""
    models = con.execute("SELECT DISTINCT llm_model_id FROM llm_fit_case WHERE llm_model_id IS NOT NULL ORDER BY 1").fetchall()
    use = dice.choice(("single", "chat", "retrieval", "long", "batch"))
    load = read_loads(con)[use]
    usual = {"users": int(load.concurrency), "context": memory.DEFAULT_CONTEXT if use == "single" else load.tokens}
    users = usual["users"] if use == "single" or dice.random() < 0.3 else dice.choice((1, 2, 5, 20, 50, 300))
    context = usual["context"] if dice.random() < 0.5 else dice.choice((1000, 2048, 4000))
    types = ["q4_k_m", "fp8", "bf16"] if use == "single" else ["best", "best", "fp8", "q4_k_m"]
    return {
        "model": dice.choice(models)[0], "use": use, "quantization": dice.choice(types), "tune": None, "users": users,
        "context": context, "objective": dice.choice(language_model.OBJECTIVES), "load": usual,
    }  # fmt: skip


def answer_of_command(con: duckdb.DuckDBPyConnection, asked: dict[str, Any]) -> list[language_model.RankedGpu]:
    """The answer of `gpuledger recommend` to the same question."""
    question = memory.model_question(con, asked["model"])
    assert question
    context = min(asked["context"], question.model_context_tokens or asked["context"])
    load = read_loads(con)[asked["use"]]
    is_usual = asked["context"] in (asked["load"]["context"], load.tokens)
    load = change_load(load, load.tokens if is_usual else context, asked["users"])
    best = asked["quantization"] == "best"
    types = memory.served_types(con, asked["model"]) if best else [asked["quantization"]]
    sized = replace(question, context_tokens=context, users=asked["users"], may_wait=load.may_wait)
    questions = [memory.with_quantization(con, sized, one) for one in types]
    return language_model.answer_for_load(con, questions, load, asked["objective"])


@pytest.mark.parametrize("count", [FIRST_QUESTIONS, pytest.param(EVERY_QUESTION, marks=pytest.mark.full)])
def test_the_page_predicts_as_the_command_does(visit: Visit, con: duckdb.DuckDBPyConnection, count: int) -> None:
    dice = random.Random(23)  # noqa: S311
    questions = [random_question(dice, con) for _ in range(count)]
    there = visit.open("index.html").evaluate(ANSWER, questions)
    predicted = 0
    for asked, theirs in zip(questions, there, strict=True):
        ours = [asdict(one) for one in answer_of_command(con, asked)]
        assert [shown_words(row) for row in theirs] == [shown_words(row) for row in ours], asked
        for mine, other in zip(ours, theirs, strict=True):
            assert shown_figures(mine) == pytest.approx(shown_figures(other), rel=1e-6, nan_ok=True), (asked, mine["gpu_id"])
        predicted += any(row["basis"] == "predicted" and not row["reason"] for row in ours)
    assert predicted > count / 2, "too few questions have a predicted speed"
    assert visit.faults == []
