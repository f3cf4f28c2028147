"""Speed model of each phase: facts and class of a configuration, and its predicted time with an interval."""

from collections.abc import Iterator
from dataclasses import dataclass

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.llm.memory import NARROW
from pipeline.llm.speed_terms import CACHE, TERMS

LARGE_BYTES = 3e9  # smaller models leave parts of a GPU idle in prefill: they have a fit of their own
BANDS = {"concurrency_1": 2.5, "concurrency_8": 22.6, "concurrency_64": float("inf")}  # geometric means of 1, 8 and 64
MANY_SMALL = "concurrency_64_under_3_gb"  # with many requests, errors of small models are twice as large
SEVERAL = "several_gpus_"  # begins the classes of output on several GPUs in llama.cpp: compared, but never fitted
OLDER_ENGINE = "argonne-llm-inference-bench"  # runs of 2024


def add_facts(runs: pl.DataFrame, models: pl.DataFrame, gpus: pl.DataFrame) -> pl.DataFrame:
    """Join the facts that the terms use; runs without all of them are left out."""
    narrow = pl.col("quantization").is_in(NARROW)
    is_bridged = (pl.col("tensor_parallel") == 2) & pl.col("bridge").is_not_null()
    joined = runs.join(models, on="llm_model_id").join(gpus, on="gpu_id").with_columns(
        tensor_flops=pl.when(narrow).then(pl.coalesce("tensor_8bit", "tensor_16bit")).otherwise("tensor_16bit"),
        is_4bit=pl.col("quantization") == "bnb_4bit",
        link=pl.when(is_bridged).then("bridge").otherwise("link"),
        crosses_pcie=(pl.col("is_on_pcie") & (pl.col("tensor_parallel") > 1) & ~is_bridged).fill_null(False),
        is_older_engine=(pl.col("source_id") == OLDER_ENGINE).fill_null(False),
        cache_parts=pl.min_horizontal("tensor_parallel", pl.col("n_kv_heads").fill_null(1)),
        requests=pl.col("concurrency"),
    )  # fmt: skip
    known = joined.drop_nulls(["weight_bytes", "bandwidth", "tensor_flops", "clock_hz", "sm_count", "tdp_w", "link"])
    return known.with_columns(concurrency=_in_progress()).with_columns(group=_group())


def _in_progress() -> pl.Expr:
    """Requests in progress: in serving, those whose cache the GPUs have room for at its mean length. The others wait."""
    left = pl.col("usable_bytes") - pl.col("weight_bytes") / pl.col("tensor_parallel")
    room = left / (CACHE / pl.col("cache_parts") + pl.col("state_bytes") / pl.col("tensor_parallel"))
    most = pl.when((pl.col("phase") == "serving") & room.is_not_null()).then(pl.max_horizontal(room, 1))
    return pl.min_horizontal("concurrency", most)


def step_tokens() -> pl.Expr:
    """Tokens of a step: in serving, each request in progress gets one."""
    return pl.when(pl.col("phase") == "serving").then("concurrency").otherwise(1.0)


def _group() -> pl.Expr:
    """Class of a run, whose errors give the interval: kind of model, then link and requests in serving, else GPUs and size."""
    one, eight, many = BANDS
    is_serving = pl.col("phase") == "serving"
    takes_turns = (pl.col("phase") == "decode") & (pl.col("gpu_count") > 1) & (pl.col("expert_share") == 1)
    return (
        pl.when(is_serving & pl.col("is_older_engine")).then(pl.lit("older_engine"))
        .when(pl.col("expert_share") < 1).then(pl.lit("experts"))
        .when(is_serving & pl.col("crosses_pcie")).then(pl.lit("pcie_group"))
        .when(is_serving & (pl.col("concurrency") < BANDS[one])).then(pl.lit(one))
        .when(is_serving & (pl.col("concurrency") < BANDS[eight])).then(pl.lit(eight))
        .when(is_serving & (size_class() == "under_3_gb")).then(pl.lit(MANY_SMALL))
        .when(is_serving).then(pl.lit(many))
        .when(takes_turns).then(pl.lit(SEVERAL) + size_class())
        .otherwise(size_class())
    )  # fmt: skip


def size_class() -> pl.Expr:
    """Class of the size of the weights."""
    return pl.when(pl.col("weight_bytes") < LARGE_BYTES).then(pl.lit("under_3_gb")).otherwise(pl.lit("from_3_gb"))


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseModel:
    """Model of one phase, or of one size of models in it: the coefficient of each term, half widths (log) of the 90% interval by
    class, and the vendors whose GPUs were measured."""

    phase: str
    coefficients: NDArray[np.float64]
    widths: dict[str, float]
    vendors: list[str]

    def predict(self, asked: pl.DataFrame) -> pl.DataFrame:
        """Predict tokens per second with the interval, for the configurations of this phase, these classes and these vendors."""
        own = asked.filter(
            pl.col("phase") == self.phase, pl.col("group").is_in(list(self.widths)), pl.col("vendor").is_in(self.vendors)
        )
        seconds = pl.Series("seconds", parts_of(own, self.phase) @ self.coefficients)
        width = pl.col("group").replace_strict(self.widths, return_dtype=pl.Float64, default=None)
        tokens = step_tokens()
        return own.with_columns(seconds).with_columns(
            predicted_tokens_per_s=tokens / pl.col("seconds"),
            low=tokens / (pl.col("seconds") * width.exp()),
            high=tokens / (pl.col("seconds") * (-width).exp()),
        )


def parts_of(rows: pl.DataFrame, phase: str) -> NDArray[np.float64]:
    """Evaluate the terms of a phase."""
    parts: NDArray[np.float64] = rows.select(expr.cast(pl.Float64).alias(name) for name, expr in TERMS[phase].items()).to_numpy()
    return parts


def read_models(con: duckdb.DuckDBPyConnection) -> Iterator[PhaseModel]:
    """Read the models from the tables, as they were fitted."""
    for phase, coefficients, classes, factors, vendors in con.execute(_MODELS).fetchall():
        widths = dict(zip(classes, np.log(factors).tolist(), strict=True))
        yield PhaseModel(phase=phase, coefficients=np.array(coefficients), widths=widths, vendors=vendors)


_MODELS = """
    WITH part AS (
        SELECT phase, run_class AS fit, list(coefficient ORDER BY term_number) AS coefficients FROM llm_speed_part GROUP BY ALL
    ),
    class AS (
        SELECT phase, fit, list(run_class ORDER BY run_class) AS classes, list(factor_90 ORDER BY run_class) AS factors
        FROM llm_speed_interval GROUP BY ALL
    ),
    made_by AS (SELECT phase, list(DISTINCT vendor) AS vendors FROM llm_prediction JOIN gpu USING (gpu_id) GROUP BY phase)
    SELECT phase, coefficients, classes, factors, vendors
    FROM part JOIN class USING (phase, fit) JOIN made_by USING (phase) ORDER BY phase, fit
"""
