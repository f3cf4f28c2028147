"""Performance indices of GPUs: training, measured by the panel fit, and text generation, from memory bandwidth.

The training index of a measured GPU is its effect in the panel fit, with an interval from a bootstrap over workloads.
The decode index is the speed of generating text with a large language model, one request at a time. Every token reads
all weights once, so that speed cannot exceed bandwidth over the size of the model. The training index is not used for
it. The committed data contain no measurement of decoding by GPU: the index is a prediction without an interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.special import stdtrit

from pipeline.performance import panel
from pipeline.performance.outliers import drop_gross_errors
from pipeline.performance.panel import Fit, Floats, Table

REFERENCE = "nvidia-geforce-rtx-2080-ti-11gb"  # index 1.0
DRAWS, SEED = 400, 20200907
LEVEL = 0.9
MIN_GPUS, MIN_WORKLOADS = 3, 2
PRIOR_DF = 4.0  # weight of the pooled variance against a GPU's own


@dataclass(frozen=True, slots=True)
class Index:
    """The index of one GPU: log effect against the reference, half width of its 90% interval (log; None = none), and model.

    One without rows is predicted.
    """

    gpu_id: str
    effect: float
    half_width: float | None
    note: str | None
    model: str = "panel_fit"
    n_rows: int = 0
    n_workloads: int = 0

    def interval(self) -> tuple[float, float] | None:
        """Return the bounds of the index (not of its logarithm), or None where there is no interval."""
        if self.half_width is None:
            return None
        return float(np.exp(self.effect - self.half_width)), float(np.exp(self.effect + self.half_width))


def comparison_table(usable_rows: pl.DataFrame, precision: str) -> Table | None:
    """Return the single-GPU table of a precision, of all families, without non-core workloads and gross errors.

    None where the reference GPU has no row.
    """
    rows = usable_rows.filter(pl.col("precision") == precision, pl.col("gpu_count") == 1, pl.col("core").fill_null(True))
    table = panel.tabulate(panel.singles(panel.cells(drop_gross_errors(rows))))
    return table if REFERENCE in table.gpus else None


def measured_indices(table: Table) -> list[Index]:
    """Return the index of every GPU that shared panels link to the reference, in the order of the table.

    Empty where the reference itself was not measured.
    """
    if REFERENCE not in table.gpus:
        return []
    at = table.gpus.index(REFERENCE)
    fit = panel.fit(table, REFERENCE)
    draws = bootstrap(table, fit, at)
    return [_measured_index(table, fit, draws, number) for number in np.flatnonzero(fit.linked).tolist()]


def median_half_width(measured: Sequence[Index]) -> float:
    """Return the median half width (log) of the intervals of measured indices; 0 where none has an interval."""
    widths = [np.log(ends[1] / ends[0]) / 2 for one in measured if (ends := one.interval()) is not None]
    return float(np.median(widths)) if widths else 0.0


def bootstrap(table: Table, fit: Fit, at: int) -> Floats:
    """Return the GPU effects (DRAWS, GPUs) of draws of workloads with replacement, with the robust weights of the fit.

    A workload is drawn with its panels of every suite, because they are dependent. NaN where a draw does not link the GPU.
    """
    names, column = np.unique(table.workload, return_inverse=True)
    generator = np.random.default_rng(SEED)
    times = generator.multinomial(len(names), np.full(len(names), 1 / len(names)), size=DRAWS)
    weight = fit.weight[None, :, :] * times[:, None, column]
    values = np.nan_to_num(table.log_throughput)
    effect = panel.solve(values, weight, at)
    return np.where(panel.reachable(weight, at), effect, np.nan)


def _measured_index(table: Table, fit: Fit, draws: Floats, number: int) -> Index:
    own, reference = (_count_workloads(table, fit, at) for at in (number, table.gpus.index(REFERENCE)))
    note = _missing_interval_note(table.gpus[number], int(fit.linked.sum()), min(own, reference))
    width = None
    if note is None:
        error, df = moderated_error(draws[:, number], min(own, reference), fit.scale * np.sqrt(1 / own + 1 / reference))
        width = float(stdtrit(df, (1 + LEVEL) / 2)) * error
    n_rows = int(table.n_rows[number].sum())
    return Index(table.gpus[number], float(fit.effect[number]), width, note, n_rows=n_rows, n_workloads=own)


def _count_workloads(table: Table, fit: Fit, number: int) -> int:
    """Return the number of workloads in which a GPU has weight."""
    return len(set(table.workload[fit.weight[number] > 0]))


def _missing_interval_note(gpu_id: str, gpus: int, workloads: int) -> str | None:
    if gpu_id == REFERENCE:
        return "the reference: 1 by definition"
    if gpus < MIN_GPUS:
        return f"no interval: fewer than {MIN_GPUS} GPUs measured in this family"
    if workloads < MIN_WORKLOADS:
        return "no interval: this GPU or the reference was measured in one workload only"
    return None


def moderated_error(draws: Floats, n_workloads: int, pooled: float) -> tuple[float, float]:
    """Return the standard error of a GPU effect and its degrees of freedom.

    The bootstrap variance is corrected for its small-sample bias, n / (n - 1). Two workloads determine it poorly. So it is
    moderated by the pooled standard error that the panel's residual scale implies (Smyth 2004, equation 2, with PRIOR_DF).
    """
    own_df = n_workloads - 1
    linked = draws[np.isfinite(draws)]
    variance = float(np.var(linked)) * n_workloads / own_df if len(linked) > 1 else 0.0
    return float(np.sqrt((own_df * variance + PRIOR_DF * pooled**2) / (own_df + PRIOR_DF))), own_df + PRIOR_DF
