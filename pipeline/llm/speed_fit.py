"""Time of a step as a sum of parts with non-negative coefficients, fitted on measured runs; errors on left-out GPUs.

Coefficients minimize the mean absolute relative error by iteratively reweighted least squares; every GPU of a source has
the same weight. Intervals are conformal: a quantile of the errors of the same class with each GPU left out. Every GPU has
the same weight in it, because an interval is about the next GPU, not the next run of a GPU with many (CDF pooling, Dunn,
Wasserman and Ramdas, arXiv 1809.07441).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
ITERATIONS = 12
LEAST_RESIDUAL = 0.02  # residuals below 2% count as 2%, which keeps the weights finite
LEVEL = 0.9


@dataclass(frozen=True, slots=True)
class Runs:
    """Measured runs: parts of the time (runs, terms), measured seconds, GPU, GPU and source, and class of each run."""

    parts: Floats
    seconds: Floats
    gpu: NDArray[np.str_]
    origin: NDArray[np.str_]
    group: NDArray[np.str_]

    def __getitem__(self, rows: Mask) -> "Runs":
        return Runs(self.parts[rows], self.seconds[rows], self.gpu[rows], self.origin[rows], self.group[rows])


def fit(runs: Runs) -> Floats:
    """Return the coefficients of the terms."""
    design = runs.parts / runs.seconds[:, None]
    scale = np.maximum(design.max(axis=0), 1e-30)
    design = design / scale
    _, index, count = np.unique(runs.origin, return_inverse=True, return_counts=True)
    weight = base = 1 / count[index]
    for _ in range(ITERATIONS):
        solution = _solve(design, weight)
        weight = base / np.maximum(np.abs(design @ solution - 1), LEAST_RESIDUAL)
    coefficients: Floats = solution / scale
    return coefficients


def _solve(design: Floats, weight: Floats) -> Floats:
    """Minimize the weighted squares of design @ x - 1 over x >= 0, by the normal equations."""
    normal = design.T @ (design * weight[:, None])
    root = np.linalg.cholesky(normal + 1e-12 * np.trace(normal) * np.eye(len(normal)))
    solution: Floats = nnls(root.T, np.linalg.solve(root, design.T @ weight))[0]
    return solution


def errors_left_out(fitted: Runs, compared: Runs) -> Floats:
    """Return log(predicted / measured seconds) of each compared run from a fit without its GPU."""
    error = np.full(len(compared.seconds), np.nan)
    for gpu in np.unique(compared.gpu):
        out = compared.gpu == gpu
        error[out] = np.log(compared.parts[out] @ fit(fitted[fitted.gpu != gpu]) / compared.seconds[out])
    return error


def class_widths(fitted: Runs, compared: Runs) -> dict[str, float]:
    """Return the half width by class; a class to which nothing is fitted has the errors of its compared runs."""
    widths = half_widths(fitted, errors_left_out(fitted, fitted))
    apart = compared[~np.isin(compared.group, list(widths))]
    return widths | half_widths(apart, errors_left_out(fitted, apart))


def half_widths(runs: Runs, errors: Floats) -> dict[str, float]:
    """Return the half width (log) of the 90% interval by class."""
    classes = {str(group): runs.group == group for group in np.unique(runs.group)}
    return {name: _half_width(np.abs(errors[rows]), runs.gpu[rows]) for name, rows in classes.items()}


def _half_width(errors: Floats, gpus: NDArray[np.str_]) -> float:
    """Return the smallest error up to which the share of runs, as the mean over GPUs, reaches the level."""
    _, index, count = np.unique(gpus, return_inverse=True, return_counts=True)
    order = np.argsort(errors)
    share = np.cumsum(1 / count[index][order]) / len(count)
    return float(errors[order][np.searchsorted(share, LEVEL - 1e-9)])


@dataclass(frozen=True, slots=True)
class Check:
    """Errors of each run (log) when its GPU is left out of fit and interval, and whether the interval has it."""

    error: Floats
    is_covered: Mask


def check(fitted: Runs, compared: Runs) -> Check:
    """Repeat fit and interval without each GPU in turn, and compare with its runs."""
    error, covered = np.full(len(compared.seconds), np.nan), np.zeros(len(compared.seconds), dtype=bool)
    for gpu in np.unique(compared.gpu):
        others, out = fitted[fitted.gpu != gpu], compared.gpu == gpu
        error[out] = np.log(compared.parts[out] @ fit(others) / compared.seconds[out])
        widths = class_widths(others, compared[~out])
        covered[out] = np.abs(error[out]) <= [widths.get(str(group), np.nan) for group in compared.group[out]]
    return Check(error, covered)


def roofline_errors(fitted: Runs, compared: Runs, terms: list[int]) -> Floats:
    """Return the errors of the sum of the terms at the efficiency of the class, the median of the other GPUs."""
    error: Floats = _log_ratio(compared, terms)
    for gpu, group in sorted(set(zip(compared.gpu, compared.group, strict=True))):
        known = fitted if group in fitted.group else compared
        others = known[(known.gpu != gpu) & (known.group == group)]
        error[(compared.gpu == gpu) & (compared.group == group)] -= np.median(_log_ratio(others, terms))
    return error


def _log_ratio(runs: Runs, terms: list[int]) -> Floats:
    """Return the log of the sum of the terms over the measured seconds."""
    ratio: Floats = np.log(runs.parts[:, terms].sum(axis=1) / runs.seconds)
    return ratio
