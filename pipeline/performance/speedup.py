"""Speedup of one GPU over another in one workload: the naive ratio, and the factors due to batch size and network."""

import numpy as np
import polars as pl
from scipy.special import ndtri, stdtrit

from pipeline.performance.batch import GUIDE_GAIN, PRIOR_GAIN, PRIOR_GAIN_SD, Curve
from pipeline.performance.scaling import GUIDE_ADVANTAGE

LEVEL = 0.95
NORMAL_QUANTILE = float(ndtri((1 + LEVEL) / 2))
UNKNOWN_NOISE = 0.05  # without repeated measurements: the median between submitters of MLPerf
MIN_WORKLOADS = 3
SETTING = ("panel", "source_id", "suite", "workload", "family", "core", "precision", "gpu_count")
SHAPE = {
    "panel": pl.String, "precision": pl.String, "gpu_id": pl.String, "gpu_count": pl.Int64,
    "middle": pl.Float64, "share": pl.Float64, "share_sd": pl.Float64, "own_curve": pl.Boolean,
}  # fmt: skip
NAMES = {"gpu_id": "gpu_a", "gpu_id_b": "gpu_b", "batch_per_gpu": "batch_a", "batch_per_gpu_b": "batch_b"}
GAINS = ("gain", "gain_low", "gain_high", "gain_b", "gain_low_b", "gain_high_b")  # log, by batch, with their intervals
GUIDE_PAIR = ("nvidia-a100-", "nvidia-tesla-v100-")


def machine_noise(cells: pl.DataFrame) -> float:
    """Estimate the standard deviation (log) of one throughput, from the median over cells measured on several machines."""
    repeated = cells.filter(pl.col("n_rows") > 1)["spread"].drop_nulls().to_numpy()
    return float(np.median(repeated)) / 0.6745 if len(repeated) else UNKNOWN_NOISE


def best(cells: pl.DataFrame, curves: list[Curve], efficient: pl.DataFrame) -> pl.DataFrame:
    """Select the row of the largest batch per setting and GPU, with batch curve and scaling efficiency (1 for one GPU)."""
    order = ("batch_per_gpu", "throughput")
    most = cells.sort(*SETTING, "gpu_id", *order, nulls_last=True).unique((*SETTING, "gpu_id"), keep="last", maintain_order=True)
    shape = pl.DataFrame(
        [(c.key[0], *c.key[4:], c.middle, c.share, c.share_sd, c.own_share is not None) for c in curves],
        schema=SHAPE,
        orient="row",
    )
    at = ["panel", "precision", "gpu_id", "gpu_count", "batch_per_gpu", "interconnect"]
    by_cell = efficient.select(*at, "efficiency")
    joined = most.join(shape, on=at[:4], how="left").join(by_cell, on=at, how="left", nulls_equal=True)
    efficiency = pl.when(pl.col("gpu_count") == 1).then(1.0).otherwise(pl.col("efficiency"))
    return joined.with_columns(efficiency=efficiency).filter(pl.col("efficiency").is_not_null())


def pairs(best_rows: pl.DataFrame, noise: float) -> pl.DataFrame:
    """Compare every two GPUs of a setting, the alphabetically first as a.

    `naive_ratio` = `batch_factor` x `network_factor` x `corrected`: b / (b + h) of each GPU at its own batch over
    that at the smaller of the two, and the ratio of scaling efficiencies. `ratio_at_own_maximum` is corrected for the
    network only. The interval is that of `corrected`, see `_corrected`.
    """
    fields = [name for name in best_rows.columns if name not in SETTING]
    other = best_rows.rename({name: f"{name}_b" for name in fields})
    both = best_rows.join(other, on=list(SETTING), nulls_equal=True).filter(pl.col("gpu_id") < pl.col("gpu_id_b"))
    common = pl.min_horizontal("batch_per_gpu", "batch_per_gpu_b")
    gains = [gain for side in ("", "_b") for gain in _batch_gain(side, common)]
    both = both.with_columns(
        batch_common=common,
        naive_ratio=pl.col("throughput") / pl.col("throughput_b"),
        **dict(zip(GAINS, gains, strict=True)),
        network_factor=pl.col("efficiency") / pl.col("efficiency_b"),
        batch_basis=_basis(),
        error=(2 * noise**2 * (1 + (pl.col("gpu_count") > 1).cast(pl.Float64))).sqrt(),
    )
    return _corrected(both).rename(NAMES).sort(*SETTING, "gpu_a", "gpu_b", nulls_last=True)


def _batch_gain(side: str, common: pl.Expr) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
    """Return the log gain of a GPU from the common batch to its own, and the ends of its interval.

    By the GPU's curve, the gain is 0 where no time is fixed, log(own / common) where all of it is, and rises with the
    fixed share between them. Its ends are the gains at the ends of the interval of that share, cut to 0 and 1. Without a
    curve, it is the prior, cut to the same limits.
    """
    share, reach = pl.col(f"share{side}"), NORMAL_QUANTILE * pl.col(f"share_sd{side}")
    by_curve = [_curve_gain(end, side, common) for end in (share, (share - reach).clip(0, 1), (share + reach).clip(0, 1))]
    log_ratio, steps = (pl.col(f"batch_per_gpu{side}") / common).log(), (0, -NORMAL_QUANTILE, NORMAL_QUANTILE)
    rates = [np.clip((PRIOR_GAIN + step * PRIOR_GAIN_SD) / np.log(2), 0, 1) for step in steps]
    middle, low, high = (pl.coalesce(gain, log_ratio * rate) for gain, rate in zip(by_curve, rates, strict=True))
    return middle, low, high


