"""Speed model of each phase: measured runs as arrays, the fitted coefficients and intervals, and predictions from them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import polars as pl

from pipeline.llm import speed_fit
from pipeline.llm.speed_fit import Check, Floats, Runs
from pipeline.llm.speed_terms import ROOFLINE, TERMS

SHORT_PROMPT = 16
LARGE_BYTES = 3e9  # smaller models leave parts of a GPU idle in prefill: they have a fit of their own
BANDS = {"concurrency_1": 2.5, "concurrency_8": 22.6, "concurrency_64": float("inf")}  # geometric means of 1, 8 and 64
SEVERAL = "several_gpus_"  # begins the classes of output on several GPUs in llama.cpp: compared, but never fitted
OLDER_ENGINE = "argonne-llm-inference-bench"  # runs of 2024
RUN = ["phase", "source_id", "gpu_id", "llm_model_id", "engine", "quantization", "prompt_tokens", "output_tokens", "concurrency",
       "tensor_parallel", "gpu_count", "is_inferencex"]  # fmt: skip


def add_facts(runs: pl.DataFrame, models: pl.DataFrame, gpus: pl.DataFrame) -> pl.DataFrame:
    """Join the facts that the terms use; runs without all of them are left out."""
    joined = runs.join(models, on="llm_model_id").join(gpus, on="gpu_id").with_columns(
        tensor_flops=pl.when(pl.col("quantization").is_in(["fp8", "fp4", "mxfp4"]))
        .then(pl.coalesce("tensor_8bit", "tensor_16bit")).otherwise("tensor_16bit"),
        is_4bit=pl.col("quantization") == "bnb_4bit",
        link=pl.when(pl.col("tensor_parallel") == 2).then(pl.coalesce("bridge", "link")).otherwise("link"),
        is_older_engine=(pl.col("source_id") == OLDER_ENGINE).fill_null(False),
    )  # fmt: skip
    return joined.with_columns(group=_group()).drop_nulls(
        ["weight_bytes", "bandwidth", "tensor_flops", "clock_hz", "sm_count", "tdp_w", "link"]
    )


def _group() -> pl.Expr:
    """Class of a run, whose errors give the interval: kind of model, then requests in progress in serving, else size and GPUs."""
    one, eight, many = BANDS
    band = pl.when(pl.col("concurrency") < BANDS[one]).then(pl.lit(one)).when(pl.col("concurrency") < BANDS[eight])
    dense = band.then(pl.lit(eight)).otherwise(pl.lit(many))
    serving = (
        pl.when(pl.col("is_older_engine"))
        .then(pl.lit("older_engine"))
        .when(pl.col("expert_share") < 1)
        .then(pl.lit("experts"))
        .otherwise(dense)
    )
    alone = pl.when(pl.col("expert_share") < 1).then(pl.lit("experts")).otherwise(size_class())
    takes_turns = (pl.col("phase") == "decode") & (pl.col("gpu_count") > 1) & (pl.col("expert_share") == 1)
    local = pl.when(takes_turns).then(pl.lit(SEVERAL) + size_class()).otherwise(alone)
    return pl.when(pl.col("phase") == "serving").then(serving).otherwise(local)


def size_class() -> pl.Expr:
    """Class of the size of the weights."""
    return pl.when(pl.col("weight_bytes") < LARGE_BYTES).then(pl.lit("under_3_gb")).otherwise(pl.lit("from_3_gb"))


def measured_seconds(runs: pl.DataFrame) -> pl.DataFrame:
    """Return one row per configuration with the median of its measured seconds per step.

    Prefill is that of one GPU: several take turns in llama.cpp. A prompt of 16 tokens is neither prefill nor decode.
    """
    has_count = (pl.col("gpu_count") == 1) | (pl.col("phase") == "decode")
    compared = (pl.col("phase") == "serving") | (has_count & (pl.col("prompt_tokens") != SHORT_PROMPT))
    step = (
        pl.when(pl.col("phase") == "serving")
        .then(pl.col("concurrency") / pl.col("tokens_per_s"))
        .otherwise(1 / pl.col("tokens_per_s"))
    )
    from_latency = pl.col("tpot_ms").is_not_null() & (pl.col("source_id") == "aiconfigurator-silicon")
    seconds = pl.when(from_latency).then(pl.col("tpot_ms") / 1000).otherwise(step)
    return (
        runs.filter(compared)
        .with_columns(seconds=seconds)
        .drop_nulls("seconds")
        .group_by(RUN, maintain_order=True)
        .agg(pl.col("seconds").median(), pl.col("weight_bytes").first(), n_runs=pl.len())
        .sort(RUN)
    )


@dataclass(frozen=True, slots=True)
class PhaseModel:
    """Fitted model of one phase, or of one size of models in it: rows to compare with, and the runs among them that it fits."""

    phase: str
    rows: pl.DataFrame
    runs: Runs
    coefficients: Floats
    widths: dict[str, float]

    def predict(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Add the predicted seconds of a step, with the interval of the row's class; rows of other phases are left out."""
        width = pl.col("group").replace_strict(self.widths, return_dtype=pl.Float64, default=None)
        seconds = pl.Series("seconds", parts_of(rows, self.phase) @ self.coefficients)
        return rows.with_columns(seconds).with_columns(low_s=seconds * (-width).exp(), high_s=seconds * width.exp())


