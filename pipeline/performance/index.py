"""The performance index of measured cards: card effects of the panel fit with intervals from a bootstrap over workloads."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.special import stdtrit

from pipeline.performance import panel
from pipeline.performance.outliers import screened
from pipeline.performance.panel import Fit, Floats, Table

REFERENCE = "nvidia-geforce-rtx-2080-ti-11gb"  # index 1.0
DRAWS, SEED = 400, 20200907
LEVEL = 0.9
FEWEST_CARDS, FEWEST_WORKLOADS = 3, 2
PRIOR_DF = 4.0  # weight of the pooled variance against a card's own


@dataclass(frozen=True, slots=True)
class Measured:
    """One card of a panel: log effect against the reference, standard error and its degrees of freedom (None = no interval)."""

    gpu_id: str
    effect: float
    standard_error: float | None
    df: float
    n_rows: int
    n_workloads: int
    note: str | None

    def interval(self, level: float = LEVEL) -> tuple[float, float] | None:
        """Ends of the interval of the index (not the log), or None where there is no basis for one."""
        if self.standard_error is None:
            return None
        reach = float(stdtrit(self.df, (1 + level) / 2)) * self.standard_error
        return float(np.exp(self.effect - reach)), float(np.exp(self.effect + reach))


def comparable(usable_rows: pl.DataFrame, precision: str) -> Table | None:
    """The single-card table of a precision, of all families, without workloads marked as not core and without gross errors.

    None where the reference card has no row.
    """
    rows = usable_rows.filter(pl.col("precision") == precision, pl.col("gpu_count") == 1, pl.col("core").fill_null(True))
    table = panel.tabulate(panel.singles(panel.cells(screened(rows))))
    return table if REFERENCE in table.cards else None


def measured(table: Table) -> list[Measured]:
    """Every card of the panel that shared panels link to the reference, in the order of the table.

    Empty where the reference itself was not measured.
    """
    if REFERENCE not in table.cards:
        return []
    at = table.cards.index(REFERENCE)
    fit = panel.fit(table, REFERENCE)
    draws = bootstrap(table, fit, at)
    return [_measured(table, fit, draws, number) for number in np.flatnonzero(fit.linked).tolist()]


def bootstrap(table: Table, fit: Fit, at: int) -> Floats:
    """Card effects (DRAWS, cards) when workloads are drawn with replacement, with the robust weights of the fit.

    A workload brings all its panels, in every suite: they are not independent. NaN where a draw does not link the card.
    """
    names, column = np.unique(table.workload, return_inverse=True)
    generator = np.random.default_rng(SEED)
    times = generator.multinomial(len(names), np.full(len(names), 1 / len(names)), size=DRAWS)
    weight = fit.weight[None, :, :] * times[:, None, column]
    values = np.nan_to_num(table.log_throughput)
    effect = panel.solve(values, weight, at)
    return np.where(panel.reachable(weight, at), effect, np.nan)


def _measured(table: Table, fit: Fit, draws: Floats, number: int) -> Measured:
    own, reference = (_workloads(table, fit, at) for at in (number, table.cards.index(REFERENCE)))
    note = _why_none(table.cards[number], int(fit.linked.sum()), min(own, reference))
    error, df = None, 0.0
    if note is None:
        error, df = moderated_error(draws[:, number], min(own, reference), fit.scale * np.sqrt(1 / own + 1 / reference))
    return Measured(table.cards[number], float(fit.effect[number]), error, df, int(table.n_rows[number].sum()), own, note)


def _workloads(table: Table, fit: Fit, number: int) -> int:
    """In how many workloads a card counts."""
    return len(set(table.workload[fit.weight[number] > 0]))


def _why_none(card: str, cards: int, workloads: int) -> str | None:
    if card == REFERENCE:
        return "the reference: 1 by definition"
    if cards < FEWEST_CARDS:
        return f"no interval: fewer than {FEWEST_CARDS} cards measured in this family"
    if workloads < FEWEST_WORKLOADS:
        return "no interval: this card or the reference was measured in one workload only"
    return None


def moderated_error(draws: Floats, n_workloads: int, pooled: float) -> tuple[float, float]:
    """Standard error of a card effect and its degrees of freedom.

    The bootstrap variance, freed of its small-sample bias n / (n - 1), is moderated by the pooled standard error that the
    panel's residual scale implies: with two workloads alone the former says little (Smyth 2004, equation 2, with PRIOR_DF).
    """
    own = n_workloads - 1
    seen = draws[np.isfinite(draws)]
    spread = float(np.var(seen)) * n_workloads / own if len(seen) > 1 else 0.0
    return float(np.sqrt((own * spread + PRIOR_DF * pooled**2) / (own + PRIOR_DF))), own + PRIOR_DF
