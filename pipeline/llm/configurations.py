"""Configurations whose speed is asked for: a model in a type of weights, a load, a GPU and the number of GPUs that it needs."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import duckdb
import polars as pl

from pipeline.llm import memory
from pipeline.llm.inputs import Inputs
from pipeline.llm.memory import COUNTS, LOCAL_TYPES, SERVED, Fit, Question
from pipeline.llm.speed_model import OLDER_ENGINE, add_facts

LOCAL_STEPS = {"prefill": (512, 0), "decode": (0, 128)}  # lengths as measured: a prompt alone, and output after an empty prompt
Row = dict[str, Any]


def configurations(con: duckdb.DuckDBPyConnection, inputs: Inputs, asked: Sequence[tuple[Question, Row]]) -> pl.DataFrame:
    """Return what the speed of each question depends on, by GPU: on the fewest of 1, 2, 4 or 8 on which model and use fit.

    One user of llama.cpp may want a long context, and requests that wait may get more room: more GPUs too. The questions about
    requests that wait follow each other, one for each of COUNTS.
    """
    older = _only_older(inputs)
    fits = memory.answer(con, [question for question, _ in asked])
    has_room = {(fit.case_id, fit.gpu_id) for fit in fits if fit.fits and fit.at_once == asked[fit.case_id][0].users}
    rows = [
        _row(fit, count, *asked[fit.case_id]) | {"source_id": older.get(fit.gpu_id), "is_fewest": number == 0}
        for fit in fits
        for number, count in enumerate(count for count in COUNTS if count >= (fit.gpus_needed or math.inf))
        if _is_compared(asked[fit.case_id][0], number, count, fewer_suffice=(fit.case_id - 1, fit.gpu_id) in has_room)
    ]
    facts = add_facts(pl.DataFrame(rows), inputs.models, inputs.gpus)
    gpus, kv_heads = pl.col("tensor_parallel"), pl.col("n_kv_heads")
    shares_heads = (pl.col("n_heads") % gpus == 0) & ((kv_heads % gpus == 0) | (gpus % kv_heads == 0)).fill_null(True)
    runs = pl.when(pl.col("phase") == "serving").then(pl.col("runs_vllm") & shares_heads).otherwise(True)
    narrow, packed = (pl.col("quantization").is_in(types) for types in (memory.NARROW, memory.PACKED))
    has_fp8 = pl.col("tensor_8bit").is_not_null() & (pl.col("vendor") == "NVIDIA")
    has_type = (~narrow | has_fp8) & (~packed | pl.col("runs_packed"))
    has_machine = ~pl.col("is_alone") | (pl.col("gpu_count") == 1)
    return facts.filter(runs & has_type & has_machine)


def _is_compared(question: Question, number: int, count: int, *, fewer_suffice: bool) -> bool:
    """Return whether a number of GPUs counts, after `number` smaller ones: where requests wait, up to one with room for all."""
    if question.may_wait:
        return count == question.gpus and not (number and fewer_suffice)
    return number == 0 or question.quantization in LOCAL_TYPES


def _only_older(inputs: Inputs) -> dict[str, str | None]:
    """Return the source of older runs for each GPU of a vendor whose serving was measured in no other."""
    serving = inputs.runs.filter(pl.col("phase") == "serving").join(inputs.gpus, on="gpu_id")
    newer = serving.filter(pl.col("source_id") != OLDER_ENGINE)["vendor"].unique().to_list()
    return {gpu: None if vendor in newer else OLDER_ENGINE for gpu, vendor in inputs.gpus.select("gpu_id", "vendor").rows()}


def questions(question: Question, uses: pl.DataFrame) -> Iterator[tuple[Question, Row]]:
    """Yield the question of memory of a model in each use, with what the speed depends on; none for a type without a speed."""
    yield from served_questions(question, uses.to_dicts())
    yield from local_questions(question, LOCAL_STEPS)


def served_questions(question: Question, loads: Sequence[Row]) -> Iterator[tuple[Question, Row]]:
    """Yield the questions of a type that vLLM runs; where requests may wait, one for each number of GPUs, in order."""
    if question.quantization in SERVED:
        for load in loads:
            tokens, users = load["prompt_tokens"] + load["output_tokens"], int(load["concurrency"])
            facts = {name: load[name] for name in ("use", "prompt_tokens", "output_tokens", "concurrency")}
            for gpus in COUNTS if load["may_wait"] else COUNTS[:1]:
                sized = replace(question, context_tokens=tokens, users=users, may_wait=load["may_wait"], gpus=gpus)
                yield sized, facts | {"phase": "serving", "engine": "vLLM"}


def local_questions(question: Question, steps: dict[str, tuple[int, int]]) -> Iterator[tuple[Question, Row]]:
    """Yield the questions of a type that llama.cpp runs for one user, at the lengths of prompt and output of each step."""
    if question.quantization in LOCAL_TYPES:
        for phase, (prompt, output) in steps.items():
            local = replace(question, context_tokens=prompt + output, users=1, may_wait=False)
            lengths = {"use": "single", "prompt_tokens": prompt, "output_tokens": output, "concurrency": 1.0}
            yield local, lengths | {"phase": phase, "engine": "llama.cpp"}


def _row(fit: Fit, count: int, question: Question, use: Row) -> Row:
    return use | {
        "llm_model_id": question.llm_model_id,
        "gpu_id": fit.gpu_id,
        "gpu_count": count,
        "quantization": question.quantization,
        "weight_bytes": fit.weight_gb * 1e9,
        "asked_concurrency": use["concurrency"],
        "concurrency": float(fit.at_once),
        "tensor_parallel": count if use["phase"] == "serving" else 1,
        "usable_bytes": None,  # at_once says how many requests fit
    }
