"""Time of a step as a sum of parts with non-negative coefficients, fitted on measured runs; errors on left-out GPUs.

Coefficients minimize the mean absolute relative error by iteratively reweighted least squares; every GPU of a source has
the same weight. Intervals are split-conformal: a quantile of the errors of the same class with each GPU left out.
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


def fit(runs: Runs, terms: list[int]) -> Floats:
    """Return the coefficients (0 for terms that are not used)."""
    design = runs.parts[:, terms] / runs.seconds[:, None]
    scale = np.maximum(design.max(axis=0), 1e-30)
    design = design / scale
    _, index, count = np.unique(runs.origin, return_inverse=True, return_counts=True)
    weight = base = 1 / count[index]
    for _ in range(ITERATIONS):
        solution = _solve(design, weight)
        weight = base / np.maximum(np.abs(design @ solution - 1), LEAST_RESIDUAL)
    result = np.zeros(runs.parts.shape[1])
    result[terms] = solution / scale
    return result


def _solve(design: Floats, weight: Floats) -> Floats:
    """Minimize the weighted squares of design @ x - 1 over x >= 0, by the normal equations."""
    normal = design.T @ (design * weight[:, None])
    root = np.linalg.cholesky(normal + 1e-12 * np.trace(normal) * np.eye(len(normal)))
    solution: Floats = nnls(root.T, np.linalg.solve(root, design.T @ weight))[0]
    return solution


def errors_left_out(runs: Runs, terms: list[int]) -> Floats:
    """Return log(predicted / measured seconds) of each run from a fit without its GPU."""
    error = np.full(len(runs.seconds), np.nan)
    for gpu in np.unique(runs.gpu):
        out = runs.gpu == gpu
        error[out] = np.log(runs.parts[out] @ fit(runs[~out], terms) / runs.seconds[out])
    return error


def choose_terms(runs: Runs, term_sets: list[list[int]]) -> tuple[list[int], Floats]:
    """Return the set of terms with the smallest error on a typical left-out GPU, and the errors of each run."""
    errors = [errors_left_out(runs, terms) for terms in term_sets]
    best = int(np.argmin([round(_typical_error(error, runs.gpu), 6) for error in errors]))
    return term_sets[best], errors[best]


def _typical_error(errors: Floats, gpus: NDArray[np.str_]) -> float:
    """Median over GPUs of the median absolute error of each."""
    return float(np.median([np.median(np.abs(errors[gpus == gpu])) for gpu in np.unique(gpus)]))


def half_widths(runs: Runs, errors: Floats) -> dict[str, float]:
    """Return the half width (log) of the 90% interval by class: the ceil((n + 1) 0.9)-th smallest absolute error."""
    return {str(group): _half_width(errors[runs.group == group]) for group in np.unique(runs.group)}


def _half_width(errors: Floats) -> float:
    size = np.sort(np.abs(errors))
    return float(size[min(len(size), int(np.ceil((len(size) + 1) * LEVEL))) - 1])


@dataclass(frozen=True, slots=True)
class Check:
    """Errors of each run (log) when its GPU is left out of choice, fit and interval, and whether the interval has it."""

    error: Floats
    is_covered: Mask


def check(fitted: Runs, compared: Runs, term_sets: list[list[int]]) -> Check:
    """Repeat choice, fit and interval without each GPU in turn, and compare with its runs."""
    error, covered = np.full(len(compared.seconds), np.nan), np.zeros(len(compared.seconds), dtype=bool)
    for gpu in np.unique(compared.gpu):
        others, out = fitted[fitted.gpu != gpu], compared.gpu == gpu
        terms, inner = choose_terms(others, term_sets)
        error[out] = np.log(compared.parts[out] @ fit(others, terms) / compared.seconds[out])
        widths = half_widths(others, inner)
        covered[out] = np.abs(error[out]) <= [widths.get(str(group), np.nan) for group in compared.group[out]]
    return Check(error, covered)


def roofline_errors(fitted: Runs, compared: Runs, terms: list[int]) -> Floats:
    """Return the errors of the sum of the terms at the efficiency of the class, the median of the other GPUs."""
    known = np.log(fitted.parts[:, terms].sum(axis=1) / fitted.seconds)
    error: Floats = np.log(compared.parts[:, terms].sum(axis=1) / compared.seconds)
    for gpu, group in sorted(set(zip(compared.gpu, compared.group, strict=True))):
        others = known[(fitted.gpu != gpu) & (fitted.group == group)]
        error[(compared.gpu == gpu) & (compared.group == group)] -= np.median(others)
    return error
