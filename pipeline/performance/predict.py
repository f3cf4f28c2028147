"""Predict the performance of unmeasured GPUs from their specifications, with the width of the interval.

There are two models and their mean. The log-linear model has non-negative slopes and shrunk offsets by generation. The
additive model of time, a/BW + b/TC + c/SM, is a roofline without overlap: each resource adds its share to a step. The
model is chosen by its errors on left-out GPUs, independently of the predicted one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from pipeline.performance.panel import Floats

Labels = NDArray[np.str_]
FEATURES = ("memory_bandwidth_gb_per_s", "tensor_tflops", "sm_count", "tdp_w", "memory_gb")
REQUIRED = 3  # the first three; the others are used where known
GENERATION_PENALTY = 1.0  # shrinks the offset of a generation to 0 with the weight of one GPU


@dataclass(frozen=True, slots=True)
class Gpus:
    """GPUs with log features (GPUs, FEATURES; NaN = unknown), generation, and log performance (NaN = not measured)."""

    ids: NDArray[np.str_]
    features: Floats
    generation: NDArray[np.str_]
    effect: Floats

    def __getitem__(self, selected: NDArray[np.bool_] | NDArray[np.intp]) -> "Gpus":
        return Gpus(self.ids[selected], self.features[selected], self.generation[selected], self.effect[selected])


@dataclass(frozen=True, slots=True)
class Model:
    """Mean of its parts: additive time, and log-linear in the features of these indices with a ridge penalty."""

    name: str
    is_additive: bool = False
    features: tuple[int, ...] = ()
    penalty: float = 0.1


PENALTIES = (0.03, 0.1, 0.3)
MODELS = (
    Model("additive_time", is_additive=True),
    *(Model(f"log_linear_{penalty:g}", features=(0, 1, 2, 3), penalty=penalty) for penalty in PENALTIES),
    *(Model(f"log_linear_memory_{penalty:g}", features=(0, 1, 2, 3, 4), penalty=penalty) for penalty in PENALTIES),
    Model("mean_of_both", is_additive=True, features=(0, 1, 2, 3)),
    Model("mean_of_both_memory", is_additive=True, features=(0, 1, 2, 3, 4)),
)


def predictable(gpus: Gpus) -> NDArray[np.bool_]:
    """Return a mask of the GPUs whose bandwidth, tensor rate and SM count are known."""
    return np.asarray(np.isfinite(gpus.features[:, :REQUIRED]).all(axis=1))


def predict(model: Model, measured: Gpus, targets: Gpus) -> Floats:
    """Predict the log performance of the targets; NaN without the required specifications."""
    row: Floats = predictions(measured, targets)[MODELS.index(model)]
    return row


def predictions(measured: Gpus, targets: Gpus) -> Floats:
    """Predict log performance by every model from all measured GPUs, shape (MODELS, targets)."""
    from_all: Floats = folds(measured, targets, np.ones((1, len(measured.ids)), dtype=bool))[:, 0]
    return from_all


def folds(measured: Gpus, targets: Gpus, used: NDArray[np.bool_]) -> Floats:
    """Predict log performance by every model and fold, shape (MODELS, folds, targets).

    `used` (folds, measured GPUs) marks the GPUs that a fold is fitted to. Nothing is imputed: a feature that a target
    lacks is left out of its models, and so are measured GPUs that lack one of its features.
    """
    result = np.full((len(MODELS), len(used), len(targets.ids)), np.nan)
    has_feature = ~np.isnan(targets.features)
    for pattern in sorted({tuple(row) for row in has_feature.tolist()}):
        if all(pattern[:REQUIRED]):
            same = np.flatnonzero(np.all(has_feature == pattern, axis=1))
            available = [number for number, is_known in enumerate(pattern) if is_known]
            result[:, :, same] = _predict_same_features(measured, targets[same], used, available)
    return result


def _predict_same_features(measured: Gpus, targets: Gpus, used: NDArray[np.bool_], available: list[int]) -> Floats:
    """Predict targets with the same available features by every model."""
    additive = _predict_additive_time(measured, targets, used)
    regression = Regression(measured, used & np.isfinite(measured.features[:, available]).all(axis=1), available)
    linear: dict[tuple[tuple[int, ...], float], Floats] = {}
    rows = []
    for model in MODELS:
        features = tuple(number for number in model.features if number in available)
        if features and (features, model.penalty) not in linear:
            linear[features, model.penalty] = regression.predict(targets, features, model.penalty)
        parts = [additive] if model.is_additive else []
        parts += [linear[features, model.penalty]] if features else []
        rows.append(sum(parts) / len(parts))
    return np.array(rows)


def _predict_additive_time(measured: Gpus, targets: Gpus, used: NDArray[np.bool_]) -> Floats:
    """Fit 1 / speed = a/BW + b/TC + c/SM with a, b, c >= 0 by least squares of relative errors: (folds, targets)."""
    center = measured.features[:, :REQUIRED].mean(axis=0)
    design = np.exp(center - measured.features[:, :REQUIRED] + measured.effect[:, None])
    coefficient = np.array([nnls(design[fold], np.ones(np.count_nonzero(fold)))[0] for fold in used])
    speed: Floats = 1 / (coefficient @ np.exp(center - targets.features[:, :REQUIRED]).T)
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

    def predict(self, targets: Gpus, features: tuple[int, ...], penalty: float) -> Floats:
        """Predict log performance (folds, targets) from some of the available features."""
        at = [self.available.index(number) for number in features]
        slope = np.zeros((len(self.target), len(self.available)))
        slope[:, at] = _solve_non_negative(self.normal[:, at][:, :, at] + penalty * np.eye(len(at)), self.target[:, at])
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


def half_width(errors: Floats, groups: Labels, level: float = 0.9) -> float:
    """Return the half width of the split-conformal interval (log): the ceil((n+1) level)-th smallest absolute error.

    Lei et al. 2018, section 2.2, with leave-out errors as the calibration set (Barber et al. 2021, the jackknife).
    Where fewer groups were left out than that quantile needs (nine for 90%), the largest error of all.
    """
    size, n_groups = np.sort(np.abs(errors)), len(np.unique(groups))
    if np.ceil((n_groups + 1) * level) > n_groups:
        return float(size[-1])
    return float(size[min(len(size), int(np.ceil((len(size) + 1) * level))) - 1])
