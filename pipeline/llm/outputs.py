"""Rows of the speed model's tables: comparisons with measured runs, and speeds of popular models on every GPU."""

from collections.abc import Iterator, Sequence

import duckdb
import numpy as np
import polars as pl

from pipeline.llm import memory, phase_fits
from pipeline.llm.configurations import Row, configurations, questions
from pipeline.llm.inputs import Inputs
from pipeline.llm.memory import Question
from pipeline.llm.phase_fits import FittedModel
from pipeline.llm.speed_model import parts_of, size_class
from pipeline.llm.speed_terms import TERMS
from pipeline.schema.llm_speed import LlmPrediction, LlmSpeed, LlmSpeedInterval, LlmSpeedPart

POPULAR = (
    "llama-3.2-3b", "llama-3.1-8b", "llama-3.3-70b", "mistral-7b", "mistral-small-3.1-24b", "mixtral-8x7b", "qwen2.5-7b",
    "qwen2.5-14b", "qwen2.5-72b", "qwen3-4b", "qwen3-8b", "qwen3-14b", "qwen3-30b-a3b", "qwen3-32b", "qwen3-235b-a22b",
    "qwen3-coder-480b-a35b", "qwen3.5-397b-a17b", "qwen3.6-27b", "qwen3.6-35b-a3b", "gemma-2-9b", "gemma-2-27b", "gemma-3-12b",
    "gemma-3-27b", "gemma-4-26b-a4b", "gemma-4-31b", "llama-4-scout-17b-16e", "phi-4", "gpt-oss-20b", "gpt-oss-120b",
    "deepseek-r1", "deepseek-v3.2", "deepseek-v4-flash", "deepseek-v4-pro", "glm-4.5-air", "glm-4.7-flash", "glm-5.2",
    "kimi-k2.5", "kimi-k2.6", "kimi-k2.7", "minimax-m2.7", "minimax-m3", "mimo-v2-flash", "step-3.7-flash",
)  # fmt: skip
EXAMPLE = {"llm_model_id": "llama-3.1-8b", "gpu_id": "nvidia-h100-sxm5-80gb"}
KEY = ["llm_model_id", "gpu_id", "gpu_count", "quantization", "phase", "prompt_tokens", "output_tokens"]
SAME_CONCURRENCY = 1.42  # ratio of requests in progress up to which a measured run counts for a use


def every_table(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> dict[str, pl.DataFrame]:
    """Compute the rows of all tables of the model, by table name."""
    models = list(phase_fits.fit_models(phase_fits.measured_rows(inputs)))
    compared = pl.concat(_compare(one) for one in models)
    asked = configurations(con, inputs, list(_popular_questions(con, inputs.uses)))
    return {
        "llm_prediction": compared.select(LlmPrediction.__table__.column_names),
        "llm_speed_part": pl.concat(_parts(one, asked) for one in models).select(LlmSpeedPart.__table__.column_names),
        "llm_speed_interval": pl.concat(_intervals(one) for one in models).select(LlmSpeedInterval.__table__.column_names),
        "llm_speed": _speeds(inputs, asked, models).select(LlmSpeed.__table__.column_names),
    }


def _compare(fitted: FittedModel) -> pl.DataFrame:
    """Return the measured rows with the speeds that model and roofline give without the row's GPU."""
    left_out, roofline = phase_fits.compare_left_out(fitted)
    measured = 1 / pl.col("seconds_per_token")
    return fitted.rows.with_columns(
        measured_tokens_per_s=measured,
        predicted_tokens_per_s=measured * np.exp(-left_out.error),
        roofline_tokens_per_s=measured * np.exp(-roofline),
        is_covered=pl.Series(left_out.is_covered),
        is_fitted=phase_fits.is_fitted(),
        concurrency="requests",
    ).rename({"group": "run_class"})


def _parts(fitted: FittedModel, asked: pl.DataFrame) -> pl.DataFrame:
    """Return the terms of a fit with their coefficients, and their parts of the time in the example."""
    is_example = (pl.col("phase") == fitted.phase) & pl.col("group").is_in(list(fitted.widths))
    is_example &= pl.col("use").is_in(["chat", "single"]) & (pl.col("quantization") != "fp8")
    example = asked.filter(is_example, **EXAMPLE).sort("use", "gpu_count").head(1)
    seconds = (parts_of(example, fitted.phase) * fitted.coefficients).ravel().tolist() if len(example) else None
    names = list(TERMS[fitted.phase])
    return pl.DataFrame(
        {"term": names, "coefficient": fitted.coefficients, "term_number": range(1, len(names) + 1)}
    ).with_columns(
        phase=pl.lit(fitted.phase),
        run_class=pl.lit(fitted.size),
        example_s=pl.Series(seconds or [None] * len(names), dtype=pl.Float64),
        n_runs=pl.lit(len(fitted.runs.seconds)),
        n_gpus=pl.lit(len(np.unique(fitted.runs.gpu))),
    )


def _intervals(fitted: FittedModel) -> pl.DataFrame:
    """Return the factor of the interval of each class."""
    widths = list(fitted.widths.items())
    classes = pl.DataFrame(widths, schema={"run_class": pl.String, "width": pl.Float64}, orient="row")
    return classes.with_columns(phase=pl.lit(fitted.phase), fit=pl.lit(fitted.size), factor_90=pl.col("width").exp())


def _speeds(inputs: Inputs, asked: pl.DataFrame, models: Sequence[FittedModel]) -> pl.DataFrame:
    predicted = pl.concat(one.predict(asked) for one in models)
    measured = _measured(inputs.runs, asked)
    rows = predicted.join(measured, on=[*KEY, "use"], how="left").with_columns(size_class=size_class())
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


def _popular_questions(con: duckdb.DuckDBPyConnection, uses: pl.DataFrame) -> Iterator[tuple[Question, Row]]:
    for name in POPULAR:
        question = memory.model_question(con, name)
        if question is not None:
            for quantization in (*memory.served_types(con, name), memory.local_type(con, name)):
                yield from questions(memory.with_quantization(con, question, quantization), uses)


def _measured(runs: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Return the median speed over the measured machines, each at its load nearest to the use, and the range of several."""
    same = runs.with_columns(quantization=pl.col("quantization").replace(memory.SPEED_TYPES)).filter(
        pl.col("is_count_known") & ~pl.col("is_inferencex") & (pl.col("engine").str.to_lowercase().is_in(["vllm", "llama.cpp"]))
    )
    pairs = asked.select(*KEY, "use", concurrency="asked_concurrency").join(same, on=KEY, suffix="_run")
    ratio = pl.max_horizontal(
        pl.col("concurrency") / pl.col("concurrency_run"), pl.col("concurrency_run") / pl.col("concurrency")
    )
    near = pairs.with_columns(ratio=ratio).filter(pl.col("ratio") <= SAME_CONCURRENCY).sort("ratio", "tokens_per_s")
    speed, several = pl.col("tokens_per_s"), pl.when(pl.len() > 1)
    return near.unique([*KEY, "use", "machine"], keep="first").group_by([*KEY, "use"]).agg(
        measured=speed.median(), measured_low=several.then(speed.min()), measured_high=several.then(speed.max()),
        n_measurements=pl.len().cast(pl.Int64),
    )  # fmt: skip
