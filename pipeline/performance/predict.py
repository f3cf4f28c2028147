"""Predict the performance of unmeasured GPUs from their specifications, with the width of the interval.

A prediction is the mean of two models (in logs), plus what GPUs of its generation differ from that mean. The log-linear model
has non-negative slopes and shrunk offsets by generation. The additive model of time, a/BW + b/TC + c/SM, is a roofline
without overlap: each resource adds its share to a step. The choice with or without memory size is made by the errors on
left-out GPUs, independently of the predicted one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from pipeline.performance.panel import Floats

Labels = NDArray[np.str_]
BANDWIDTH, TENSOR_RATE, SM_COUNT, TDP, MEMORY = range(5)  # columns of `Gpus.features`: logs of GB/s, TFLOPS, SMs, W and GB
REQUIRED = 3  # the first three; the others are used where known
LEVEL = 0.9  # of the intervals
PENALTY = 0.1  # ridge penalty of the slopes
GENERATION_PENALTY = 1.0  # shrinks the offset of a generation to 0 with the weight of one GPU
# tensor cores do not use rates far beyond what memory feeds at this intensity; with 100 to 300 the errors are alike
FLOP_PER_BYTE = 100.0


@dataclass(frozen=True, slots=True)
class Gpus:
    """GPUs with log features (GPUs, 5; NaN = unknown), generation, and log performance (NaN = not measured)."""

    ids: NDArray[np.str_]
    features: Floats
    generation: NDArray[np.str_]
    effect: Floats

    def __getitem__(self, selected: NDArray[np.bool_] | NDArray[np.intp]) -> "Gpus":
        return Gpus(self.ids[selected], self.features[selected], self.generation[selected], self.effect[selected])


@dataclass(frozen=True, slots=True)
class Model:
    """Mean of additive time and of the log-linear model in the features of these columns."""

    name: str
    features: tuple[int, ...]


WITHOUT_MEMORY = (BANDWIDTH, TENSOR_RATE, SM_COUNT, TDP)
MODELS = (Model("mean_of_both", WITHOUT_MEMORY), Model("mean_of_both_memory", (*WITHOUT_MEMORY, MEMORY)))


def predictable(gpus: Gpus) -> NDArray[np.bool_]:
    """Return a mask of the GPUs whose bandwidth, tensor rate and SM count are known."""
    return np.asarray(np.isfinite(gpus.features[:, :REQUIRED]).all(axis=1))


def predict(model: Model, measured: Gpus, targets: Gpus) -> Floats:
    """Predict the log performance of the targets; NaN without the required specifications."""
    every_gpu = np.ones((1, len(measured.ids)), dtype=bool)
    row: Floats = folds(measured, targets, every_gpu)[MODELS.index(model), 0]
    return row


def folds(measured: Gpus, targets: Gpus, used: NDArray[np.bool_]) -> Floats:
    """Predict log performance by every model and fold, shape (MODELS, folds, targets).

    `used` (folds, measured GPUs) marks the GPUs that a fold is fitted to. Nothing is imputed: a feature that a target
    lacks is left out of its models, and so are measured GPUs that lack one of its features.
    """
    measured, targets = limit_tensor_rate(measured), limit_tensor_rate(targets)
    result = np.full((len(MODELS), len(used), len(targets.ids)), np.nan)
    has_feature = ~np.isnan(targets.features)
    for pattern in sorted({tuple(row) for row in has_feature.tolist()}):
        if all(pattern[:REQUIRED]):
            same = np.flatnonzero(np.all(has_feature == pattern, axis=1))
            available = [number for number, is_known in enumerate(pattern) if is_known]
            result[:, :, same] = _predict_same_features(measured, targets[same], used, available)
    return result


def limit_tensor_rate(gpus: Gpus) -> Gpus:
    """Return the GPUs with the harmonic sum of the tensor rate and of the rate that memory bandwidth feeds."""
    features = gpus.features.copy()
    fed = features[:, BANDWIDTH] + np.log(FLOP_PER_BYTE / 1000)  # GB/s to TFLOPS
    with np.errstate(invalid="ignore"):  # unknown rates stay unknown
        features[:, TENSOR_RATE] = -np.logaddexp(-features[:, TENSOR_RATE], -fed)
    return Gpus(gpus.ids, features, gpus.generation, gpus.effect)


def _predict_same_features(measured: Gpus, targets: Gpus, used: NDArray[np.bool_], available: list[int]) -> Floats:
    """Predict targets with the same available features by every model."""
    complete = used & np.isfinite(measured.features[:, available]).all(axis=1)
    additive, regression = AdditiveTime(measured, used), Regression(measured, complete, available)
    rows = []
    for model in MODELS:
        features = tuple(number for number in model.features if number in available)
        predicted, fitted = ((additive.predict(gpus) + regression.predict(gpus, features)) / 2 for gpus in (targets, measured))
        rows.append(predicted + _generation_offset(measured, targets, complete, measured.effect - fitted))
    return np.array(rows)


def _generation_offset(measured: Gpus, targets: Gpus, used: NDArray[np.bool_], residual: Floats) -> Floats:
    """Return the shrunk mean residual (folds, targets) of each target's generation; 0 for a new one."""
    member = (measured.generation[:, None] == targets.generation).astype(np.float64)
    offset: Floats = (used * residual) @ member / (used @ member + GENERATION_PENALTY)
    return offset


