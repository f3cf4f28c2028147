"""Rows of the speed model's tables: comparisons with measured runs, and speeds of popular models on every GPU."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import polars as pl

from pipeline.llm import memory, speed_model
from pipeline.llm.inputs import Inputs
from pipeline.llm.memory import COUNTS, LOCAL, SERVED, Question
from pipeline.llm.speed_model import PhaseModel, parts_of
from pipeline.llm.speed_terms import TERMS
from pipeline.schema.llm_speed import CLASSES, LlmPrediction, LlmSpeed, LlmSpeedPart

POPULAR = (
    "llama-3.2-3b", "llama-3.1-8b", "llama-3.3-70b", "mistral-7b", "mistral-small-3.1-24b", "mixtral-8x7b", "qwen2.5-7b",
    "qwen2.5-14b", "qwen2.5-72b", "qwen3-4b", "qwen3-8b", "qwen3-14b", "qwen3-30b-a3b", "qwen3-32b", "qwen3-235b-a22b",
    "qwen3-coder-480b-a35b", "qwen3.5-397b-a17b", "qwen3.6-27b", "qwen3.6-35b-a3b", "gemma-2-9b", "gemma-2-27b", "gemma-3-12b",
    "gemma-3-27b", "gemma-4-26b-a4b", "gemma-4-31b", "llama-4-scout-17b-16e", "phi-4", "gpt-oss-20b", "gpt-oss-120b",
    "deepseek-r1", "deepseek-v3.2", "deepseek-v4-flash", "deepseek-v4-pro", "glm-4.5-air", "glm-4.7-flash", "glm-5.2",
    "kimi-k2.5", "kimi-k2.6", "kimi-k2.7", "minimax-m2.7", "minimax-m3", "mimo-v2-flash", "step-3.7-flash",
)  # fmt: skip
LOCAL_STEPS = {"prefill": (512, 0), "decode": (0, 128)}  # lengths as measured: a prompt alone, and output after an empty prompt
EXAMPLE = {"llm_model_id": "llama-3.1-8b", "gpu_id": "nvidia-h100-sxm5-80gb"}
KEY = ["llm_model_id", "gpu_id", "gpu_count", "quantization", "phase", "prompt_tokens", "output_tokens"]
Row = dict[str, Any]
SAME_CONCURRENCY = 1.42  # ratio of requests in progress up to which a measured run counts for a use


def every_table(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> dict[str, pl.DataFrame]:
    """Compute the rows of all tables of the model, by table name."""
    rows = speed_model.add_facts(speed_model.measured_seconds(inputs.runs), inputs.models, inputs.gpus)
    models = list(speed_model.fit_models(rows))
    compared = pl.concat(_compare(one) for one in models)
    asked = configurations(con, inputs, list(_popular_questions(con, inputs.uses)))
    return {
        "llm_prediction": compared.select(LlmPrediction.__table__.column_names),
        "llm_speed_part": pl.concat(_parts(one, asked) for one in models).select(LlmSpeedPart.__table__.column_names),
        "llm_speed": _speeds(inputs, asked, models).select(LlmSpeed.__table__.column_names),
    }


def _compare(fitted: PhaseModel) -> pl.DataFrame:
    """Return the measured rows with the speeds that model and roofline give without the row's GPU."""
    left_out, roofline = speed_model.compare_left_out(fitted)
    per_step = pl.when(pl.col("phase") == "serving").then("concurrency").otherwise(1.0)
    measured = per_step / pl.col("seconds")
    return fitted.rows.with_columns(
        measured_tokens_per_s=measured,
        predicted_tokens_per_s=measured * np.exp(-left_out.error),
        roofline_tokens_per_s=measured * np.exp(-roofline),
        is_covered=pl.Series(left_out.is_covered),
        is_fitted=speed_model.is_fitted(),
    ).rename({"group": "run_class"})


