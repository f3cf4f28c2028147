"""Comparable rows, and the robust fit of GPU and panel effects to them.

A panel contains the rows measured under the same conditions: one source, suite, software, workload, variant, settings
and unit. Throughputs of two panels are never compared directly, because each panel has an effect of its own.
Reading tables belongs in `inputs`.
"""

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

Floats = NDArray[np.float64]
At = int | NDArray[np.intp]  # index of a GPU, or of one in each fold

FAMILIES = ("cnn", "transformer", "rnn")
PRECISIONS = {"amp": "fp16", "fp16": "fp16", "bf16": "fp16", "tf32": "fp32", "fp32": "fp32"}
PANEL = ("source_id", "suite", "software", "workload", "variant", "settings", "unit")
CELL = (
    "panel", "source_id", "suite", "workload", "family", "core", "precision", "gpu_id", "gpu_count", "batch_per_gpu",
    "interconnect",
)  # fmt: skip
HUBER = 1.345  # 95% efficiency under normal errors (Huber 1981)


def usable(rows: pl.DataFrame) -> pl.DataFrame:
    """Select the rows that fits may use.

    `rows` has the columns of `training_throughput` and `core` (whether the workload belongs to the core list, or null).
    Left out: flagged rows, rows without a GPU, and rows whose GPU the source itself doubts ("?" in its name).
    `precision` becomes fp16 (any 16-bit or mixed) or fp32 (with TF32).
    """
    is_doubtful = pl.col("raw_gpu_name").str.ends_with("?")
    is_usable = pl.col("flag").is_null() & pl.col("gpu_id").is_not_null() & ~is_doubtful & pl.col("family").is_in(FAMILIES)
    return rows.filter(is_usable).with_columns(
        panel=pl.concat_str([pl.col(name).fill_null("") for name in PANEL], separator="|"),
        precision=pl.col("precision").replace_strict(PRECISIONS, return_dtype=pl.String),
    )


def cells(usable_rows: pl.DataFrame) -> pl.DataFrame:
    """Aggregate to one row per panel, precision, GPU, count, batch and link, so that equal machines count once.

    `throughput` is the median over machines and `spread` the standard deviation of its logarithm.
    """
    return (
        usable_rows.group_by(CELL)
        .agg(pl.col("throughput").median(), spread=pl.col("throughput").log().std(), n_rows=pl.len())
        .sort(CELL, nulls_last=True)
    )


def singles(cells: pl.DataFrame) -> pl.DataFrame:
    """Select the row of the largest batch of each single GPU, panel and precision: the GPU as it would be used."""
    alone = cells.filter(pl.col("gpu_count") == 1).sort("panel", "precision", "gpu_id", "batch_per_gpu")
    return alone.unique(("panel", "precision", "gpu_id"), keep="last", maintain_order=True)


@dataclass(frozen=True, slots=True)
class Table:
    """Log throughput of GPUs (rows) in panels (columns), NaN where not measured, and the number of rows of each cell.

    Each panel has a weight, a workload (with the source, so that it is one cluster) and a family.
    """

    gpus: tuple[str, ...]
    log_throughput: Floats
    n_rows: NDArray[np.int64]
    weight: Floats
    workload: NDArray[np.str_]
    family: NDArray[np.str_]

    def only(self, rows: NDArray[np.bool_]) -> "Table":
        """Return the table with some of the GPUs."""
        gpus = tuple(gpu_id for gpu_id, selected in zip(self.gpus, rows, strict=True) if selected)
        return replace(self, gpus=gpus, log_throughput=self.log_throughput[rows], n_rows=self.n_rows[rows])

    def of_family(self, family: str) -> "Table":
        """Return the panels of one family ("all" = every one) with the GPUs that have a row there."""
        selected = (self.family == family) | (family == "all")
        values, counts = self.log_throughput[:, selected], self.n_rows[:, selected]
        table = Table(self.gpus, values, counts, self.weight[selected], self.workload[selected], self.family[selected])
        return table.only(np.asarray(np.isfinite(values).any(axis=1)))


def tabulate(alone: pl.DataFrame) -> Table:
    """Build the table of `singles` of one precision, without panels of a single GPU: they compare nothing.

    Panels of the same workload in the same suite share one panel's weight.
    """
    rows = alone.filter(pl.col("gpu_id").n_unique().over("panel") > 1)
    gpus = sorted(set(rows["gpu_id"]))
    panels = rows.select("panel", "source_id", "suite", "workload", "family").unique().sort("panel")
    panels = panels.with_columns(weight=1 / pl.len().over("source_id", "suite", "workload"))
    row = {gpu_id: number for number, gpu_id in enumerate(gpus)}
    column = {panel: number for number, panel in enumerate(panels["panel"])}
    values = np.full((len(gpus), len(column)), np.nan)
    counts = np.zeros(values.shape, dtype=np.int64)
    for panel, gpu_id, throughput, n_rows in rows.select("panel", "gpu_id", "throughput", "n_rows").iter_rows():
        values[row[gpu_id], column[panel]] = np.log(throughput)
        counts[row[gpu_id], column[panel]] = n_rows
    workload = (panels["source_id"] + "/" + panels["workload"]).to_numpy().astype(str)
    return Table(tuple(gpus), values, counts, panels["weight"].to_numpy(), workload, panels["family"].to_numpy().astype(str))


@dataclass(frozen=True, slots=True)
class Fit:
    """GPU effects (log, 0 for the reference; NaN = not linked to it), and the weight of each cell.

    `scale` is the residual scale for the remaining degrees of freedom.
    """

    effect: Floats
    weight: Floats
    scale: float
    linked: NDArray[np.bool_]


