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
    """Log performance by every model, shape (MODELS, cards asked for).

    A feature that a card lacks is left out of its models, and so are known cards that lack one that it has: nothing
    is filled in.
    """
    result = np.full((len(MODELS), len(asked.ids)), np.nan)
    has = ~np.isnan(asked.features)
    for pattern in sorted({tuple(row) for row in has.tolist()}):
        if all(pattern[:NEEDED]):
            same = np.flatnonzero(np.all(has == pattern, axis=1))
            result[:, same] = _alike(known, asked[same], [number for number, there in enumerate(pattern) if there])
    return result


def _alike(known: Cards, asked: Cards, offered: list[int]) -> Floats:
    """Predictions of every model for cards that have the same features."""
    additive = _additive(known, asked)
    regression = Regression(known[np.flatnonzero(np.isfinite(known.features[:, offered]).all(axis=1))])
    linear: dict[tuple[tuple[int, ...], float], Floats] = {}
    rows = []
    for model in MODELS:
        used = tuple(number for number in model.features if number in offered)
        if used and (used, model.penalty) not in linear:
            linear[used, model.penalty] = regression.predict(asked, list(used), model.penalty)
        parts = [additive] if model.additive else []
        parts += [linear[used, model.penalty]] if used else []
        rows.append(sum(parts) / len(parts))
    return np.array(rows)


def _additive(known: Cards, asked: Cards) -> Floats:
    """1 / speed = a/BW + b/TC + c/SM with a, b, c >= 0, least squares of relative errors."""
    centre = known.features[:, :NEEDED].mean(axis=0)
    share = np.exp(centre - known.features[:, :NEEDED])
    coefficient, _ = nnls(share * np.exp(known.effect)[:, None], np.ones(len(known.ids)))
    speed: Floats = 1 / (np.exp(centre - asked.features[:, :NEEDED]) @ coefficient)
    return np.log(speed)


class Regression:
    """Ridge regression on log features with a random intercept for each generation (Henderson 1975).

    Slopes are >= 0, so that more of a resource never lowers the prediction. Generalised least squares with
    V = I + Z Z' / penalty: V^(-1/2) subtracts from each card a multiple of the sum of its generation.
    """

    def __init__(self, known: Cards) -> None:
        self.known = known
        same = (known.generation[:, None] == known.generation[None, :]).astype(np.float64)
        size = same.sum(axis=1)
        self.whiten = np.eye(len(same)) - same * ((1 - 1 / np.sqrt(1 + size / GENERATION_PENALTY)) / size)[:, None]
        self.shrunk = 1 / (GENERATION_PENALTY + size)
        self.centre = known.features.mean(axis=0)
        one = self.whiten.sum(axis=1)
        self.level = one / (one @ one)
        clear = self.whiten - np.outer(one, self.level @ self.whiten)
        self.features = clear @ (known.features - self.centre)
        self.effect = clear @ known.effect

    def predict(self, asked: Cards, used: list[int], penalty: float) -> Floats:
        """Log performance of cards, from the numbered features."""
        ridge = np.sqrt(penalty) * np.eye(len(used))
        slope, _ = nnls(np.vstack([self.features[:, used], ridge]), np.concatenate([self.effect, np.zeros(len(used))]))
        left = self.known.effect - (self.known.features[:, used] - self.centre[used]) @ slope
        level = self.level @ self.whiten @ left
        kin = (asked.generation[:, None] == self.known.generation[None, :]).astype(np.float64)
        offset = kin @ ((left - level) * self.shrunk)
        moved: Floats = (asked.features[:, used] - self.centre[used]) @ slope + level + offset
        return moved


def left_out(cards: Cards, groups: Labels) -> Floats:
    """Prediction minus measurement (log) of each card from a fit without its group, by every model: (MODELS, cards)."""
    error = np.full((len(MODELS), len(cards.ids)), np.nan)
    for group in np.unique(groups):
        out = groups == group
        error[:, out] = predictions(cards[~out], cards[out]) - cards.effect[out]
    return error


def percent(error: Floats) -> Floats:
    """Absolute error of the ratio in percent, from errors of its logarithm."""
    return 100 * np.abs(np.expm1(error))


def choose(cards: Cards, groups: Labels) -> tuple[Model, Floats]:
    """The model of the least mean absolute error when groups are left out, and its errors. The first wins a tie."""
    errors = left_out(cards, groups)
    best = int(np.argmin(percent(errors).mean(axis=1)))
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
