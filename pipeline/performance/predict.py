"""Performance of cards that nobody measured, from their specifications, and how wide the interval must be.

Two models and their mean: log-linear with non-negative slopes and shrunk offsets by generation, and additive time
a/BW + b/TC + c/SM (each resource takes its share of the time of a step; a roofline without overlap). Which of them
is used is chosen by leaving out, never by looking at the card that is asked for.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from pipeline.performance.panel import Floats

Labels = NDArray[np.str_]
FEATURES = ("memory_bandwidth_gb_per_s", "tensor_tflops", "sm_count", "tdp_w", "memory_gb")
NEEDED = 3  # the first three; the others are used where known
GENERATION_PENALTY = 1.0  # offsets of generations are drawn to 0 as by one card's worth of evidence


@dataclass(frozen=True, slots=True)
class Cards:
    """Cards with log features (cards, FEATURES; NaN = unknown), generation, and log performance (NaN = not measured)."""

    ids: NDArray[np.str_]
    features: Floats
    generation: NDArray[np.str_]
    effect: Floats

    def __getitem__(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> "Cards":
        return Cards(self.ids[chosen], self.features[chosen], self.generation[chosen], self.effect[chosen])


@dataclass(frozen=True, slots=True)
class Model:
    """The mean of its parts: additive time, and log-linear in the numbered features with a ridge penalty."""

    name: str
    additive: bool = False
    features: tuple[int, ...] = ()
    penalty: float = 0.1


PENALTIES = (0.03, 0.1, 0.3)
MODELS = (
    Model("additive_time", additive=True),
    *(Model(f"log_linear_{penalty:g}", features=(0, 1, 2, 3), penalty=penalty) for penalty in PENALTIES),
    *(Model(f"log_linear_memory_{penalty:g}", features=(0, 1, 2, 3, 4), penalty=penalty) for penalty in PENALTIES),
    Model("mean_of_both", additive=True, features=(0, 1, 2, 3)),
    Model("mean_of_both_memory", additive=True, features=(0, 1, 2, 3, 4)),
)


def predictable(cards: Cards) -> NDArray[np.bool_]:
    """Cards whose bandwidth, tensor rate and SM count are known."""
    return np.asarray(np.isfinite(cards.features[:, :NEEDED]).all(axis=1))


def predict(model: Model, known: Cards, asked: Cards) -> Floats:
    """Log performance of the cards asked for; NaN without the needed specifications."""
    row: Floats = predictions(known, asked)[MODELS.index(model)]
    return row


def predictions(known: Cards, asked: Cards) -> Floats:
    """Log performance by every model from all known cards, shape (MODELS, cards asked for)."""
    everyone: Floats = folds(known, asked, np.ones((1, len(known.ids)), dtype=bool))[:, 0]
    return everyone


def folds(known: Cards, asked: Cards, used: NDArray[np.bool_]) -> Floats:
    """Log performance by every model and fold, shape (MODELS, folds, cards asked for).

    `used` (folds, known cards) says which known cards a fold fits. A feature that a card lacks is left out of its models,
    and so are known cards that lack one that it has: nothing is filled in.
    """
    result = np.full((len(MODELS), len(used), len(asked.ids)), np.nan)
    has = ~np.isnan(asked.features)
    for pattern in sorted({tuple(row) for row in has.tolist()}):
        if all(pattern[:NEEDED]):
            same = np.flatnonzero(np.all(has == pattern, axis=1))
            result[:, :, same] = _alike(known, asked[same], used, [number for number, there in enumerate(pattern) if there])
    return result


def _alike(known: Cards, asked: Cards, used: NDArray[np.bool_], offered: list[int]) -> Floats:
    """Predictions of every model for cards that have the same features."""
    additive = _additive(known, asked, used)
    regression = Regression(known, used & np.isfinite(known.features[:, offered]).all(axis=1), offered)
    linear: dict[tuple[tuple[int, ...], float], Floats] = {}
    rows = []
    for model in MODELS:
        chosen = tuple(number for number in model.features if number in offered)
        if chosen and (chosen, model.penalty) not in linear:
            linear[chosen, model.penalty] = regression.predict(asked, chosen, model.penalty)
        parts = [additive] if model.additive else []
        parts += [linear[chosen, model.penalty]] if chosen else []
        rows.append(sum(parts) / len(parts))
    return np.array(rows)


def _additive(known: Cards, asked: Cards, used: NDArray[np.bool_]) -> Floats:
    """1 / speed = a/BW + b/TC + c/SM with a, b, c >= 0, least squares of relative errors: (folds, cards asked for)."""
    centre = known.features[:, :NEEDED].mean(axis=0)
    design = np.exp(centre - known.features[:, :NEEDED] + known.effect[:, None])
    coefficient = np.array([nnls(design[fold], np.ones(np.count_nonzero(fold)))[0] for fold in used])
    speed: Floats = 1 / (coefficient @ np.exp(centre - asked.features[:, :NEEDED]).T)
    return np.log(speed)


class Regression:
    """Ridge regression on log features with a random intercept for each generation, of many folds at once.

    Henderson's mixed-model equations (1975): slopes, level and offsets solve one penalised system. Level and offsets are
    eliminated (Schur complement), which leaves the system of the slopes. These are >= 0, so that more of a resource
    never lowers the prediction.
    """

    def __init__(self, known: Cards, used: NDArray[np.bool_], offered: list[int]) -> None:
        """`used` (folds, known cards): the cards that each fold fits, all with the `offered` features."""
        self.offered, self.generations = offered, np.unique(known.generation)
        self.centre = np.nanmean(known.features[:, offered], axis=0)
        design = self._design(known)
        weight = used.astype(np.float64)
        size = design.shape[1]
        normal = (weight @ (design[:, :, None] * design[:, None, :]).reshape(-1, size * size)).reshape(-1, size, size)
        target = (weight * known.effect) @ design
        offsets = np.arange(len(offered) + 1, size)
        normal[:, offsets, offsets] += GENERATION_PENALTY
        rest, slopes = slice(len(offered), None), slice(len(offered))
        right = np.concatenate([normal[:, rest, slopes], target[:, rest, None]], axis=2)
        self.eliminated = np.linalg.solve(normal[:, rest, rest], right)
        cleared = normal[:, slopes, rest] @ self.eliminated
        self.normal, self.target = normal[:, slopes, slopes] - cleared[..., :-1], target[:, slopes] - cleared[..., -1]

    def _design(self, cards: Cards) -> Floats:
        """Offered features about their centre (0 where unknown: such a card is in no fold), level, member of a generation."""
        features = np.nan_to_num(cards.features[:, self.offered] - self.centre)
        member = cards.generation[:, None] == self.generations
        return np.column_stack([features, np.ones(len(features)), member])

    def predict(self, asked: Cards, chosen: tuple[int, ...], penalty: float) -> Floats:
        """Log performance (folds, cards asked for) from some of the offered features."""
        at = [self.offered.index(number) for number in chosen]
        slope = np.zeros((len(self.target), len(self.offered)))
        slope[:, at] = _not_negative(self.normal[:, at][:, :, at] + penalty * np.eye(len(at)), self.target[:, at])
        others = self.eliminated[..., -1] - (self.eliminated[..., :-1] @ slope[..., None])[..., 0]
        moved: Floats = np.concatenate([slope, others], axis=1) @ self._design(asked).T
        return moved


def _not_negative(normal: Floats, target: Floats) -> Floats:
    """Coefficients >= 0 that minimise x' A x / 2 - b' x for each A (positive definite) and b of a stack."""
    free: Floats = np.linalg.solve(normal, target[..., None])[..., 0].astype(np.float64, copy=False)
    for fold in np.flatnonzero((free < 0).any(axis=1)):
        root = np.linalg.cholesky(normal[fold])
        free[fold], _ = nnls(root.T, np.linalg.solve(root, target[fold]))
    return free


def left_out(cards: Cards, groups: Labels) -> Floats:
    """Prediction minus measurement (log) of each card from a fit without its group, by every model: (MODELS, cards)."""
    names, fold = np.unique(groups, return_inverse=True)
    made = folds(cards, cards, groups != names[:, None])
    error: Floats = made[:, fold, np.arange(len(groups))] - cards.effect
    return error


def percent(error: Floats) -> Floats:
    """Absolute error of the ratio in percent, from errors of its logarithm."""
    return 100 * np.abs(np.expm1(error))


def choose(cards: Cards, groups: Labels) -> tuple[Model, Floats]:
    """The model of the least mean absolute error when groups are left out, and its errors. The first wins a tie, which
    rounding does not break: where memory has slope 0, the models with and without it are one."""
    errors = left_out(cards, groups)
    best = int(np.argmin(percent(errors).mean(axis=1).round(9)))
    return MODELS[best], errors[best]


def half_width(errors: Floats, groups: Labels, level: float = 0.9) -> float:
    """Half width of the split-conformal interval (log): the ceil((n+1) level)-th smallest error in absolute size.

    Lei et al. 2018, section 2.2, with leave-out errors for the calibration set (Barber et al. 2021, the jackknife).
    Where fewer groups were left out than that quantile needs (nine for 90%), the largest error of all.
    """
    size, n_groups = np.sort(np.abs(errors)), len(np.unique(groups))
    if np.ceil((n_groups + 1) * level) > n_groups:
        return float(size[-1])
    return float(size[min(len(size), int(np.ceil((len(size) + 1) * level))) - 1])
