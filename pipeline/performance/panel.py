"""Which measured rows can be compared, and the robust fit of card and panel effects to them.

A panel is what is measured alike: one source, suite, software, workload, variant, settings and unit. Throughputs of two
panels are never set against each other; each panel has an effect of its own. Reading tables is in `tables`.
"""

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FAMILIES = ("cnn", "transformer", "rnn")
PRECISIONS = {"amp": "fp16", "fp16": "fp16", "bf16": "fp16", "tf32": "fp32", "fp32": "fp32"}
PANEL = ("source_id", "suite", "software", "workload", "variant", "settings", "unit")
CELL = (
    "panel", "source_id", "suite", "workload", "family", "core", "precision", "gpu_id", "gpu_count", "batch_per_gpu",
    "interconnect",
)  # fmt: skip
HUBER = 1.345  # 95% efficiency under normal errors (Huber 1981)
GROSS = float(np.log(3.0))  # a cell threefold off what its card and panel say is not a measurement of that card


def usable(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows that fits may use, one per panel, precision, card, count, batch and link: machines alike count once.

    `rows` has the columns of `training_throughput` and `core` (whether the workload belongs to the core list, or null).
    Left out: flagged rows, rows without a card, and rows whose card the source itself doubts ("?" in its name).
    `precision` becomes fp16 (any 16-bit or mixed) or fp32 (with TF32); `throughput` is the median over machines and
    `spread` the standard deviation of its logarithm there.
    """
    doubtful = pl.col("raw_gpu_name").str.ends_with("?")
    kept = rows.filter(pl.col("flag").is_null(), pl.col("gpu_id").is_not_null(), ~doubtful, pl.col("family").is_in(FAMILIES))
    named = kept.with_columns(
        panel=pl.concat_str([pl.col(name).fill_null("") for name in PANEL], separator="|"),
        precision=pl.col("precision").replace_strict(PRECISIONS, return_dtype=pl.String),
    )
    return (
        named.group_by(CELL)
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


def screened(table: Table, reference: str) -> Table:
    """The table without cells that are threefold off the fit of all families together."""
    gross = np.abs(table.log_throughput - fit(table, reference).expected) > GROSS
    return replace(table, log_throughput=np.where(gross, np.nan, table.log_throughput), n_rows=np.where(gross, 0, table.n_rows))


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
    known = ~np.isnan(table.log_throughput)
    base = np.where(known, table.weight, 0.0)
    linked = reachable(base, at)
    base *= linked[:, None]
    values = np.where(known, table.log_throughput, 0.0)
    effect, weight, scale = _huber(values, base, at)
    effect = np.where(linked, effect, np.nan)
    return Fit(table.cards, effect, weight, effect[:, None] + _panels(values, weight, np.nan_to_num(effect)), scale, linked)


def _huber(values: Floats, base: Floats, at: int) -> tuple[Floats, Floats, float]:
    """Card effects, cell weights and residual scale, where a further step would change no effect by 1e-8."""
    weight, effect, scale = base, solve(values, base, at), 0.0
    for _ in range(200):
        error = np.abs(values - effect[:, None] - _panels(values, weight, effect))
        scale = max(float(np.median(error[base > 0])) / 0.6745, 1e-9)
        weight = base * np.minimum(1.0, HUBER * scale / np.maximum(error, 1e-12))
        previous, effect = effect, solve(values, weight, at)
        if np.max(np.abs(effect - previous)) < 1e-8:
            break
    cells, cards, panels = (int(np.count_nonzero(one)) for one in (base, base.any(axis=1), base.any(axis=0)))
    free = max(cells - cards - panels + 1, 1)
    return effect, weight, scale * float(np.sqrt(cells / free))


def _panels(values: Floats, weight: Floats, effect: Floats) -> Floats:
    """Panel effects, given the card effects; 0 without a cell."""
    total = weight.sum(axis=0)
    panels: Floats = (weight * (values - effect[:, None])).sum(axis=0) / np.where(total > 0, total, 1)
    return panels


def solve(values: Floats, weight: Floats, at: int) -> Floats:
    """Weighted least squares of card + panel effects with the panels profiled out; the card `at` has effect 0.

    Shapes: values (cards, panels), weight (..., cards, panels) -> (..., cards). Cards of weight 0 get 0.
    """
    total = weight.sum(axis=-2, keepdims=True)
    share = weight / np.where(total > 0, total, 1)
    seen = weight.sum(axis=-1)
    matrix = -share @ np.swapaxes(weight, -1, -2)
    diagonal = np.arange(values.shape[0])
    matrix[..., diagonal, diagonal] += np.where(seen > 1e-12, seen, 1.0)
    matrix[..., at, at] += 1.0
    moved = weight * values
    right = moved.sum(axis=-1) - (share * moved.sum(axis=-2, keepdims=True)).sum(axis=-1)
    effect: Floats = np.linalg.solve(matrix + 1e-12 * np.eye(len(diagonal)), right[..., None])[..., 0]
    return effect - effect[..., at : at + 1]


def reachable(weight: Floats, at: int) -> NDArray[np.bool_]:
    """Which cards are linked to the card `at` by shared panels. Shapes (..., cards, panels) -> (..., cards)."""
    shared = (weight > 0).astype(np.float64)
    found = np.zeros(weight.shape[:-1])
    found[..., at] = 1.0
    while True:
        panels = (found[..., None, :] @ shared > 0).astype(np.float64)
        grown = ((panels @ np.swapaxes(shared, -1, -2))[..., 0, :] > 0).astype(np.float64)
        grown[..., at] = 1.0
        if np.array_equal(grown, found):
            return grown > 0
        found = grown
