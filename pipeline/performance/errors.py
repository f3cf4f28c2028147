"""How wrong predictions are, measured on cards that the fit has not seen, beside the baselines that it must beat."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pipeline.performance import panel
from pipeline.performance.panel import Floats, Table
from pipeline.performance.predict import Cards, Labels, choose, half_width, percent, predict

OURS = "gpuledger"
Mask = NDArray[np.bool_]
Baseline = Callable[[Cards, Cards, Mask], Floats]  # (known, asked, which known cards each asked one may be told from)


@dataclass(frozen=True, slots=True)
class Score:
    """Errors of one model on what was held out: prediction minus measurement (log), and whether the interval held (None =
    the model gives no interval)."""

    model: str
    error: Floats
    covered: NDArray[np.bool_] | None

    @property
    def n(self) -> int:
        return int(np.isfinite(self.error).sum())

    def summary(self) -> tuple[float | None, float | None, float | None]:
        """Median and mean absolute error in percent and coverage in percent, over cards with a prediction; None without."""
        done = np.isfinite(self.error)
        if not done.any():
            return None, None, None
        size = percent(self.error[done])
        coverage = None if self.covered is None else 100 * float(self.covered[done].mean())
        return float(np.median(size)), float(size.mean()), coverage


def bandwidth_ratio(known: Cards, asked: Cards, used: Mask) -> Floats:
    """Speed in proportion to memory bandwidth; the factor is the mean (log) over the known cards."""
    return _ratio(known, asked, used, 0)


def tensor_tflops_ratio(known: Cards, asked: Cards, used: Mask) -> Floats:
    """Speed in proportion to tensor TFLOPS; the factor is the mean (log) over the known cards."""
    return _ratio(known, asked, used, 1)


def _ratio(known: Cards, asked: Cards, used: Mask, feature: int) -> Floats:
    moved: Floats = asked.features[:, feature] + used @ (known.effect - known.features[:, feature]) / used.sum(axis=1)
    return moved


def dettmers_2020(known: Cards, asked: Cards, used: Mask) -> Floats:
    """The 2020 guide inside an architecture: known speed times the mean of the SM and bandwidth ratios (the macro
    `dettmers_2020`), as the geometric mean over the known cards of the generation; NaN without one."""
    gap = asked.features[:, None, :] - known.features[None, :, :]
    each = known.effect + np.log((np.exp(gap[:, :, 0]) + np.exp(gap[:, :, 2])) / 2)
    same = used & (asked.generation[:, None] == known.generation[None, :])
    total = same.sum(axis=1)
    mean: Floats = np.where(total > 0, np.where(same, each, 0).sum(axis=1) / np.maximum(total, 1), np.nan)
    return mean


BASELINES: dict[str, Baseline] = {
    "bandwidth_ratio": bandwidth_ratio,
    "tensor_tflops_ratio": tensor_tflops_ratio,
    "dettmers_2020": dettmers_2020,
}


def evaluate(table: Table, specs: Cards, label: Labels, reference: str) -> list[Score]:
    """Leave one group of cards out at a time: panel fit, choice of model and interval see nothing of it.

    `specs` and `label`, which group a card is of, are in the order of `table.cards`. The held-out cards' measured effects
    are those of the whole panel, moved by the mean shift of the other cards, so that both stand on one scale.
    """
    whole = panel.fit(table, reference).effect
    names = (OURS, *BASELINES)
    error = {name: np.full(len(label), np.nan) for name in names}
    covered = {name: np.zeros(len(label), dtype=bool) for name in names}
    held_out = label == np.unique(label)[:, None]
    for out, refit in zip(held_out, panel.fits_without(table, reference, held_out), strict=True):
        known, asked = _split(specs, whole, out, refit)
        inner = label[np.isin(specs.ids, known.ids)]
        for name in names:
            miss, width = _ours(known, asked, inner) if name == OURS else _theirs(BASELINES[name], known, asked)
            error[name][out], covered[name][out] = miss, np.abs(miss) <= width
    return [Score(name, error[name], covered[name]) for name in names]


def _split(specs: Cards, whole: Floats, out: Mask, refit: Floats) -> tuple[Cards, Cards]:
    """Cards with the effects of a fit without the held-out ones, and the held-out ones with theirs on the same scale."""
    shift = np.nanmean(whole - refit)
    known, asked = replace(specs, effect=refit), replace(specs, effect=whole - shift)
    return known[np.isfinite(refit)], asked[out]


def _ours(known: Cards, asked: Cards, groups: Labels) -> tuple[Floats, float]:
    """Errors of the model that leaving out groups of the known cards chooses, and the interval from those inner errors."""
    model, inner = choose(known, groups)
    return predict(model, known, asked) - asked.effect, half_width(inner, groups)


def _theirs(baseline: Baseline, known: Cards, asked: Cards) -> tuple[Floats, float]:
    """Errors of a baseline, and its interval from its own errors when each known card is left out."""
    inner = baseline(known, known, ~np.eye(len(known.ids), dtype=bool)) - known.effect
    everyone = np.ones((len(asked.ids), len(known.ids)), dtype=bool)
    return baseline(known, asked, everyone) - asked.effect, half_width(inner[np.isfinite(inner)], known.ids)