def parts_of(rows: pl.DataFrame, phase: str) -> Floats:
    """Evaluate the terms of a phase."""
    parts: Floats = rows.select(expr.cast(pl.Float64).alias(name) for name, expr in TERMS[phase].items()).to_numpy()
    return parts


def fit_models(rows: pl.DataFrame) -> Iterator[PhaseModel]:
    """Fit every phase on its rows; prefill by size of the models.

    No run has the output or prompts of a mixture of experts by themselves: their intervals are as wide as in serving.
    """
    serving = _fit(rows, "serving")
    experts = {name: width for name, width in serving.widths.items() if name == "experts"}
    decode, large = _fit(rows, "decode"), _fit(rows.filter(pl.col("group") == "from_3_gb"), "prefill")
    yield replace(decode, widths=experts | decode.widths)
    yield _fit(rows.filter(pl.col("group") == "under_3_gb"), "prefill")
    yield replace(large, widths=experts | large.widths)
    yield serving


def is_fitted() -> pl.Expr:
    """True where a fit uses the row; others are compared with it alone."""
    return ~pl.col("is_inferencex") & ~pl.col("group").str.starts_with(SEVERAL)


def _fit(rows: pl.DataFrame, phase: str) -> PhaseModel:
    own = rows.filter(pl.col("phase") == phase)
    runs = as_runs(own.filter(is_fitted()), phase)
    return PhaseModel(phase, own, runs, speed_fit.fit(runs), speed_fit.class_widths(runs, as_runs(own, phase)))


def as_runs(rows: pl.DataFrame, phase: str) -> Runs:
    """Convert measured rows of a phase to arrays."""
    origin = (rows["gpu_id"] + " " + rows["source_id"]).to_numpy()
    text = [rows["gpu_id"].to_numpy().astype(str), origin.astype(str), rows["group"].to_numpy().astype(str)]
    return Runs(parts_of(rows, phase), rows["seconds"].to_numpy(), *text)


def compare_left_out(model: PhaseModel) -> tuple[Check, Floats]:
    """Return the errors of the model and of the roofline on every row, from fits without its GPU."""
    names = list(TERMS[model.phase])
    roofline = [names.index(name) for name in ROOFLINE[model.phase]]
    compared = as_runs(model.rows, model.phase)
    checked = speed_fit.check(model.runs, compared)
    return checked, speed_fit.roofline_errors(model.runs, compared, roofline)
