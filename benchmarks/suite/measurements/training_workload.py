"""Training of one model as a workload: at its stated batch, at the largest that fits, and on the curve between."""

from collections.abc import Iterator

import torch

from benchmarks.suite.context import Context
from benchmarks.suite.machine.memory_limits import is_out_of_memory, release_memory
from benchmarks.suite.machine.precision import UnavailableError, fp32_arithmetic
from benchmarks.suite.measurements.protocol import (
    about_training,
    count_epochs,
    cudnn_search,
    doublings,
    epoch_figures,
    fits_in_memory,
    largest_batch,
    measure_load_overhead,
)
from benchmarks.suite.networks.correctness import is_correct_step
from benchmarks.suite.networks.models import MODELS, Model
from benchmarks.suite.networks.training import Trainer
from benchmarks.suite.result import MeasuredFigure
from benchmarks.suite.timing import build_figure


def measure(context: Context, model: str) -> Iterator[MeasuredFigure]:
    """Train the model in each of the context's precisions that the device supports.

    Raises UnavailableError if it supports none, and OutOfMemoryError at the end if a batch did not fit.
    """
    precisions = context.usable(context.precisions)
    if not precisions:
        raise UnavailableError(f"the device has none of {', '.join(context.precisions)}")
    all_too_large: list[str] = []
    for precision in precisions:
        too_large: list[str] = []
        with cudnn_search(True), fp32_arithmetic(precision):
            yield from _in_precision(context, MODELS[model], precision, too_large)
        release_memory(context.device)
        all_too_large += too_large
    if all_too_large:
        raise torch.OutOfMemoryError("; ".join(all_too_large))


def _in_precision(context: Context, model: Model, precision: str, too_large: list[str]) -> Iterator[MeasuredFigure]:
    """Yield figures of one precision; a batch that does not fit is added to `too_large`, and the search continues below it."""
    trainer = Trainer(model, precision, context.device, tiny=context.profile.tiny)
    stated = context.batch or model.batch_of(tiny=context.profile.tiny)
    yield from _unless_too_large(trainer, stated, too_large, measure_load_overhead(context, trainer, stated))
    if not too_large:
        yield from _unless_too_large(trainer, stated, too_large, _counted(context, trainer, stated, stated))
    if model.name in context.profile.searched or too_large:
        yield from _up_to_the_maximum(context, trainer, stated, too_large)


def _unless_too_large(
    trainer: Trainer, batch: int, too_large: list[str], figures: Iterator[MeasuredFigure]
) -> Iterator[MeasuredFigure]:
    """Yield the figures of one batch; if memory runs out, add the batch to `too_large`. Memory is released in any case."""
    try:
        yield from figures
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        too_large.append(f"batch {batch} in {trainer.precision} does not fit")
    trainer.clear()
    release_memory(trainer.device)


def _counted(context: Context, trainer: Trainer, stated: int, batch: int) -> Iterator[MeasuredFigure]:
    with cudnn_search(False):
        right = is_correct_step(trainer.model, trainer.precision, context.device)
    yield from epoch_figures(context, trainer, count_epochs(context, trainer, stated, batch), right=right)


def _up_to_the_maximum(context: Context, trainer: Trainer, stated: int, too_large: list[str]) -> Iterator[MeasuredFigure]:
    profile = context.profile
    counted = 0 if too_large else stated  # the largest batch that is known to train
    found, by_memory = largest_batch(fits_in_memory(context, trainer), stated, profile.largest_batch, profile.batch_resolution)
    most, at_most = _largest_that_trains(context, trainer, stated, (counted, found))
    if by_memory:
        common = about_training(context, trainer, most) | {"test": trainer.model.name, "item": trainer.model.item}
        common |= {"batch_size": most or None, "settings": trainer.settings() | {"found_within": f"1/{profile.batch_resolution}"}}
        yield build_figure("max_batch", [most], **common)
    yield from at_most
    for batch in doublings(stated, most)[1:-1] if profile.curve else ():
        yield from _unless_too_large(trainer, batch, too_large, _counted(context, trainer, stated, batch))


def _largest_that_trains(
    context: Context, trainer: Trainer, stated: int, limits: tuple[int, int]
) -> tuple[int, list[MeasuredFigure]]:
    """The largest batch whose counted epochs end, and their figures; none for the lower limit, whose epochs ended before.

    The two steps of the search, the upper limit, may fit and the epochs not: memory fragments, and the algorithms that cuDNN
    finds fastest may take more. Then the batch is lowered.
    """
    least, most = limits[0], max(limits)
    lower = max(1, most // context.profile.batch_resolution)
    while most > least:
        too_large: list[str] = []
        figures = list(_unless_too_large(trainer, most, too_large, _counted(context, trainer, stated, most)))
        if not too_large:
            return most, figures
        most = max(most - lower, least)
    return most, []