class AdditiveTime:
    """1 / speed = a/BW + b/TC + c/SM with a, b, c >= 0 by least squares of relative errors, for many folds at once."""

    def __init__(self, measured: Gpus, used: NDArray[np.bool_]) -> None:
        """Fit all folds. `used` (folds, measured GPUs) marks the GPUs of each fold."""
        self.center = measured.features[:, :REQUIRED].mean(axis=0)
        design = np.exp(self.center - measured.features[:, :REQUIRED] + measured.effect[:, None])
        self.coefficient = np.array([nnls(design[fold], np.ones(np.count_nonzero(fold)))[0] for fold in used])

    def predict(self, targets: Gpus) -> Floats:
        """Predict log performance (folds, targets)."""
        speed: Floats = 1 / (self.coefficient @ np.exp(self.center - targets.features[:, :REQUIRED]).T)
        return np.log(speed)


class Regression:
    """Ridge regression on log features with a random intercept for each generation, for many folds at once.

    Henderson's mixed-model equations (1975): slopes, level and offsets solve one penalized system. Level and offsets are
    eliminated (Schur complement), which leaves the system of the slopes. The slopes are >= 0, so that more of a resource
    never lowers the prediction.
    """

    def __init__(self, measured: Gpus, used: NDArray[np.bool_], available: list[int]) -> None:
        """Fit all folds. `used` (folds, measured GPUs) marks the GPUs of each fold, all with the `available` features."""
        self.available, self.generations = available, np.unique(measured.generation)
        self.center = np.nanmean(measured.features[:, available], axis=0)
        design = self._design(measured)
        weight = used.astype(np.float64)
        size = design.shape[1]
        normal = (weight @ (design[:, :, None] * design[:, None, :]).reshape(-1, size * size)).reshape(-1, size, size)
        target = (weight * measured.effect) @ design
        offsets = np.arange(len(available) + 1, size)
        normal[:, offsets, offsets] += GENERATION_PENALTY
        rest, slopes = slice(len(available), None), slice(len(available))
        right = np.concatenate([normal[:, rest, slopes], target[:, rest, None]], axis=2)
        self.eliminated = np.linalg.solve(normal[:, rest, rest], right)
        correction = normal[:, slopes, rest] @ self.eliminated
        self.normal = normal[:, slopes, slopes] - correction[..., :-1]
        self.target = target[:, slopes] - correction[..., -1]

    def _design(self, gpus: Gpus) -> Floats:
        """Return centered features (0 where unknown: such a GPU is in no fold), level, and generation indicators."""
        features = np.nan_to_num(gpus.features[:, self.available] - self.center)
        member = gpus.generation[:, None] == self.generations
        return np.column_stack([features, np.ones(len(features)), member])

    def predict(self, targets: Gpus, features: tuple[int, ...]) -> Floats:
        """Predict log performance (folds, targets) from some of the available features."""
        at = [self.available.index(number) for number in features]
        slope = np.zeros((len(self.target), len(self.available)))
        slope[:, at] = _solve_non_negative(self.normal[:, at][:, :, at] + PENALTY * np.eye(len(at)), self.target[:, at])
        others = self.eliminated[..., -1] - (self.eliminated[..., :-1] @ slope[..., None])[..., 0]
        prediction: Floats = np.concatenate([slope, others], axis=1) @ self._design(targets).T
        return prediction


def _solve_non_negative(normal: Floats, target: Floats) -> Floats:
    """Minimize x' A x / 2 - b' x over x >= 0 for each A (positive definite) and b of a stack."""
    solution: Floats = np.linalg.solve(normal, target[..., None])[..., 0].astype(np.float64, copy=False)
    for fold in np.flatnonzero((solution < 0).any(axis=1)):
        root = np.linalg.cholesky(normal[fold])
        solution[fold], _ = nnls(root.T, np.linalg.solve(root, target[fold]))
    return solution


def leave_out_errors(gpus: Gpus, groups: Labels) -> Floats:
    """Return prediction minus measurement (log) of each GPU from a fit without its group, by every model: (MODELS, GPUs)."""
    names, fold = np.unique(groups, return_inverse=True)
    predicted = folds(gpus, gpus, groups != names[:, None])
    error: Floats = predicted[:, fold, np.arange(len(groups))] - gpus.effect
    return error


def percent(error: Floats) -> Floats:
    """Convert errors of a log ratio to absolute errors of the ratio in percent."""
    return 100 * np.abs(np.expm1(error))


def choose_model(gpus: Gpus, groups: Labels) -> tuple[Model, Floats]:
    """Return the model with the smallest mean absolute error when groups are left out, and its errors.

    Errors are rounded, so that equal models are a tie, and the first model of a tie is returned: where memory has slope
    0, the models with and without it are the same.
    """
    errors = leave_out_errors(gpus, groups)
    best = int(np.argmin(percent(errors).mean(axis=1).round(9)))
    return MODELS[best], errors[best]


def half_width(errors: Floats, groups: Labels) -> float:
    """Return the half width of the split-conformal interval (log): the ceil((n+1) LEVEL)-th smallest absolute error.

    Lei et al. 2018, section 2.2, with leave-out errors as the calibration set (Barber et al. 2021, the jackknife).
    Where fewer groups were left out than that quantile needs (nine for 90%), the largest error of all.
    """
    size, n_groups = np.sort(np.abs(errors)), len(np.unique(groups))
    if np.ceil((n_groups + 1) * LEVEL) > n_groups:
        return float(size[-1])
    return float(size[min(len(size), int(np.ceil((len(size) + 1) * LEVEL))) - 1])