def _parts(fitted: PhaseModel, asked: pl.DataFrame) -> pl.DataFrame:
    """Return the terms of a fit with their coefficients, and their parts of the time in the example."""
    classes = [name for name in CLASSES if name in fitted.widths and fitted.phase == "prefill"]
    is_example = (pl.col("phase") == fitted.phase) & pl.col("group").is_in(list(fitted.widths))
    is_example &= pl.col("use").is_in(["chat", "single"]) & (pl.col("quantization") != "fp8")
    example = asked.filter(is_example, **EXAMPLE).sort("use", "gpu_count").head(1)
    seconds = (parts_of(example, fitted.phase) * fitted.coefficients).ravel().tolist() if len(example) else None
    names = list(TERMS[fitted.phase])
    return pl.DataFrame(
        {"term": names, "coefficient": fitted.coefficients, "term_number": range(1, len(names) + 1)}
    ).with_columns(
        phase=pl.lit(fitted.phase),
        run_class=pl.lit(classes[0] if classes else "all"),
        example_s=pl.Series(seconds or [None] * len(names), dtype=pl.Float64),
        n_runs=pl.lit(len(fitted.runs.seconds)),
        n_gpus=pl.lit(len(np.unique(fitted.runs.gpu))),
    )


def _speeds(inputs: Inputs, asked: pl.DataFrame, models: Sequence[PhaseModel]) -> pl.DataFrame:
    predicted = pl.concat(predict(one, asked) for one in models)
    measured = _measured(inputs.runs, asked)
    rows = predicted.join(measured, on=[*KEY, "use"], how="left").with_columns(size_class=speed_model.size_class())
    return rows.join(inputs.spreads, on=["phase", "size_class"], how="left").with_columns(
        basis=pl.when(pl.col("measured").is_null()).then(pl.lit("predicted")).otherwise(pl.lit("measured")),
        tokens_per_s=pl.coalesce("measured", "predicted_tokens_per_s"),
        low=pl.when(pl.col("measured").is_null()).then("low").otherwise(
            pl.coalesce("measured_low", pl.col("measured") / pl.col("factor_90"))
        ),
        high=pl.when(pl.col("measured").is_null()).then("high").otherwise(
            pl.coalesce("measured_high", pl.col("measured") * pl.col("factor_90"))
        ),
        n_measurements=pl.col("n_measurements").fill_null(0),
    ).sort([*KEY, "use"])  # fmt: skip


def predict(fitted: PhaseModel, asked: pl.DataFrame) -> pl.DataFrame:
    """Predict the configurations of the model's phase and classes, on GPUs of vendors that were measured in it."""
    vendors = fitted.rows["vendor"].unique().to_list()
    own = asked.filter(
        (pl.col("phase") == fitted.phase) & pl.col("group").is_in(list(fitted.widths)) & pl.col("vendor").is_in(vendors)
    )
    tokens = pl.when(pl.col("phase") == "serving").then("concurrency").otherwise(1.0)
    return fitted.predict(own).with_columns(
        predicted_tokens_per_s=tokens / pl.col("seconds"), low=tokens / pl.col("high_s"), high=tokens / pl.col("low_s")
    )


def configurations(con: duckdb.DuckDBPyConnection, inputs: Inputs, asked: Sequence[tuple[Question, Row]]) -> pl.DataFrame:
    """Return what the speed of each question depends on, by GPU: on the fewest of 1, 2, 4 or 8 on which model and use fit.

    One user of llama.cpp may want a long context: more GPUs too.
    """
    older = _only_older(inputs)
    fits = memory.answer(con, [question for question, _ in asked])
    rows = [
        _row(fit.gpu_id, count, fit.weight_gb, *asked[fit.place]) | {"source_id": older.get(fit.gpu_id), "is_fewest": number == 0}
        for fit in fits
        for number, count in enumerate(count for count in COUNTS if count >= (fit.gpus_needed or math.inf))
        if number == 0 or asked[fit.place][0].quantization == LOCAL
    ]
    facts = speed_model.add_facts(pl.DataFrame(rows), inputs.models, inputs.gpus)
    gpus, kv_heads = pl.col("tensor_parallel"), pl.col("n_kv_heads")
    shares_heads = (pl.col("n_heads") % gpus == 0) & ((kv_heads % gpus == 0) | (gpus % kv_heads == 0)).fill_null(True)
    runs = pl.when(pl.col("phase") == "serving").then(pl.col("runs_vllm") & shares_heads).otherwise(True)
    narrow = pl.col("quantization").is_in(memory.NARROW)
    has_type = ~narrow | (pl.col("tensor_8bit").is_not_null() & (pl.col("vendor") == "NVIDIA"))
    has_machine = ~pl.col("is_alone") | (pl.col("gpu_count") == 1)
    return facts.filter(runs & has_type & has_machine)


