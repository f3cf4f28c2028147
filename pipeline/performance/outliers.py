"""Gross errors: rows that differ threefold from the prediction of all other rows are removed before the fit.

A robust fit reduces the weight of an outlier but does not remove it, so that it still moves GPUs with few rows. A removed
row has no influence on any index, whatever its size; its GPU has one measurement less.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.performance.panel import Floats

GROSS = float(np.log(3.0))  # a row threefold off the prediction of all other rows is not a measurement of that GPU
MIN_PANELS = 2  # a single one cannot be checked
TINY = 1e-8  # regularizes the fit, which determines effects of GPUs and panels only up to a constant


def drop_gross_errors(rows: pl.DataFrame) -> pl.DataFrame:
    """Drop gross errors and uncheckable rows from the rows of `panel.usable` of single GPUs and one precision.

    One row is dropped at a time, the one that explains most of the squared residuals; the next smaller batch of its GPU,
    if measured, replaces it in the panel. Then GPUs of one panel and panels of one GPU are dropped.
    """
    while len(outliers := _largest_outlier(rows)):
        options = [rows.filter(pl.int_range(pl.len()) != number) for number in outliers]
        rows = (
            min(options, key=lambda one: (len(_largest_outlier(one)), -len(_keep_comparable(one)))) if options[1:] else options[0]
        )
    return _keep_comparable(rows)


def _largest_outlier(rows: pl.DataFrame) -> NDArray[np.int64]:
    """Return the number of the row with the largest error among those threefold off; empty where no row is.

    The error of a row against a fit without it is its residual over 1 - leverage (Cook and Weisberg 1982, section 2.2).
    Two numbers are returned where the only two rows of a panel contradict each other: then the row is dropped whose
    smaller batch agrees with the other row.
    """
    largest = pl.col("batch_per_gpu").eq_missing(pl.col("batch_per_gpu").max().over("panel", "gpu_id"))
    used = rows.with_columns(number=pl.int_range(pl.len())).filter(largest).sort("panel", "gpu_id", "throughput")
    if used.is_empty():
        return np.array([], dtype=np.int64)
    value, design = np.log(used["throughput"].to_numpy()), _design(used)
    fitted = np.linalg.solve(design.T @ design + TINY * np.eye(design.shape[1]), design.T)
    residual, free = value - design @ (fitted @ value), 1 - np.sum(fitted.T * design, axis=1)
    error = np.where(free > 1e-6, np.abs(residual) / np.maximum(free, 1e-6), 0.0)
    gain = np.where(error > GROSS, error**2 * free, 0.0)
    numbers: NDArray[np.int64] = used["number"].to_numpy()[(gain > 0) & (gain > gain.max() * (1 - 1e-5))]
    return numbers


def _design(used: pl.DataFrame) -> Floats:
    """Return the indicators of GPUs and panels (rows, GPUs + panels)."""
    sides = [np.unique(used[name].to_numpy().astype(str), return_inverse=True)[1] for name in ("gpu_id", "panel")]
    return np.hstack([side[:, None] == np.arange(side.max() + 1) for side in sides]).astype(np.float64)


def _keep_comparable(rows: pl.DataFrame) -> pl.DataFrame:
    """Keep panels with at least two GPUs and GPUs in at least MIN_PANELS panels."""
    has_others = pl.col("gpu_id").n_unique().over("panel") > 1
    supported = pl.col("panel").n_unique().over("gpu_id") >= MIN_PANELS
    remaining = rows.filter(has_others).filter(supported)
    return rows if len(remaining) == len(rows) else _keep_comparable(remaining)
