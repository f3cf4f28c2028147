"""Prediction errors on held-out GPUs, for the model and for the baselines that it is compared with."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pipeline.performance import panel, predict
from pipeline.performance.panel import Floats, Table
from pipeline.performance.predict import Gpus, Labels, choose_model, half_width, percent

OWN_MODEL = "gpuledger"
Mask = NDArray[np.bool_]
Baseline = Callable[[Gpus, Gpus, Mask], Floats]  # (measured, targets, mask of the measured GPUs that each target may use)


@dataclass(frozen=True, slots=True)
class Score:
    """Errors of one model on held-out GPUs: prediction minus measurement (log), and a mask of the covered ones.

    `covered` is None for a model without intervals.
    """

    model: str
    error: Floats
    covered: NDArray[np.bool_] | None

    @property
    def n(self) -> int:
        return int(np.isfinite(self.error).sum())

    def summary(self) -> tuple[float | None, float | None, float | None]:
        """Return median and mean absolute error and coverage in percent, over GPUs with a prediction; None without one."""
        is_predicted = np.isfinite(self.error)
        if not is_predicted.any():
            return None, None, None
        size = percent(self.error[is_predicted])
        coverage = None if self.covered is None else 100 * float(self.covered[is_predicted].mean())
        return float(np.median(size)), float(size.mean()), coverage


def _predict_by_ratio(measured: Gpus, targets: Gpus, used: Mask, feature: int) -> Floats:
    """Predict speed in proportion to a feature; the factor is the mean (log) over the measured GPUs."""
    level = used @ (measured.effect - measured.features[:, feature]) / used.sum(axis=1)
    prediction: Floats = targets.features[:, feature] + level
    return prediction


def dettmers_2020(measured: Gpus, targets: Gpus, used: Mask) -> Floats:
    """Predict like the 2020 guide within an architecture: measured speed times the mean of the SM and bandwidth ratios.

    Formula of the macro `dettmers_2020`, as the geometric mean over the measured GPUs of the generation; NaN without one.
    """
    gap = targets.features[:, None, :] - measured.features[None, :, :]
    each = measured.effect + np.log((np.exp(gap[:, :, predict.BANDWIDTH]) + np.exp(gap[:, :, predict.SM_COUNT])) / 2)
    same = used & (targets.generation[:, None] == measured.generation[None, :])
    total = same.sum(axis=1)
    mean: Floats = np.where(total > 0, np.where(same, each, 0).sum(axis=1) / np.maximum(total, 1), np.nan)
    return mean


BASELINES: dict[str, Baseline] = {
    "bandwidth_ratio": partial(_predict_by_ratio, feature=predict.BANDWIDTH),
    "tensor_tflops_ratio": partial(_predict_by_ratio, feature=predict.TENSOR_RATE),
    "dettmers_2020": dettmers_2020,
}


def evaluate(table: Table, specs: Gpus, groups: Labels, reference: str) -> list[Score]:
    """Score all models with one group of GPUs left out at a time: from the panel fit, the choice of model and the interval.

    `specs` and `groups` are in the order of `table.gpus`. The measured effects of held-out GPUs come from the fit of all
    GPUs, less the mean difference of the other GPUs between the two fits, so that both have the same scale.
    """
    effect_of_all = panel.fit(table, reference).effect
    names = (OWN_MODEL, *BASELINES)
    error = {name: np.full(len(groups), np.nan) for name in names}
    covered = {name: np.zeros(len(groups), dtype=bool) for name in names}
    held_out = groups == np.unique(groups)[:, None]
    for out, refit in zip(held_out, panel.fits_without(table, reference, held_out), strict=True):
        measured, targets = _split(specs, effect_of_all, out, refit)
        inner_groups = groups[np.isin(specs.ids, measured.ids)]
        for name in names:
            if name == OWN_MODEL:
                errors, width = _own_errors(measured, targets, inner_groups)
            else:
                errors, width = _baseline_errors(BASELINES[name], measured, targets)
            error[name][out], covered[name][out] = errors, np.abs(errors) <= width
    return [Score(name, error[name], covered[name]) for name in names]


def _split(specs: Gpus, effect_of_all: Floats, out: Mask, refit: Floats) -> tuple[Gpus, Gpus]:
    """Return the GPUs of a fit without the held-out ones, and the held-out ones with effects on the same scale."""
    shift = np.nanmean(effect_of_all - refit)
    measured, targets = replace(specs, effect=refit), replace(specs, effect=effect_of_all - shift)
    return measured[np.isfinite(refit)], targets[out]


def _own_errors(measured: Gpus, targets: Gpus, groups: Labels) -> tuple[Floats, float]:
    """Return the errors of the model chosen on left-out groups of the measured GPUs, and the interval from those errors."""
    model, inner_errors = choose_model(measured, groups)
    return predict.predict(model, measured, targets) - targets.effect, half_width(inner_errors, groups)


def _baseline_errors(baseline: Baseline, measured: Gpus, targets: Gpus) -> tuple[Floats, float]:
    """Return the errors of a baseline, and its interval from its own errors with each measured GPU left out."""
    inner = baseline(measured, measured, ~np.eye(len(measured.ids), dtype=bool)) - measured.effect
    use_all = np.ones((len(targets.ids), len(measured.ids)), dtype=bool)
    return baseline(measured, targets, use_all) - targets.effect, half_width(inner[np.isfinite(inner)], measured.ids)
