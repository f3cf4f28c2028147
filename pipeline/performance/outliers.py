"""Gross errors: a row that all the other rows contradict threefold leaves the fit before it begins, alone.

A robust fit gives a wild row little weight, but not none, and lets it move cards of few rows. Here the row goes, and what
is left is what there would be without it: what a wild row says moves no index, however wild it is. What its card loses
is a measurement, as if it had never been made.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.performance.panel import Floats

GROSS = float(np.log(3.0))  # threefold off what all other rows say is no measurement of that card
FEWEST_PANELS = 2  # one alone cannot be checked
TINY = 1e-8  # of cards and panels only differences count


def screened(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of `panel.usable`, of one card and one precision, without gross errors and what nothing can check.

    The row goes that explains most of the squared residuals, one at a time; a card's next smaller batch, if it was
    measured, takes its place in the panel. Then cards of one panel and panels of one card go.
    """
    while len(wildest := _wildest(rows)):
        left = [rows.filter(pl.int_range(pl.len()) != number) for number in wildest]
        rows = left[0] if len(left) == 1 else min(left, key=lambda one: (len(_wildest(one)), -len(_checked(one))))
    return _checked(rows)


def _wildest(rows: pl.DataFrame) -> NDArray[np.int64]:
    """Numbers of the row that is furthest off among those threefold off; none where no row is.

    A fit without the row foretells it as far off as its residual over 1 - leverage (Cook and Weisberg 1982, section
    2.2). Two numbers where the two rows of a panel contradict each other, and nothing else there says which is wrong:
    then the one goes whose smaller batch agrees with the other.
    """
    largest = pl.col("batch_per_gpu").eq_missing(pl.col("batch_per_gpu").max().over("panel", "gpu_id"))
    used = rows.with_columns(number=pl.int_range(pl.len())).filter(largest).sort("panel", "gpu_id", "throughput")
    if used.is_empty():
        return np.array([], dtype=np.int64)
    value, design = np.log(used["throughput"].to_numpy()), _design(used)
    fitted = np.linalg.solve(design.T @ design + TINY * np.eye(design.shape[1]), design.T)
    residual, free = value - design @ (fitted @ value), 1 - np.sum(fitted.T * design, axis=1)
    off = np.where(free > 1e-6, np.abs(residual) / np.maximum(free, 1e-6), 0.0)
    gain = np.where(off > GROSS, off**2 * free, 0.0)
    numbers: NDArray[np.int64] = used["number"].to_numpy()[(gain > 0) & (gain > gain.max() * (1 - 1e-5))]
    return numbers


def _design(used: pl.DataFrame) -> Floats:
    """Indicators of cards and panels (rows, cards + panels)."""
    sides = [used[name].to_numpy().astype(str) for name in ("gpu_id", "panel")]
    return np.hstack([side[:, None] == np.unique(side) for side in sides]).astype(np.float64)


def _checked(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of panels that compare cards, and of cards in two panels or more: a card of one panel rests on one word."""
    compared = pl.col("gpu_id").n_unique().over("panel") > 1
    supported = pl.col("panel").n_unique().over("gpu_id") >= FEWEST_PANELS
    kept = rows.filter(compared).filter(supported)
    return rows if len(kept) == len(rows) else _checked(kept)
