"""Throughput by batch size: affine latency t(b) = t0 + b / a, fitted per curve and pooled where points are few.

Throughput is then a b / (b + h) with h = a t0: a saturation curve. The 2020 guide used one constant gain per doubling.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import polars as pl
from scipy.optimize import nnls

from pipeline.performance.panel import Floats

GUIDE_GAIN = {"cnn": 0.136, "transformer": 0.135}  # per doubling, Dettmers 2020
# log gain per doubling where no curve exists: 8%, 90% of it within 0 to 20%
PRIOR_GAIN, PRIOR_GAIN_SD = float(np.log(1.08)), float(np.log(1.2) / (2 * 1.645))
MIN_RANGE = 2.0  # largest over smallest batch of a curve: at 1.1, an error of 2% in a latency moves the fixed share by 0.25
MIN_SPREAD = 0.02  # of fixed shares between the curves of one workload
NOISE = 0.02  # relative standard deviation of one latency, where a curve has no third point to estimate it from
CURVE = ("panel", "source_id", "workload", "family", "precision", "gpu_id", "gpu_count")


def gain_per_doubling(batch: Floats | float, half_batch: Floats | float) -> Floats:
    """Return the relative gain from b to 2b on the curve b / (b + h): 2 (b + h) / (2 b + h) - 1 = h / (2 b + h)."""
    return np.asarray(half_batch / (2 * np.asarray(batch) + half_batch))


def affine(batch: Floats, latency: Floats) -> tuple[float, float]:
    """Fit the fixed time t0 (s) and the time per item 1/a (s), both >= 0, by least squares of relative errors."""
    design = np.column_stack([np.ones(len(batch)), batch]) / latency[:, None]
    scale = np.abs(design).max(axis=0)
    coefficient, _ = nnls(design / scale, np.ones(len(batch)))
    fixed, per_item = coefficient / scale
    return float(fixed), float(per_item)


@dataclass(frozen=True, slots=True)
class Curve:
    """One curve: its key in the order of CURVE, its middle batch (geometric mean), and the fixed share of the time there."""

    key: tuple[Any, ...]
    batches: tuple[int, ...]
    middle: float
    share: float
    share_sd: float
    own_share: float | None
    latency_s: float

    @property
    def fixed_s(self) -> float:
        """Time per step that does not grow with the batch, t0."""
        return self.latency_s * self.share

    @property
    def rate(self) -> float:
        """Items per second of one GPU in very large batches, a."""
        return self.middle / (self.latency_s * (1 - self.share))

    @property
    def half_batch(self) -> float:
        """Batch size that reaches half of `rate`, h."""
        return self.middle * self.share / (1 - self.share)


@dataclass(frozen=True, slots=True)
class _Points:
    key: tuple[Any, ...]
    batch: Floats
    latency: Floats

    @property
    def middle(self) -> float:
        return float(np.exp(np.log(self.batch).mean()))

    @property
    def workload(self) -> tuple[Any, ...]:
        """Source, workload and precision."""
        return (*self.key[1:3], self.key[4])

    @property
    def is_curve(self) -> bool:
        """True for batches that span MIN_RANGE with growing latency: more work in less time is another configuration."""
        return bool(self.batch[-1] >= MIN_RANGE * self.batch[0] and (np.diff(self.latency) > 0).all())


def curves(cells: pl.DataFrame) -> list[Curve]:
    """Fit a curve for every panel, precision, GPU and count of `panel.usable` in a workload with at least one measured curve.

    A measured curve spans MIN_RANGE. The fixed share of time at the middle batch is estimated from the curve's own points
    and shrunk (normal-normal) towards the shares of the workload's other GPUs and counts at that batch. Workloads are not
    pooled with each other: see PRIOR_GAIN.
    """
    points = list(_curve_points(cells))
    pools: dict[tuple[Any, ...], list[tuple[_Points, float, float]]] = {}
    for one in points:
        if one.is_curve:
            pools.setdefault(one.workload, []).append((one, *_own_share(one)))
    return [curve for one in points if (curve := _fit_curve(one, pools.get(one.workload, []))) is not None]


def _curve_points(cells: pl.DataFrame) -> Iterable[_Points]:
    by = (*CURVE, "batch_per_gpu")
    ordered = cells.group_by(by).agg(pl.col("throughput").median()).sort(by).rows()
    for key, rows in groupby(ordered, key=itemgetter(slice(len(CURVE)))):
        batch, throughput = np.array([row[len(CURVE) :] for row in rows], dtype=np.float64).T
        yield _Points(key, batch, key[-1] * batch / throughput)


def _own_share(one: _Points) -> tuple[float, float]:
    """Estimate the fixed share at the middle batch and its standard error from the points of one curve."""
    fixed, per_item = affine(one.batch, one.latency)
    share = fixed / (fixed + per_item * one.middle)
    line = fixed + per_item * one.batch
    slope = (1 - one.batch / one.middle) * (fixed + per_item * one.middle) / line  # d log t / d share
    residuals = float(np.sum(np.log(one.latency / line) ** 2))
    noise = max(NOISE, np.sqrt(residuals / (len(line) - 2))) if len(line) > 2 else NOISE
    return float(share), float(noise / np.sqrt(np.sum((slope - slope.mean()) ** 2)))


def _pooled_share(curves: list[tuple[_Points, float, float]], middle: float) -> tuple[float, float]:
    """Return the mean fixed share of other curves of the workload at a batch, and the standard deviation between curves.

    Weights and variance between curves by the method of moments (DerSimonian and Laird 1986). Each curve keeps its
    half_batch h: its share at batch b is h / (h + b).
    """
    half = np.array([one.middle * share / (1 - min(share, 0.99)) for one, share, _ in curves])
    share, error = half / (half + middle), np.array([error for _, _, error in curves])
    between = max(float(np.var(share)) - float(np.mean(error**2)), MIN_SPREAD**2)
    weight = 1 / (error**2 + between)
    return float(weight @ share / weight.sum()), float(np.sqrt(between + 1 / weight.sum()))


def _fit_curve(one: _Points, pool: list[tuple[_Points, float, float]]) -> Curve | None:
    own = next((estimate[1:] for estimate in pool if estimate[0] is one), None)
    others = [estimate for estimate in pool if estimate[0] is not one]
    if not pool:
        return None
    share, error = own if own else _pooled_share(others, one.middle)
    if own and others:
        mean, spread = _pooled_share(others, one.middle)
        precision = 1 / error**2 + 1 / spread**2
        share, error = (share / error**2 + mean / spread**2) / precision, float(np.sqrt(1 / precision))
    share = min(max(share, 0.0), 0.99)
    shape = share + (1 - share) * one.batch / one.middle
    latency = float(np.exp(np.log(one.latency / shape).mean()))
    batches = tuple(int(batch) for batch in one.batch)
    return Curve(one.key, batches, one.middle, share, error, own[0] if own else None, latency)


def doublings(cells: pl.DataFrame) -> pl.DataFrame:
    """Pair the rows of batch b and 2b of the same panel, precision, GPU, count and link: relative `gain`, with CURVE's columns.

    A gain above 1 would mean that twice the work takes less time. Those are two configurations and are left out.
    """
    keys = [*CURVE, "interconnect", "batch_per_gpu"]
    low = cells.select(*keys, low="throughput")
    high = (
        cells.filter(pl.col("batch_per_gpu") % 2 == 0).with_columns(pl.col("batch_per_gpu") // 2).select(*keys, high="throughput")
    )
    pairs = low.join(high, on=keys, nulls_equal=True).with_columns(gain=pl.col("high") / pl.col("low") - 1)
    return pairs.filter(pl.col("gain") < 1).sort(keys, nulls_last=True)


def extrapolations(cells: pl.DataFrame) -> dict[str, Floats]:
    """Return the log errors of predicting the largest of three neighboring batches from the smaller two, by method.

    The constant is the guide's gain per doubling. The constant and no correction start from the middle batch.
    """
    error: dict[str, list[float]] = {"affine_latency": [], "constant_2020_guide": [], "no_correction": []}
    for one in (one for one in _curve_points(cells) if one.is_curve and one.key[3] in GUIDE_GAIN):
        gain = GUIDE_GAIN[one.key[3]]
        for first in range(len(one.batch) - 2):
            batch, latency = one.batch[first : first + 3], one.latency[first : first + 3]
            fixed, per_item = affine(batch[:2], latency[:2])
            speed = batch / latency
            steps = np.log2(batch[2] / batch[1])
            error["affine_latency"].append(float(np.log(latency[2] / (fixed + per_item * batch[2]))) * -1)
            error["constant_2020_guide"].append(float(np.log(speed[1] / speed[2]) + steps * np.log1p(gain)))
            error["no_correction"].append(float(np.log(speed[1] / speed[2])))
    return {name: np.array(values) for name, values in error.items()}
