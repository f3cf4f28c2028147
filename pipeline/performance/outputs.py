"""The tables of the performance model: reads what each needs by SQL and writes its records. The method is in the siblings."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from pipeline.performance import batch, errors, features, forecast, index, predict, scaling, speedup
from pipeline.performance.bootstrap import clustered_median
from pipeline.performance.decode import NOTE, decode_index
from pipeline.performance.model_inputs import Basis
from pipeline.performance.rule_rows import rule_rows
from pipeline.schema.core import Record
from pipeline.schema.performance import (
    FAMILIES,
    PRECISIONS,
    BatchCurve,
    BatchGain,
    DecodeIndex,
    NetworkAdvantage,
    PerformanceIndex,
    PredictionError,
    RuleOfThumb,
    ScalingEfficiency,
    Speedup,
    SpeedupFamily,
)

MODEL_VERSION = 1
BATCH_RANGES = ((0, None), (1, 8), (8, 32), (32, 128), (128, None))
SPLITS = {"leave_one_gpu_out": "gpu_id", "leave_one_die_out": "die", "leave_one_architecture_out": "generation"}


def batch_curve(basis: Basis) -> list[BatchCurve]:
    """A batch curve for every panel, precision, card and number of cards."""
    return [_batch_curve(one) for one in basis.curves]


def _batch_curve(one: batch.Curve) -> BatchCurve:
    named = dict(zip(batch.CURVE, one.key, strict=True))
    return BatchCurve(
        **named,
        batches=", ".join(str(size) for size in one.batches),
        n_batches=len(one.batches),
        fixed_s=one.fixed_s,
        items_per_s_limit=one.rate,
        half_batch=one.half_batch,
        fixed_share=one.share,
        fixed_share_error=one.share_sd,
        own_share=one.own_share,
        gain_per_doubling=float(batch.gain_per_doubling(max(one.batches), one.half_batch)),
        guide_gain_per_doubling=batch.GUIDE_GAIN.get(named["family"]),
        basis="pooled_curve" if one.own_share is None else "own_curve",
    )


def batch_gain(basis: Basis) -> list[BatchGain]:
    """Measured gains of twice the batch, by starting batch."""
    pairs = batch.doublings(basis.cells)
    return [
        BatchGain(family=family, precision=precision, batch_from=low, batch_to=high, n_pairs=len(part),
                  n_workloads=part["workload"].n_unique(), guide_gain=batch.GUIDE_GAIN.get(family), **_median(part, "gain"))
        for family, precision, rows in _parts(pairs)
        for low, high in BATCH_RANGES
        if len(part := rows.filter(pl.col("batch_per_gpu").is_between(low, high or float("inf"), closed="left")))
    ]  # fmt: skip


def _parts(rows: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """The rows of each family, "all" last, and precision that has any."""
    for family in FAMILIES:
        for precision in PRECISIONS:
            part = rows.filter(pl.col("precision") == precision, pl.lit(family == "all") | (pl.col("family") == family))
            if len(part):
                yield family, precision, part


def _median(rows: pl.DataFrame, name: str) -> dict[str, Any]:
    """The median of a column with its interval over workloads, as fields of a record."""
    value, low, high = clustered_median(rows[name].to_numpy(), (rows["source_id"] + "/" + rows["workload"]).to_list())
    return {name: value, "ci_low": low, "ci_high": high}


def scaling_efficiency(basis: Basis) -> list[ScalingEfficiency]:
    """Efficiency by link, number of cards, family and precision."""
    found = basis.efficiencies
    found = found.with_columns(pl.col("interconnect").fill_null("unknown"))
    return [
        ScalingEfficiency(interconnect=link, gpu_count=count, family=family, precision=precision, n_rows=len(part),
                          n_workloads=part["workload"].n_unique(), n_cards=part["gpu_id"].n_unique(),
                          **_median(part, "efficiency"))
        for link in sorted(set(found["interconnect"]))
        for count in scaling.COUNTS
        for family, precision, part in _parts(found.filter(pl.col("interconnect") == link, pl.col("gpu_count") == count))
    ]  # fmt: skip


def network_advantage(basis: Basis) -> list[NetworkAdvantage]:
    """How much better 8 A100 scale than 8 V100, both SXM."""
    efficient = basis.efficiencies
    rows = scaling.advantage(efficient, "^nvidia-a100-sxm", "^nvidia-tesla-v100-sxm")
    return [
        NetworkAdvantage(family=family, precision=precision, n_rows=len(part), n_workloads=part["workload"].n_unique(),
                         guide_advantage=scaling.GUIDE_ADVANTAGE.get(family), **_median(part, "advantage"))
        for family, precision, part in _parts(rows)
    ]  # fmt: skip


def performance_index(basis: Basis) -> list[PerformanceIndex]:
    """Measured cards and, of the others, those whose specifications allow a prediction."""
    rows, specs = basis.rows, basis.specs
    found: list[PerformanceIndex] = []
    for precision in PRECISIONS:
        table = index.comparable(rows, precision)
        for family in FAMILIES if table else ():
            measured = index.measured(table.of(family)) if table else []
            found += [_measured(one, family, precision) for one in measured]
            cards = features.cards(specs, precision, {one.gpu_id: one.effect for one in measured})
            predicted = forecast.forecasts(cards, features.texts(specs, "vendor"))
            found += [_predicted(one, family, precision) for one in predicted]
    return found


def _measured(one: index.Measured, family: str, precision: str) -> PerformanceIndex:
    low, high = one.interval() or (None, None)
    return PerformanceIndex(
        gpu_id=one.gpu_id, family=family, precision=precision, index=float(np.exp(one.effect)), ci_low=low, ci_high=high,
        basis="measured", n_rows=one.n_rows, n_workloads=one.n_workloads, model="panel_fit", model_version=MODEL_VERSION,
        note=one.note,
    )  # fmt: skip


def _predicted(one: forecast.Forecast, family: str, precision: str) -> PerformanceIndex:
    ends = [None, None] if one.half_width is None else [float(np.exp(one.effect + side * one.half_width)) for side in (-1, 1)]
    return PerformanceIndex(
        gpu_id=one.gpu_id, family=family, precision=precision, index=float(np.exp(one.effect)), ci_low=ends[0], ci_high=ends[1],
        basis="predicted", n_rows=0, n_workloads=0, model=one.model, model_version=MODEL_VERSION, note=one.note,
    )  # fmt: skip


def decode(basis: Basis) -> list[DecodeIndex]:
    """The bandwidth ratio of every card of known bandwidth."""
    known = basis.specs.select("gpu_id", "memory_bandwidth_gb_per_s").drop_nulls()
    bandwidth = dict(known.iter_rows())
    reference = bandwidth.get(index.REFERENCE)
    return [
        DecodeIndex(gpu_id=card, index=decode_index(value, reference), ci_low=None, ci_high=None, basis="predicted", note=NOTE)
        for card, value in bandwidth.items()
        if reference
    ]


def speedups(basis: Basis) -> list[Speedup]:
    """Every pair of cards that share a panel, precision and number of cards."""
    rows = basis.pairs.select(Speedup.__table__.column_names)
    return [Speedup(**row) for row in rows.iter_rows(named=True)]


def speedup_families(basis: Basis) -> list[SpeedupFamily]:
    """The pairs of one card against one, by family."""
    rows = speedup.families(basis.pairs).select(SpeedupFamily.__table__.column_names)
    return [SpeedupFamily(**row) for row in rows.iter_rows(named=True)]


def prediction_error(basis: Basis) -> list[PredictionError]:
    """Errors on held-out cards, of the core workloads, and on held-out batches."""
    core = basis.rows.filter(pl.col("core").fill_null(False))
    found: list[PredictionError] = []
    for precision in PRECISIONS:
        found += _card_errors(core, basis.specs, precision)
        off = batch.extrapolations(basis.cells.filter(pl.col("precision") == precision))
        found += [_error("next_larger_batch", precision, errors.Score(model, values, None)) for model, values in off.items()]
    return found


def _card_errors(rows: pl.DataFrame, specs: pl.DataFrame, precision: str) -> list[PredictionError]:
    table = index.comparable(rows, precision)
    if table is None:
        return []
    known = pl.DataFrame({"gpu_id": table.cards}).join(specs, on="gpu_id", how="left", maintain_order="left")
    cards = features.cards(known, precision, {})
    usable = predict.predictable(cards)
    return [
        _error(split, precision, score)
        for split, name in SPLITS.items()
        for score in errors.evaluate(table.only(usable), cards[usable], features.texts(known, name)[usable], index.REFERENCE)
    ]


def _error(split: str, precision: str, score: errors.Score) -> PredictionError:
    median, mean, coverage = score.summary()
    return PredictionError(
        split=split,
        model=score.model,
        precision=precision,
        n=score.n,
        median_abs_pct=median,
        mean_abs_pct=mean,
        coverage_90=coverage,
    )


def rule_of_thumb(basis: Basis) -> list[RuleOfThumb]:
    """Each rule beside the measured index and the measured rows."""
    known = features.of_records(basis.table("performance_index", performance_index), PerformanceIndex)
    measured = known.filter(pl.col("basis") == "measured").sort("gpu_id", "family", "precision")
    return rule_rows(basis.cells, measured, basis.specs)


ROWS: dict[str, Callable[[Basis], Sequence[Record]]] = {
    "batch_curve": batch_curve,
    "batch_gain": batch_gain,
    "scaling_efficiency": scaling_efficiency,
    "network_advantage": network_advantage,
    "performance_index": performance_index,
    "decode_index": decode,
    "speedup": speedups,
    "speedup_family": speedup_families,
    "prediction_error": prediction_error,
    "rule_of_thumb": rule_of_thumb,
}


def every_table(basis: Basis) -> dict[str, Sequence[Record]]:
    """The rows of all tables of the model, by their names."""
    return {name: basis.table(name, make) for name, make in ROWS.items()}