def _curve_gain(share: pl.Expr, side: str, common: pl.Expr) -> pl.Expr:
    """Return the log gain from the common batch to a GPU's own on a curve with this fixed share at its middle batch."""
    middle, own = pl.col(f"middle{side}"), pl.col(f"batch_per_gpu{side}")
    at_own, at_common = share + (1 - share) * own / middle, share + (1 - share) * common / middle
    return (own / common).log() - at_own.log() + at_common.log()


def _basis() -> pl.Expr:
    """Return the basis of the correction of the GPU with the larger batch."""
    a_larger = pl.col("batch_per_gpu") > pl.col("batch_per_gpu_b")
    own = pl.when(a_larger).then(pl.col("own_curve")).otherwise(pl.col("own_curve_b"))
    same = pl.col("batch_per_gpu") == pl.col("batch_per_gpu_b")
    curve = pl.when(own).then(pl.lit("own_curve")).otherwise(pl.lit("pooled_curve"))
    return pl.when(same).then(pl.lit("same_batch")).when(own.is_null()).then(pl.lit("prior")).otherwise(curve)


def _corrected(both: pl.DataFrame) -> pl.DataFrame:
    """Add the factors of the naive ratio and the interval of `corrected`.

    In logs, an end combines both measurement errors with the distances of both batch gains from their own ends. It is the
    root of the sum of their squares, as Zou and Donner (2008) combine intervals that are not symmetrical. Batches can
    therefore widen the interval by no more than the ratio of the two batches.
    """
    gain, low, high, gain_b, low_b, high_b = (pl.col(name) for name in GAINS)
    noise = NORMAL_QUANTILE * pl.col("error")
    at_own, factor = pl.col("naive_ratio") / pl.col("network_factor"), (gain - gain_b).exp()
    down = (noise**2 + (high - gain) ** 2 + (gain_b - low_b) ** 2).sqrt()
    up = (noise**2 + (gain - low) ** 2 + (high_b - gain_b) ** 2).sqrt()
    return both.with_columns(
        batch_factor=factor,
        ratio_at_own_maximum=at_own,
        corrected=at_own / factor,
        ci_low=at_own / factor * (-down).exp(),
        ci_high=at_own / factor * up.exp(),
        guide_corrected=_guide_ratio(),
    )


def _guide_ratio() -> pl.Expr:
    """Return the A100/V100 ratio by the 2020 guide's arithmetic and constants (macro `batch_corrected_speedup`).

    It divides by the gain of each doubling between the batches and, with 8 GPUs, by the advantage of the A100's network.
    """
    doublings = (pl.col("batch_per_gpu") / pl.col("batch_per_gpu_b")).log(2)
    gain = pl.col("family").replace_strict(GUIDE_GAIN, default=None, return_dtype=pl.Float64)
    advantage = pl.col("family").replace_strict(GUIDE_ADVANTAGE, default=None, return_dtype=pl.Float64)
    network = pl.when(pl.col("gpu_count") == 8).then(1 + advantage).otherwise(1.0)
    named = pl.col("gpu_id").str.starts_with(GUIDE_PAIR[0]) & pl.col("gpu_id_b").str.starts_with(GUIDE_PAIR[1])
    return pl.when(named).then(pl.col("naive_ratio") / (1 + gain).pow(doublings) / network)


def families(pair_rows: pl.DataFrame) -> pl.DataFrame:
    """Summarize the pairs of single GPUs by family and "all": geometric means over workloads.

    A workload counts once, with the mean of its suites and variants; non-core workloads are left out. The interval is
    Student's t over workloads, with at least MIN_WORKLOADS of them.
    """
    alone = pair_rows.filter(pl.col("gpu_count") == 1, pl.col("core").fill_null(True))
    every = pl.concat([alone, alone.with_columns(family=pl.lit("all"))])
    pair = ["gpu_a", "gpu_b", "family", "precision"]
    values = [pl.col(name).log().mean() for name in ("naive_ratio", "batch_factor", "corrected", "ratio_at_own_maximum")]
    each = every.group_by(*pair, "source_id", "workload").agg(*values, n_rows=pl.len()).sort(*pair, "source_id", "workload")
    summed = each.group_by(pair, maintain_order=True).agg(
        pl.col("naive_ratio", "batch_factor", "corrected", "ratio_at_own_maximum").mean(),
        error=pl.col("corrected").std() / pl.len().sqrt(),
        n_workloads=pl.len(),
        n_rows=pl.col("n_rows").sum(),
    )
    most = int(summed["n_workloads"].to_numpy().max(initial=0))
    factor = {n: float(stdtrit(n - 1, (1 + LEVEL) / 2)) for n in range(MIN_WORKLOADS, most + 1)}
    reach = pl.col("n_workloads").replace_strict(factor, default=None, return_dtype=pl.Float64) * pl.col("error")
    ends = summed.with_columns(ci_low=(pl.col("corrected") - reach).exp(), ci_high=(pl.col("corrected") + reach).exp())
    return ends.with_columns(pl.col("naive_ratio", "batch_factor", "corrected", "ratio_at_own_maximum").exp())