def _only_older(inputs: Inputs) -> dict[str, str | None]:
    """Return the source of older runs for each GPU of a vendor whose serving was measured in no other."""
    serving = inputs.runs.filter(pl.col("phase") == "serving").join(inputs.gpus, on="gpu_id")
    newer = serving.filter(pl.col("source_id") != speed_model.OLDER_ENGINE)["vendor"].unique().to_list()
    return {
        gpu: None if vendor in newer else speed_model.OLDER_ENGINE
        for gpu, vendor in inputs.gpus.select("gpu_id", "vendor").rows()
    }


def _popular_questions(con: duckdb.DuckDBPyConnection, uses: pl.DataFrame) -> Iterator[tuple[Question, Row]]:
    for name in POPULAR:
        question = memory.model_question(con, name)
        if question is not None:
            for quantization in (*memory.served_types(con, name), LOCAL):
                yield from questions(memory.with_quantization(con, question, quantization), uses)


def questions(question: Question, uses: pl.DataFrame) -> Iterator[tuple[Question, Row]]:
    """Yield the question of memory of a model in each use, with what the speed depends on; none for a type without a speed."""
    yield from served_questions(question, uses.to_dicts())
    yield from local_questions(question, LOCAL_STEPS)


def served_questions(question: Question, loads: Sequence[Row]) -> Iterator[tuple[Question, Row]]:
    """Yield the questions of a type that vLLM runs."""
    if question.quantization in SERVED:
        for load in loads:
            tokens, users = load["prompt_tokens"] + load["output_tokens"], int(load["concurrency"])
            facts = {name: load[name] for name in ("use", "prompt_tokens", "output_tokens", "concurrency")}
            yield replace(question, context_tokens=tokens, users=users), facts | {"phase": "serving", "engine": "vLLM"}


def local_questions(question: Question, steps: dict[str, tuple[int, int]]) -> Iterator[tuple[Question, Row]]:
    """Yield the questions of the type that llama.cpp runs for one user, at the lengths of prompt and output of each step."""
    if question.quantization == LOCAL:
        for phase, (prompt, output) in steps.items():
            local = replace(question, context_tokens=prompt + output, users=1)
            lengths = {"use": "single", "prompt_tokens": prompt, "output_tokens": output, "concurrency": 1.0}
            yield local, lengths | {"phase": phase, "engine": "llama.cpp"}


def _row(gpu_id: str, count: int, weight_gb: float, question: Question, use: Row) -> Row:
    return use | {
        "llm_model_id": question.llm_model_id,
        "gpu_id": gpu_id,
        "gpu_count": count,
        "quantization": question.quantization,
        "weight_bytes": weight_gb * 1e9,
        "tensor_parallel": count if use["phase"] == "serving" else 1,
    }


def _measured(runs: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Return the median speed over the measured machines, each at its load nearest to the use, and the range of several."""
    same = runs.with_columns(quantization=pl.col("quantization").replace(memory.SPEED_TYPES)).filter(
        pl.col("is_count_known") & ~pl.col("is_inferencex") & (pl.col("engine").str.to_lowercase().is_in(["vllm", "llama.cpp"]))
    )
    pairs = asked.select(*KEY, "use", "concurrency").join(same, on=KEY, suffix="_run")
    ratio = pl.max_horizontal(
        pl.col("concurrency") / pl.col("concurrency_run"), pl.col("concurrency_run") / pl.col("concurrency")
    )
    near = pairs.with_columns(ratio=ratio).filter(pl.col("ratio") <= SAME_CONCURRENCY).sort("ratio", "tokens_per_s")
    speed, several = pl.col("tokens_per_s"), pl.when(pl.len() > 1)
    return near.unique([*KEY, "use", "machine"], keep="first").group_by([*KEY, "use"]).agg(
        measured=speed.median(), measured_low=several.then(speed.min()), measured_high=several.then(speed.max()),
        n_measurements=pl.len().cast(pl.Int64),
    )  # fmt: skip
