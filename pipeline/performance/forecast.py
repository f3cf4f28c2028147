"""Predicted indices of unmeasured GPUs, with model and interval chosen by leave-out errors, for known and new generations."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pipeline.performance.index import Index
from pipeline.performance.predict import (
    MODELS,
    TDP,
    Gpus,
    Labels,
    choose_model,
    half_width,
    leave_out_errors,
    predict,
    predictable,
)

MIN_MEASURED = 10


def forecast_all(gpus: Gpus, vendor: Labels, least_half_width: float) -> list[Index]:
    """Forecast every GPU without a measured effect (NaN) whose required specifications are known, of vendors with a measured GPU.

    `vendor` is in the order of `gpus`. The measurements cannot test a forecast for another vendor.
    For a GPU of a measured generation, model and interval are chosen by leaving out single GPUs; for one of a new
    generation, by leaving out generations. The interval of a GPU that lacks a feature is never narrower. Empty with fewer
    than MIN_MEASURED measured GPUs.

    No interval is narrower than `least_half_width` (log), that of the typical measured GPU. Leave-out errors are distances
    from measurements in the same workloads. They do not contain what other workloads, or another sample of the reference
    GPU, would change in every index.
    """
    usable, is_measured = predictable(gpus), np.isfinite(gpus.effect)
    of_measured_vendor = np.isin(vendor, np.unique(vendor[usable & is_measured]))
    measured, targets = gpus[usable & is_measured], gpus[usable & ~is_measured & of_measured_vendor]
    if len(measured.ids) < MIN_MEASURED:
        return []
    near, far = _LeaveOut(measured, measured.ids), _LeaveOut(measured, measured.generation)
    is_new = ~np.isin(targets.generation, np.unique(measured.generation))
    effect = np.where(is_new, predict(far.model, measured, targets), predict(near.model, measured, targets))
    return [
        _forecast(targets[np.array([at])], float(effect[at]), (near, far) if is_new[at] else (near,), least_half_width)
        for at in range(len(targets.ids))
    ]


class _LeaveOut:
    """Model chosen by leaving out groups, and the half widths of its interval by the available features of a GPU."""

    def __init__(self, measured: Gpus, groups: Labels) -> None:
        self.measured, self.groups = measured, groups
        self.model, self.errors = choose_model(measured, groups)
        self.widths: dict[tuple[bool, ...], float] = {(True,) * measured.features.shape[1]: half_width(self.errors, groups)}

    def width(self, has_feature: NDArray[np.bool_]) -> float:
        """Return the half width for a GPU with these features, never narrower than with all of them."""
        key = tuple(has_feature.tolist())
        if key not in self.widths:
            reduced = replace(self.measured, features=np.where(has_feature, self.measured.features, np.nan))
            errors = leave_out_errors(reduced, self.groups)[MODELS.index(self.model)]
            self.widths[key] = max(half_width(errors, self.groups), half_width(self.errors, self.groups))
        return self.widths[key]


def _forecast(gpu: Gpus, effect: float, left_out: tuple[_LeaveOut, ...], least_half_width: float) -> Index:
    has_feature = ~np.isnan(gpu.features[0])
    width = max(least_half_width, *(each.width(has_feature) for each in left_out))
    return Index(str(gpu.ids[0]), effect, width, _note(len(left_out) > 1, has_feature), left_out[-1].model.name)


def _note(is_new: bool, has_feature: NDArray[np.bool_]) -> str:
    generation = "no GPU of its compute capability was measured" if is_new else "GPUs of its compute capability were measured"
    return generation if has_feature[TDP] else f"{generation}; power limit unknown"
