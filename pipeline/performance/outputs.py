"""Records of the performance model's tables, one function per table. The methods belong in the other modules."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from pipeline.performance import batch, features, forecast, index, predict, scaling, speedup
from pipeline.performance.bootstrap import clustered_median
from pipeline.performance.evaluation import Score, evaluate
from pipeline.performance.inputs import UPLOADS
from pipeline.performance.model_inputs import ModelInputs
from pipeline.performance.rules_of_thumb import evaluate_rules
from pipeline.schema.core import Record
from pipeline.schema.performance import (
    FAMILIES,
    PRECISIONS,
    BatchCurve,
    BatchGain,
    NetworkAdvantage,
    PerformanceIndex,
    RuleOfThumb,
    ScalingEfficiency,
    Speedup,
    SpeedupFamily,
    TrainingError,
)
from pipeline.warehouse.frames import columns_of

MODEL_VERSION = 3
BATCH_RANGES = ((0, None), (1, 8), (8, 32), (32, 128), (128, None))
SPLITS = {"leave_one_gpu_out": "gpu_id", "leave_one_die_out": "die", "leave_one_architecture_out": "generation"}


def batch_curve(inputs: ModelInputs) -> list[BatchCurve]:
    """Return a batch curve for every panel, precision, GPU and number of GPUs."""
    return [_batch_curve(curve) for curve in inputs.curves]


def _batch_curve(curve: batch.Curve) -> BatchCurve:
    key = dict(zip(batch.CURVE, curve.key, strict=True))
    return BatchCurve(
        **key | {"source_id": None if key["source_id"] == UPLOADS else key["source_id"]},
        batches=", ".join(str(size) for size in curve.batches),
        n_batches=len(curve.batches),
        fixed_s=curve.fixed_s,
        items_per_s_limit=curve.rate,
        half_batch=curve.half_batch,
        fixed_share=curve.share,
        fixed_share_error=curve.share_sd,
        own_share=curve.own_share,
        gain_per_doubling=float(batch.gain_per_doubling(max(curve.batches), curve.half_batch)),
        guide_gain_per_doubling=batch.GUIDE_GAIN.get(key["family"]),
        basis="pooled_curve" if curve.own_share is None else "own_curve",
    )


def batch_doubling_gain(inputs: ModelInputs) -> list[BatchGain]:
    """Return the measured gains of doubling the batch, by starting batch."""
    pairs = batch.doublings(inputs.cells)
    return [
        BatchGain(family=family, precision=precision, batch_from=low, batch_to=high, n_pairs=len(part),
                  n_workloads=part["workload"].n_unique(), guide_gain=batch.GUIDE_GAIN.get(family), **_median(part, "gain"))
        for family, precision, rows in _parts(pairs)
        for low, high in BATCH_RANGES
        if len(part := rows.filter(pl.col("batch_per_gpu").is_between(low, high or float("inf"), closed="left")))
    ]  # fmt: skip


def _parts(rows: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Yield family, precision and their rows, for each combination that has rows; "all" families last."""
    for family in FAMILIES:
        for precision in PRECISIONS:
            part = rows.filter(pl.col("precision") == precision, pl.lit(family == "all") | (pl.col("family") == family))
            if len(part):
                yield family, precision, part


def _median(rows: pl.DataFrame, name: str) -> dict[str, Any]:
    """Return the median of a column with its interval over workloads, as fields of a record."""
    value, low, high = clustered_median(rows[name].to_numpy(), (rows["source_id"] + "/" + rows["workload"]).to_list())
    return {name: value, "ci_low": low, "ci_high": high}


def scaling_efficiency(inputs: ModelInputs) -> list[ScalingEfficiency]:
    """Return the efficiency by link, number of GPUs, family and precision."""
    rows = inputs.efficiencies.with_columns(pl.col("interconnect").fill_null("unknown"))
    return [
        ScalingEfficiency(interconnect=link, gpu_count=count, family=family, precision=precision, n_rows=len(part),
                          n_workloads=part["workload"].n_unique(), n_gpus=part["gpu_id"].n_unique(),
                          **_median(part, "efficiency"))
        for link in sorted(set(rows["interconnect"]))
        for count in scaling.COUNTS
        for family, precision, part in _parts(rows.filter(pl.col("interconnect") == link, pl.col("gpu_count") == count))
    ]  # fmt: skip


