"""The script of the pages answers questions of memory as `gpuledger fits` does: the same verdict and the same figures."""

import math
import random
from dataclasses import asdict, replace
from typing import Any

import duckdb
import pytest

from pipeline.llm import memory
from pipeline.llm.memory import Question
from pipeline.warehouse.connection import dictionaries
from tests.command import ROOT

QUESTIONS = 200
SCRIPT = ROOT / "site" / "docs" / "assets" / "llm-memory.js"
FITS = "([data, asked]) => asked.map(({ question, gpu }) => gpuledger.llmFit(data, question, gpu))"
WORDS = ("engine", "fits", "runs", "gpus_needed")
FIGURES = (
    "visible_gb",
    "usable_gb",
    "weight_gb",
    "kv_gb",
    "tuning_gb",
    "activation_gb",
    "gpu_gb",
    "max_context_tokens",
    "max_users",
)


def rows(con: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, Any]]:
    return dictionaries(con.execute(sql))


def by_hand(dice: random.Random) -> Question:
    """A configuration as a reader may type it, with and without the optional sizes."""
    heads = dice.choice((8, 9, 16, 32, 40, 64))
    layers, sliding = dice.randrange(1, 120), dice.choice((0, 0, dice.randrange(1, 60)))
    latent = dice.random() < 0.2
    global_heads = dice.choice((None, None, 1, 2, 4)) if sliding else None
    return Question(
        n_parameters=10 ** dice.uniform(8, 12),
        n_layers=layers + sliding,
        n_full_layers=layers if sliding == 0 or dice.random() < 0.8 else 0,
        n_sliding_layers=sliding,
        window_tokens=dice.choice((128, 1024, 4096)) if sliding else None,
        n_heads=heads,
        n_kv_heads=dice.choice([n for n in (1, 2, 3, 4, 8, heads) if n <= heads]),
        head_dim=dice.choice((64, 80, 128, 256)),
        hidden_size=dice.choice((None, 576, 896, 2880, 4096, 8192)),
        intermediate_size=dice.choice((None, 14336)),
        vocabulary_size=dice.choice((None, 32000, 128256)),
        tied_embeddings=dice.choice((None, True, False)),
        n_global_kv_heads=global_heads,
        global_head_dim=512 if global_heads else None,
        kv_share=dice.choice((None, None, 0.16)),
        index_bytes_per_token=dice.choice((None, None, 8052)),
        state_bytes_per_sequence=None if layers % 3 else 153_944_064,
        kv_lora_rank=512 if latent else None,
        qk_rope_head_dim=64 if latent else None,
        weight_bytes=dice.choice((None, None, 10 ** dice.uniform(8, 11))),
    )


def question(dice: random.Random, con: duckdb.DuckDBPyConnection, names: list[str], types: list[str]) -> Question:
    asked = memory.model_question(con, dice.choice(names)) if dice.random() < 0.7 else by_hand(dice)
    assert asked
    tune = dice.choice((None, None, *memory.TUNES)) if asked.hidden_size and asked.vocabulary_size else None
    return replace(
        asked,
        tune=tune,
        quantization=memory.STORED[tune] if tune else dice.choice(types),
        kv_bytes_per_value=dice.choice((2.0, 2.0, 1.0, 34 / 32, 18 / 32)),
        context_tokens=min(dice.choice((1, 512, 8192, 32768, dice.randrange(1, 200_000))), asked.model_context_tokens or 10**9),
        users=dice.choice((1, 1, 4, dice.randrange(1, 300))),
        gpus=dice.choice((1, 1, 2, 3, 4, 8, 16)),
    )


@pytest.fixture(scope="module")
def question_cases(con: duckdb.DuckDBPyConnection) -> list[tuple[Question, dict[str, Any]]]:
    dice = random.Random(17)  # noqa: S311
    names = [row["llm_model_id"] for row in rows(con, "SELECT DISTINCT llm_model_id FROM llm_fit_case ORDER BY 1")]
    types = [row["quantization"] for row in rows(con, "SELECT quantization FROM llm_quantization ORDER BY 1")]
    facts = "gpu_id, visible_gb, vendor, architecture, segment, compute_capability"
    gpus = rows(con, f"SELECT DISTINCT {facts} FROM llm_fit JOIN gpu USING (gpu_id) WHERE visible_gb >= 4 ORDER BY 1")
    return [(question(dice, con, names, types), dice.choice(gpus)) for _ in range(QUESTIONS)]


def test_the_page_answers_as_the_command_does(
    browser: Any, con: duckdb.DuckDBPyConnection, question_cases: list[tuple[Question, dict[str, Any]]]
) -> None:
    page = browser.new_page()
    page.add_script_tag(path=str(SCRIPT))
    data = {name: rows(con, f"SELECT * EXCLUDE (basis) FROM {name}") for name in ("llm_quantization", "llm_engine")}
    there = page.evaluate(FITS, [data, [{"question": asdict(one), "gpu": gpu} for one, gpu in question_cases]])
    page.close()
    here = [asdict(memory.answer(con, [one], gpu["gpu_id"])[0]) for one, gpu in question_cases]
    for (one, gpu), ours, theirs in zip(question_cases, here, there, strict=True):
        assert [theirs[name] for name in WORDS] == [ours[name] for name in WORDS], (one, gpu)
        assert _figures(theirs) == pytest.approx(_figures(ours), rel=1e-9, nan_ok=True), (one, gpu)
    verdicts = [row["fits"] for row in here]
    assert min(verdicts.count(verdict) for verdict in (True, False, None)) > 5, "the questions have one kind of answer"


def _figures(row: dict[str, Any]) -> list[float]:
    return [math.nan if row[name] is None else row[name] for name in FIGURES]