def fit(table: Table, reference: str) -> Fit:
    """Fit log T[GPU, panel] = GPU + panel + error by Huber's M-estimate (iteratively reweighted least squares).

    Raises KeyError where the reference is not in the table.
    """
    if reference not in table.gpus:
        raise KeyError(f"{reference} has no measured row in this panel: choose another reference GPU")
    at = table.gpus.index(reference)
    values, base, linked = _linked_cells(table, np.ones(len(table.gpus), dtype=bool), at)
    effect, weight, scale = _huber(values, base, at)
    return Fit(np.where(linked, effect, np.nan), weight, float(scale), linked)


def fits_without(table: Table, reference: str, out: NDArray[np.bool_]) -> Floats:
    """Return the GPU effects (folds, GPUs) of one fit per fold, without the GPUs that `out` (folds, GPUs) marks.

    NaN for those and where no shared panel links a GPU. The reference has effect 0 or, where it is left out, the GPU of
    the most panels.
    """
    panels = np.isfinite(table.log_throughput).sum(axis=1)
    at = np.where(out[:, table.gpus.index(reference)], np.where(out, -1, panels).argmax(axis=1), table.gpus.index(reference))
    values, base, linked = _linked_cells(table, ~out, at)
    return np.where(linked & ~out, _huber(values, base, at)[0], np.nan)


def _linked_cells(table: Table, included: NDArray[np.bool_], at: At) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return values (0 where not measured), weights (..., GPUs, panels) of included, linked GPUs, and the mask of linked GPUs."""
    is_measured = np.isfinite(table.log_throughput)
    base = np.where(is_measured & included[..., None], table.weight, 0.0)
    linked = reachable(base, at)
    return np.where(is_measured, table.log_throughput, 0.0), base * linked[..., None], linked


def _huber(values: Floats, base: Floats, at: At) -> tuple[Floats, Floats, Floats]:
    """Return GPU effects, cell weights and residual scale, iterated until no effect changes by 1e-8.

    Shapes: values (GPUs, panels), base and weights (..., GPUs, panels), effects (..., GPUs), scale (...).
    """
    weight, effect, scale = base, solve(values, base, at), np.zeros(base.shape[:-2])
    has_weight = base > 0
    for _ in range(200):
        error = np.abs(values - effect[..., None] - _panel_effects(values, weight, effect)[..., None, :])
        scale = np.maximum(_median(error, has_weight) / 0.6745, 1e-9)
        weight = base * np.minimum(1.0, HUBER * scale[..., None, None] / np.maximum(error, 1e-12))
        previous, effect = effect, solve(values, weight, at)
        if np.max(np.abs(effect - previous)) < 1e-8:
            break
    cells, gpus = has_weight.sum(axis=(-2, -1)), has_weight.any(axis=-1).sum(axis=-1)
    panels = has_weight.any(axis=-2).sum(axis=-1)
    return effect, weight, scale * np.sqrt(cells / np.maximum(cells - gpus - panels + 1, 1))


def _median(error: Floats, has_weight: NDArray[np.bool_]) -> Floats:
    """Return the median over the last two axes of the cells with weight."""
    count = has_weight.sum(axis=(-2, -1))
    order = np.sort(np.where(has_weight, error, np.inf).reshape(*count.shape, -1), axis=-1)
    middle = np.stack([(count - 1) // 2, count // 2], axis=-1)
    median: Floats = np.take_along_axis(order, middle, axis=-1).mean(axis=-1)
    return median


def _panel_effects(values: Floats, weight: Floats, effect: Floats) -> Floats:
    """Return the panel effects (..., panels) for given GPU effects (..., GPUs); 0 for a panel without a cell."""
    total = weight.sum(axis=-2)
    panels: Floats = (weight * (values - effect[..., None])).sum(axis=-2) / np.where(total > 0, total, 1)
    return panels


def solve(values: Floats, weight: Floats, at: At) -> Floats:
    """Solve the weighted least squares of GPU + panel effects with the panels profiled out; the GPU `at` has effect 0.

    Shapes: values (GPUs, panels), weight (..., GPUs, panels), at one GPU or (...) -> (..., GPUs). GPUs of weight 0 have
    effect 0.
    """
    total = weight.sum(axis=-2, keepdims=True)
    share = weight / np.where(total > 0, total, 1)
    gpu_weight = weight.sum(axis=-1)
    matrix = -share @ np.swapaxes(weight, -1, -2)
    diagonal = np.arange(values.shape[0])
    matrix[..., diagonal, diagonal] += (
        np.where(gpu_weight > 1e-12, gpu_weight, 1.0) + (diagonal == np.asarray(at)[..., None]) + 1e-12
    )
    weighted = weight * values
    right = weighted.sum(axis=-1) - (share * weighted.sum(axis=-2, keepdims=True)).sum(axis=-1)
    effect: Floats = np.linalg.solve(matrix, right[..., None])[..., 0]
    anchor = np.broadcast_to(np.asarray(at)[..., None], (*effect.shape[:-1], 1))
    return np.where(gpu_weight > 1e-12, effect - np.take_along_axis(effect, anchor, axis=-1), 0.0)


def reachable(weight: Floats, at: At) -> NDArray[np.bool_]:
    """Return a mask of the GPUs that shared panels link to the GPU `at`. Shapes as in `solve`."""
    shared = (weight > 0).astype(np.float64)
    linked = start = np.broadcast_to(np.arange(weight.shape[-2]) == np.asarray(at)[..., None], weight.shape[:-1])
    while True:
        panels = (linked[..., None, :].astype(np.float64) @ shared > 0).astype(np.float64)
        grown = ((panels @ np.swapaxes(shared, -1, -2))[..., 0, :] > 0) | start
        if np.array_equal(grown, linked):
            return np.asarray(grown)
        linked = grown
