"""Which measured rows can be compared, and the robust fit of card and panel effects to them.

A panel is what is measured alike: one source, suite, software, workload, variant, settings and unit. Throughputs of two
panels are never set against each other; each panel has an effect of its own. Reading tables is in `tables`.
"""

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

Floats = NDArray[np.float64]
At = int | NDArray[np.intp]  # number of a card, or of one in each fold

FAMILIES = ("cnn", "transformer", "rnn")
PRECISIONS = {"amp": "fp16", "fp16": "fp16", "bf16": "fp16", "tf32": "fp32", "fp32": "fp32"}
PANEL = ("source_id", "suite", "software", "workload", "variant", "settings", "unit")
CELL = (
    "panel", "source_id", "suite", "workload", "family", "core", "precision", "gpu_id", "gpu_count", "batch_per_gpu",
    "interconnect",
)  # fmt: skip
HUBER = 1.345  # 95% efficiency under normal errors (Huber 1981)


def usable(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows that fits may use.

    `rows` has the columns of `training_throughput` and `core` (whether the workload belongs to the core list, or null).
    Left out: flagged rows, rows without a card, and rows whose card the source itself doubts ("?" in its name).
    `precision` becomes fp16 (any 16-bit or mixed) or fp32 (with TF32).
    """
    doubtful = pl.col("raw_gpu_name").str.ends_with("?")
    kept = rows.filter(pl.col("flag").is_null(), pl.col("gpu_id").is_not_null(), ~doubtful, pl.col("family").is_in(FAMILIES))
    return kept.with_columns(
        panel=pl.concat_str([pl.col(name).fill_null("") for name in PANEL], separator="|"),
        precision=pl.col("precision").replace_strict(PRECISIONS, return_dtype=pl.String),
    )


def cells(usable_rows: pl.DataFrame) -> pl.DataFrame:
    """One row per panel, precision, card, count, batch and link: machines alike count once.

    `throughput` is the median over machines and `spread` the standard deviation of its logarithm there.
    """
    return (
        usable_rows.group_by(CELL)
        .agg(pl.col("throughput").median(), spread=pl.col("throughput").log().std(), n_rows=pl.len())
        .sort(CELL, nulls_last=True)
    )


def singles(cells: pl.DataFrame) -> pl.DataFrame:
    """Of one card alone, the row of the largest batch in each panel and precision: the card as it would be used."""
    alone = cells.filter(pl.col("gpu_count") == 1).sort("panel", "precision", "gpu_id", "batch_per_gpu")
    return alone.unique(("panel", "precision", "gpu_id"), keep="last", maintain_order=True)


@dataclass(frozen=True, slots=True)
class Table:
    """Log throughput of cards (rows) in panels (columns), NaN where not measured, and the rows behind each cell.

    Of each panel: its weight, its workload (with the source, so that it is one cluster) and its family.
    """

    cards: tuple[str, ...]
    log_throughput: Floats
    n_rows: NDArray[np.int64]
    weight: Floats
    workload: NDArray[np.str_]
    family: NDArray[np.str_]

    def only(self, rows: NDArray[np.bool_]) -> "Table":
        """The same table with some of the cards."""
        cards = tuple(card for card, kept in zip(self.cards, rows, strict=True) if kept)
        return replace(self, cards=cards, log_throughput=self.log_throughput[rows], n_rows=self.n_rows[rows])

    def of(self, family: str) -> "Table":
        """The panels of one family ("all" = every one) and the cards that have a row there."""
        chosen = (self.family == family) | (family == "all")
        values, counts = self.log_throughput[:, chosen], self.n_rows[:, chosen]
        made = Table(self.cards, values, counts, self.weight[chosen], self.workload[chosen], self.family[chosen])
        return made.only(np.asarray(np.isfinite(values).any(axis=1)))


def tabulate(alone: pl.DataFrame) -> Table:
    """The table of `singles` of one precision, without panels of one card alone: they compare nothing.

    Panels of the same workload in the same suite share one panel's weight.
    """
    rows = alone.filter(pl.col("gpu_id").n_unique().over("panel") > 1)
    cards = sorted(set(rows["gpu_id"]))
    panels = rows.select("panel", "source_id", "suite", "workload", "family").unique().sort("panel")
    panels = panels.with_columns(weight=1 / pl.len().over("source_id", "suite", "workload"))
    row = {card: number for number, card in enumerate(cards)}
    column = {panel: number for number, panel in enumerate(panels["panel"])}
    values = np.full((len(cards), len(column)), np.nan)
    counts = np.zeros(values.shape, dtype=np.int64)
    for panel, card, throughput, n_rows in rows.select("panel", "gpu_id", "throughput", "n_rows").iter_rows():
        values[row[card], column[panel]] = np.log(throughput)
        counts[row[card], column[panel]] = n_rows
    workload = (panels["source_id"] + "/" + panels["workload"]).to_numpy().astype(str)
    return Table(tuple(cards), values, counts, panels["weight"].to_numpy(), workload, panels["family"].to_numpy().astype(str))


@dataclass(frozen=True, slots=True)
class Fit:
    """Card effects (log, the reference at 0; NaN = not linked to it); weight and expected value of each cell; scale of
    residuals for the degrees of freedom that are left."""

    cards: tuple[str, ...]
    effect: Floats
    weight: Floats
    expected: Floats
    scale: float
    linked: NDArray[np.bool_]


def fit(table: Table, reference: str) -> Fit:
    """log T[card, panel] = card + panel + error by Huber's M-estimate (iteratively reweighted least squares).

    Raises KeyError where the reference is not in the table.
    """
    if reference not in table.cards:
        raise KeyError(f"{reference} has no measured row in this panel: choose another reference card")
    at = table.cards.index(reference)
    values, base, linked = _linked(table, np.ones(len(table.cards), dtype=bool), at)
    effect, weight, scale = _huber(values, base, at)
    expected = effect[:, None] + _panels(values, weight, effect)[None, :]
    shown = np.where(linked, effect, np.nan)
    return Fit(table.cards, shown, weight, np.where(linked[:, None], expected, np.nan), float(scale), linked)


def fits_without(table: Table, reference: str, out: NDArray[np.bool_]) -> Floats:
    """Card effects (folds, cards) of a fit each without the cards that `out` (folds, cards) names; NaN there and where no
    shared panel links a card. The reference is at 0 or, where it is left out, the card of the most panels."""
    panels = np.isfinite(table.log_throughput).sum(axis=1)
    at = np.where(out[:, table.cards.index(reference)], np.where(out, -1, panels).argmax(axis=1), table.cards.index(reference))
    values, base, linked = _linked(table, ~out, at)
    return np.where(linked & ~out, _huber(values, base, at)[0], np.nan)


def _linked(table: Table, kept: NDArray[np.bool_], at: At) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Values with 0 where not measured, weights (..., cards, panels) of the kept cards that are linked, and which are."""
    known = np.isfinite(table.log_throughput)
    base = np.where(known & kept[..., None], table.weight, 0.0)
    linked = reachable(base, at)
    return np.where(known, table.log_throughput, 0.0), base * linked[..., None], linked


def _huber(values: Floats, base: Floats, at: At) -> tuple[Floats, Floats, Floats]:
    """Card effects, cell weights and residual scale, where a further step would change no effect by 1e-8.

    Shapes: values (cards, panels), base and weights (..., cards, panels), effects (..., cards), scale (...).
    """
    weight, effect, scale = base, solve(values, base, at), np.zeros(base.shape[:-2])
    there = base > 0
    for _ in range(200):
        error = np.abs(values - effect[..., None] - _panels(values, weight, effect)[..., None, :])
        scale = np.maximum(_median(error, there) / 0.6745, 1e-9)
        weight = base * np.minimum(1.0, HUBER * scale[..., None, None] / np.maximum(error, 1e-12))
        previous, effect = effect, solve(values, weight, at)
        if np.max(np.abs(effect - previous)) < 1e-8:
            break
    cells, cards, panels = there.sum(axis=(-2, -1)), there.any(axis=-1).sum(axis=-1), there.any(axis=-2).sum(axis=-1)
    return effect, weight, scale * np.sqrt(cells / np.maximum(cells - cards - panels + 1, 1))


def _median(error: Floats, there: NDArray[np.bool_]) -> Floats:
    """Median over the last two axes of the cells that are there."""
    count = there.sum(axis=(-2, -1))
    order = np.sort(np.where(there, error, np.inf).reshape(*count.shape, -1), axis=-1)
    middle = np.stack([(count - 1) // 2, count // 2], axis=-1)
    found: Floats = np.take_along_axis(order, middle, axis=-1).mean(axis=-1)
    return found


def _panels(values: Floats, weight: Floats, effect: Floats) -> Floats:
    """Panel effects (..., panels), given the card effects (..., cards); 0 without a cell."""
    total = weight.sum(axis=-2)
    panels: Floats = (weight * (values - effect[..., None])).sum(axis=-2) / np.where(total > 0, total, 1)
    return panels


def solve(values: Floats, weight: Floats, at: At) -> Floats:
    """Weighted least squares of card + panel effects with the panels profiled out; the card `at` has effect 0.

    Shapes: values (cards, panels), weight (..., cards, panels), at one card or (...) -> (..., cards). Cards of weight 0
    get 0.
    """
    total = weight.sum(axis=-2, keepdims=True)
    share = weight / np.where(total > 0, total, 1)
    seen = weight.sum(axis=-1)
    matrix = -share @ np.swapaxes(weight, -1, -2)
    diagonal = np.arange(values.shape[0])
    matrix[..., diagonal, diagonal] += np.where(seen > 1e-12, seen, 1.0) + (diagonal == np.asarray(at)[..., None]) + 1e-12
    moved = weight * values
    right = moved.sum(axis=-1) - (share * moved.sum(axis=-2, keepdims=True)).sum(axis=-1)
    effect: Floats = np.linalg.solve(matrix, right[..., None])[..., 0]
    anchored = np.broadcast_to(np.asarray(at)[..., None], (*effect.shape[:-1], 1))
    return np.where(seen > 1e-12, effect - np.take_along_axis(effect, anchored, axis=-1), 0.0)


def reachable(weight: Floats, at: At) -> NDArray[np.bool_]:
    """Which cards are linked to the card `at` by shared panels. Shapes as in `solve`."""
    shared = (weight > 0).astype(np.float64)
    found = start = np.broadcast_to(np.arange(weight.shape[-2]) == np.asarray(at)[..., None], weight.shape[:-1])
    while True:
        panels = (found[..., None, :].astype(np.float64) @ shared > 0).astype(np.float64)
        grown = ((panels @ np.swapaxes(shared, -1, -2))[..., 0, :] > 0) | start
        if np.array_equal(grown, found):
            return np.asarray(grown)
        found = grown