def scaling_advantage(inputs: ModelInputs) -> list[NetworkAdvantage]:
    """Return the advantage in scaling of 8 A100 over 8 V100, both SXM."""
    rows = scaling.advantage(inputs.efficiencies, "^nvidia-a100-sxm", "^nvidia-tesla-v100-sxm")
    return [
        NetworkAdvantage(family=family, precision=precision, n_rows=len(part), n_workloads=part["workload"].n_unique(),
                         guide_advantage=scaling.GUIDE_ADVANTAGE.get(family), **_median(part, "advantage"))
        for family, precision, part in _parts(rows)
    ]  # fmt: skip


def performance_index(inputs: ModelInputs) -> list[PerformanceIndex]:
    """Return the index of measured GPUs, and of other GPUs whose specifications allow a prediction."""
    records: list[PerformanceIndex] = []
    for precision in PRECISIONS:
        table = index.comparison_table(inputs.rows, precision)
        for family in FAMILIES if table else ():
            measured = index.measured_indices(table.of_family(family)) if table else []
            records += [_index_row(one, family, precision) for one in measured]
            gpus = features.gpus_of(inputs.specs, precision, {one.gpu_id: one.effect for one in measured})
            predicted = forecast.forecast_all(gpus, features.texts(inputs.specs, "vendor"), index.median_half_width(measured))
            records += [_index_row(one, family, precision) for one in predicted]
    return records


def _index_row(one: index.Index, family: str, precision: str) -> PerformanceIndex:
    low, high = one.interval() or (None, None)
    return PerformanceIndex(
        gpu_id=one.gpu_id, family=family, precision=precision, index=float(np.exp(one.effect)), ci_low=low, ci_high=high,
        basis="measured" if one.n_rows else "predicted", n_rows=one.n_rows, n_workloads=one.n_workloads, note=one.note,
        model=one.model, model_version=MODEL_VERSION,
    )  # fmt: skip


def _records(kind: type[Record], rows: pl.DataFrame) -> list[Record]:
    return [kind(**row) for row in rows.select(kind.__table__.column_names).iter_rows(named=True)]


def training_error(inputs: ModelInputs) -> list[TrainingError]:
    """Return the errors on held-out GPUs, for the core workloads, and on held-out batches."""
    core = inputs.rows.filter(pl.col("core").fill_null(False))
    records: list[TrainingError] = []
    for precision in PRECISIONS:
        records += _gpu_errors(core, inputs.specs, precision)
        by_model = batch.extrapolations(inputs.cells.filter(pl.col("precision") == precision))
        records += [_error("next_larger_batch", precision, Score(model, values, None)) for model, values in by_model.items()]
    return records


def _gpu_errors(rows: pl.DataFrame, specs: pl.DataFrame, precision: str) -> list[TrainingError]:
    table = index.comparison_table(rows, precision)
    if table is None:
        return []
    table_specs = pl.DataFrame({"gpu_id": table.gpus}).join(specs, on="gpu_id", how="left", maintain_order="left")
    gpus = features.gpus_of(table_specs, precision, {})
    usable = predict.predictable(gpus)
    return [
        _error(split, precision, score)
        for split, name in SPLITS.items()
        for score in evaluate(table.only(usable), gpus[usable], features.texts(table_specs, name)[usable], index.REFERENCE)
    ]


def _error(split: str, precision: str, score: Score) -> TrainingError:
    median, mean, coverage = score.summary()
    return TrainingError(
        split=split,
        model=score.model,
        precision=precision,
        n=score.n,
        median_abs_pct=median,
        mean_abs_pct=mean,
        coverage_90=coverage,
    )


def rule_of_thumb(inputs: ModelInputs, indices: Sequence[PerformanceIndex]) -> list[RuleOfThumb]:
    """Test each rule on the measured indices and the measured rows."""
    table = columns_of(indices, PerformanceIndex)
    measured = table.filter(pl.col("basis") == "measured").sort("gpu_id", "family", "precision")
    return evaluate_rules(inputs.cells, measured, inputs.specs)


def every_table(inputs: ModelInputs) -> dict[str, Sequence[Record]]:
    """Compute the rows of all tables of the model, by table name."""
    indices = performance_index(inputs)
    return {
        "batch_curve": batch_curve(inputs),
        "batch_doubling_gain": batch_doubling_gain(inputs),
        "scaling_efficiency": scaling_efficiency(inputs),
        "scaling_advantage": scaling_advantage(inputs),
        "performance_index": indices,
        "speedup": _records(Speedup, inputs.pairs),
        "speedup_family": _records(SpeedupFamily, speedup.families(inputs.pairs)),
        "_training_error": training_error(inputs),
        "rule_of_thumb": rule_of_thumb(inputs, indices),
    }
