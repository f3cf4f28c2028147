"""Training protocol of the guides, made exact: the first epoch apart, counted runs after it, the largest batch that fits.

An epoch is a number of items, the same at every batch: the stated batch times the profile's steps.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from benchmarks.suite.context import Context
from benchmarks.suite.machine.memory_limits import is_out_of_memory, release_memory
from benchmarks.suite.machine.nvml import Board
from benchmarks.suite.networks.training import Trainer
from benchmarks.suite.result import MeasuredFigure
from benchmarks.suite.timing import build_figure, check_time, times_apart

LEAST_STEPS = 2
PROBE_STEPS = 2  # the second one allocates the optimizer's state


@dataclass(frozen=True, slots=True)
class Epochs:
    """Results of the counted epochs at one batch; `finite` if the loss stayed a finite number."""

    batch: int
    seconds: list[float]
    items: int
    finite: bool
    peak_mib: float | None
    joules: float | None  # of all counted epochs

    @property
    def rates(self) -> list[float]:
        return [self.items / seconds for seconds in self.seconds]


def steps_of(context: Context, stated: int, batch: int) -> int:
    """Steps of an epoch at a batch: as many items as at the stated one."""
    return max(LEAST_STEPS, math.ceil(context.profile.epoch_steps * stated / batch))


def epoch(trainer: Trainer, batch: int, steps: int, deadline: float) -> tuple[float, torch.Tensor]:
    """Seconds of all steps of one pass, and the last loss. Each step has new random inputs; filling them is not timed.

    The inputs are filled on the device, in place. Raises TimeoutError if the deadline passes before the last step begins.
    """
    inputs = trainer.random_batch(batch)
    losses: deque[torch.Tensor] = deque(maxlen=1)
    seconds = times_apart(
        trainer.device, lambda: trainer.refill(inputs), lambda: losses.append(trainer.step(inputs)), steps, deadline
    )
    return sum(seconds), losses.pop()


def measure_load_overhead(context: Context, trainer: Trainer, batch: int) -> Iterator[MeasuredFigure]:
    """Yield first and second epoch, and their difference: the one-time cost of loading kernels, tuning and allocation."""
    steps = steps_of(context, batch, batch)
    common = about_training(context, trainer, batch)
    first, _ = epoch(trainer, batch, steps, context.deadline)
    yield build_figure("epoch_time", [first], test=f"{trainer.model.name} first epoch", **common)
    second, _ = epoch(trainer, batch, steps, context.deadline)
    yield build_figure("epoch_time", [second], test=f"{trainer.model.name} second epoch", **common)
    if first > second:  # noise may make the second longer if there is nothing to load
        yield build_figure("load_overhead", [first - second], test=trainer.model.name, **common)


def about_training(context: Context, trainer: Trainer, batch: int) -> dict[str, object]:
    """Fields shared by all figures of a training."""
    dtype = trainer.precision
    return {
        "device": context.ordinal, "n_gpus": 1, "dtype": dtype, "batch_size": batch, "settings": trainer.settings(),
    }  # fmt: skip


def count_epochs(context: Context, trainer: Trainer, stated: int, batch: int) -> Epochs:
    """Run one epoch to warm up, then the profile's number of counted ones, with memory and energy of these.

    Raises torch.OutOfMemoryError if the batch does not fit, TimeoutError if the time is up.
    """
    steps, device = steps_of(context, stated, batch), context.device
    epoch(trainer, batch, LEAST_STEPS, context.deadline)
    board = Board(device)
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    before = board.energy_j()
    seconds, losses = zip(*(epoch(trainer, batch, steps, context.deadline) for _ in range(context.profile.runs)), strict=True)
    after = board.energy_j()
    finite = bool(torch.isfinite(torch.stack(losses)).all())
    joules = after - before if before is not None and after is not None else None
    return Epochs(batch, list(seconds), steps * batch, finite, peak_mib(device), joules)


def peak_mib(device: torch.device) -> float | None:
    """Most memory that tensors used, MiB, according to the allocator; the process may have reserved more."""
    return torch.cuda.max_memory_allocated(device) / 2**20 if device.type == "cuda" else None


def epoch_figures(context: Context, trainer: Trainer, epochs: Epochs, *, right: bool) -> Iterator[MeasuredFigure]:
    """Yield items per second, peak memory, and energy and mean power if the board reports energy.

    `right` is the result of `is_correct_step`; the rate is correct if the loss stayed finite too.
    """
    common = about_training(context, trainer, epochs.batch) | {"test": trainer.model.name}
    item = trainer.model.item
    yield build_figure("training_throughput", epochs.rates, item=item, correct=right and epochs.finite, **common)
    if epochs.peak_mib is not None:
        yield build_figure("peak_memory", [epochs.peak_mib], **common)
    if epochs.joules:
        runs = len(epochs.seconds)
        means = common | {"statistic": "mean", "n_samples": runs}
        yield build_figure("energy", [epochs.joules / runs], **means)
        yield build_figure("power", [epochs.joules / sum(epochs.seconds)], **means)


def largest_batch(fits: Callable[[int], bool], start: int, ceiling: int, resolution: int) -> tuple[int, bool]:
    """The largest batch that fits: double it, then halve the gap until it is below the batch / `resolution`.

    0 if not even one item fits. The second value is True if memory ended the search, False if the ceiling did.
    """
    best, too_large = 0, min(start, ceiling)
    while fits(too_large):
        best = too_large
        if best == ceiling:
            return best, False
        too_large = min(2 * best, ceiling)
    while too_large - best > max(1, best // resolution):
        middle = (best + too_large) // 2
        if fits(middle):
            best = middle
        else:
            too_large = middle
    return best, True


def fits_in_memory(context: Context, trainer: Trainer) -> Callable[[int], bool]:
    """Return a function that tries two steps at a batch; it raises TimeoutError if the search outlasts the time."""

    def fits(batch: int) -> bool:
        check_time(context.deadline)
        with cudnn_search(False):  # trying every algorithm at every batch would take minutes
            worked = _tried(trainer, batch, context.deadline)
        trainer.clear()
        release_memory(context.device)
        return worked

    return fits


def _tried(trainer: Trainer, batch: int, deadline: float) -> bool:
    try:
        epoch(trainer, batch, PROBE_STEPS, deadline)
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        return False
    return True


@contextmanager
def cudnn_search(on: bool) -> Iterator[None]:
    """Let cuDNN try its algorithms at each new shape and use the fastest, or turn that off."""
    before, torch.backends.cudnn.benchmark = torch.backends.cudnn.benchmark, on
    try:
        yield
    finally:
        torch.backends.cudnn.benchmark = before


def doublings(start: int, end: int) -> list[int]:
    """Batches start, 2 start, 4 start ... below end, then end."""
    batches = []
    while start < end:
        batches.append(start)
        start *= 2
    return [*batches, end]
