"""Fits of the speed model to measured runs: one for output, two for prompts by size of the models, one for serving."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import polars as pl

from pipeline.llm import speed_fit
from pipeline.llm.inputs import Inputs
from pipeline.llm.speed_fit import Check, Floats, Runs
from pipeline.llm.speed_model import SEVERAL, PhaseModel, add_facts, parts_of, step_tokens
from pipeline.llm.speed_terms import ROOFLINE, TERMS

SHORT_PROMPT = 16
RUN = ["phase", "source_id", "gpu_id", "llm_model_id", "engine", "quantization", "prompt_tokens", "output_tokens", "concurrency",
       "tensor_parallel", "gpu_count", "is_inferencex"]  # fmt: skip


def measured_rows(inputs: Inputs) -> pl.DataFrame:
    """Return one row per configuration with its facts and the median of its measured seconds per step.

    Prefill is that of one GPU: several take turns in llama.cpp. A prompt of 16 tokens is neither prefill nor decode.
    """
    is_serving, is_decode = pl.col("phase") == "serving", pl.col("phase") == "decode"
    is_compared = is_serving | ((is_decode | (pl.col("gpu_count") == 1)) & (pl.col("prompt_tokens") != SHORT_PROMPT))
    runs = (
        inputs.runs.filter(is_compared)
        .with_columns(seconds_per_token=1 / pl.col("tokens_per_s"))
        .group_by(RUN, maintain_order=True)
        .agg(pl.col("seconds_per_token").median(), pl.col("weight_bytes", "usable_bytes").first(), n_runs=pl.len())
        .sort(RUN)
    )
    return add_facts(runs, inputs.models, inputs.gpus).with_columns(seconds=pl.col("seconds_per_token") * step_tokens())


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedModel(PhaseModel):
    """Model with the size of its language models, the measured rows to compare with, and the runs among them that it fits."""

    size: str
    rows: pl.DataFrame
    runs: Runs


def fit_models(rows: pl.DataFrame) -> Iterator[FittedModel]:
    """Fit every phase on its rows; prefill by size of the models.

    No run has the output or prompts of a mixture of experts by themselves: their intervals are as wide as in serving.
    """
    serving = _fit(rows, "serving")
    experts = {name: width for name, width in serving.widths.items() if name == "experts"}
    decode, large = _fit(rows, "decode"), _fit(rows, "prefill", "from_3_gb")
    yield replace(decode, widths=experts | decode.widths)
    yield _fit(rows, "prefill", "under_3_gb")
    yield replace(large, widths=experts | large.widths)
    yield serving


def is_fitted() -> pl.Expr:
    """True where a fit uses the row; others are compared with it alone."""
    return ~pl.col("is_inferencex") & ~pl.col("group").str.starts_with(SEVERAL)


def _fit(rows: pl.DataFrame, phase: str, size: str = "all") -> FittedModel:
    own = rows.filter(pl.col("phase") == phase, pl.lit(size == "all") | (pl.col("group") == size))
    runs = as_runs(own.filter(is_fitted()), phase)
    widths = speed_fit.class_widths(runs, as_runs(own, phase))
    vendors = rows.filter(pl.col("phase") == phase)["vendor"].unique().to_list()
    return FittedModel(
        phase=phase, size=size, rows=own, runs=runs, coefficients=speed_fit.fit(runs), widths=widths, vendors=vendors
    )  # fmt: skip


def as_runs(rows: pl.DataFrame, phase: str) -> Runs:
    """Convert measured rows of a phase to arrays."""
    origin = (rows["gpu_id"] + " " + rows["source_id"]).to_numpy()
    gpu, group = rows["gpu_id"].to_numpy().astype(str), rows["group"].to_numpy().astype(str)
    return Runs(parts_of(rows, phase), rows["seconds"].to_numpy(), gpu, origin.astype(str), group)


def compare_left_out(model: FittedModel) -> tuple[Check, Floats]:
    """Return the errors of the model and of the roofline on every row, from fits without its GPU."""
    names = list(TERMS[model.phase])
    roofline = [names.index(name) for name in ROOFLINE[model.phase]]
    compared = as_runs(model.rows, model.phase)
    checked = speed_fit.check(model.runs, compared)
    return checked, speed_fit.roofline_errors(model.runs, compared, roofline)
