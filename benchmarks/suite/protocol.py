"""How the guides measure training, made exact: the first epoch apart, counted runs after it, the largest batch that fits.

An epoch is a number of items, the same at every batch: the stated batch times the profile's steps.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from benchmarks.suite.context import Context
from benchmarks.suite.memory_limits import give_back, is_out_of_memory
from benchmarks.suite.nvml import Board
from benchmarks.suite.result import Figure
from benchmarks.suite.timing import check_time, figure, times_apart
from benchmarks.suite.training import Trainer

LEAST_STEPS = 2
PROBE_STEPS = 2  # the second one meets the optimiser's state


@dataclass(frozen=True, slots=True)
class Epochs:
    """What counted epochs at one batch gave; `finite` is whether the loss stayed a number."""

    batch: int
    seconds: list[float]
    items: int
    finite: bool
    peak_mib: float | None
    joules: float | None  # of all counted epochs together

    @property
    def rates(self) -> list[float]:
        return [self.items / seconds for seconds in self.seconds]


def steps_of(context: Context, stated: int, batch: int) -> int:
    """Steps of an epoch at a batch: as many items as at the stated one."""
    return max(LEAST_STEPS, math.ceil(context.profile.epoch_steps * stated / batch))


def epoch(trainer: Trainer, batch: int, steps: int, deadline: float) -> tuple[float, torch.Tensor]:
    """Seconds of all steps of one pass, and the last loss. Each step has fresh random inputs, whose making is not counted.

    They are made on the device, one batch after the other in the same place. Raises TimeoutError where the deadline is over
    before the last step begins.
    """
    inputs = trainer.random_batch(batch)
    losses: deque[torch.Tensor] = deque(maxlen=1)
    seconds = times_apart(
        trainer.device, lambda: trainer.refill(inputs), lambda: losses.append(trainer.step(inputs)), steps, deadline
    )
    return sum(seconds), losses.pop()


def load_overhead(context: Context, trainer: Trainer, batch: int) -> Iterator[Figure]:
    """First and second epoch, and their difference: what loading kernels, choosing algorithms and allocating cost, once."""
    steps = steps_of(context, batch, batch)
    common = about_training(context, trainer, batch)
    first, _ = epoch(trainer, batch, steps, context.deadline)
    yield figure("epoch_time", [first], test=f"{trainer.model.name} first epoch", **common)
    second, _ = epoch(trainer, batch, steps, context.deadline)
    yield figure("epoch_time", [second], test=f"{trainer.model.name} second epoch", **common)
    if first > second:  # noise may make the second the longer one where there is nothing to load
        yield figure("load_overhead", [first - second], test=trainer.model.name, **common)


def about_training(context: Context, trainer: Trainer, batch: int) -> dict[str, object]:
    """What every figure of a training has in common."""
    dtype = trainer.precision
    return {
        "device": context.ordinal, "n_gpus": 1, "dtype": dtype, "batch_size": batch, "settings": trainer.settings(),
    }  # fmt: skip


def count_epochs(context: Context, trainer: Trainer, stated: int, batch: int) -> Epochs:
    """One epoch to warm up, then the profile's number of counted ones, with memory and energy of these.

    Raises torch.OutOfMemoryError where the batch does not fit, TimeoutError where the time is up.
    """
    steps, device = steps_of(context, stated, batch), context.device
    epoch(trainer, batch, LEAST_STEPS, context.deadline)
    board = Board(device)
    reset_peak(device)
    before = board.energy_j()
    seconds, losses = zip(*(epoch(trainer, batch, steps, context.deadline) for _ in range(context.profile.runs)), strict=True)
    after = board.energy_j()
    finite = bool(torch.isfinite(torch.stack(losses)).all())
    joules = after - before if before is not None and after is not None else None
    return Epochs(batch, list(seconds), steps * batch, finite, peak_mib(device), joules)


def reset_peak(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)


def peak_mib(device: torch.device) -> float | None:
    """Most memory that tensors held, MiB, as the allocator counts it: not what the process had reserved."""
    return torch.cuda.max_memory_allocated(device) / 2**20 if device.type == "cuda" else None


def figures_of(context: Context, trainer: Trainer, epochs: Epochs, *, right: bool) -> Iterator[Figure]:
    """Items per second, peak memory, and energy and mean power where the board counts them.

    `right`: whether a step of the model agrees with float64; the rate is correct if the loss stayed a number besides.
    """
    common = about_training(context, trainer, epochs.batch) | {"test": trainer.model.name}
    item = trainer.model.item
    yield figure("training_throughput", epochs.rates, item=item, correct=right and epochs.finite, **common)
    if epochs.peak_mib is not None:
        yield figure("peak_memory", [epochs.peak_mib], **common)
    if epochs.joules:
        runs = len(epochs.seconds)
        means = common | {"statistic": "mean", "n_samples": runs}
        yield figure("energy", [epochs.joules / runs], **means)
        yield figure("power", [epochs.joules / sum(epochs.seconds)], **means)


def largest_batch(fits: Callable[[int], bool], start: int, ceiling: int, resolution: int) -> tuple[int, bool]:
    """The largest batch that fits, by doubling and then halving the gap until it is below the batch / `resolution`.

    0 where not even one item fits. The second value tells whether memory ended the search; if not, the ceiling did.
    """
    fitting, too_large = 0, min(start, ceiling)
    while fits(too_large):
        fitting = too_large
        if fitting == ceiling:
            return fitting, False
        too_large = min(2 * fitting, ceiling)
    while too_large - fitting > max(1, fitting // resolution):
        middle = (fitting + too_large) // 2
        if fits(middle):
            fitting = middle
        else:
            too_large = middle
    return fitting, True


def fits_in_memory(context: Context, trainer: Trainer) -> Callable[[int], bool]:
    """Whether two steps at a batch end without running out of memory; a search that outlasts the time is given up."""

    def fits(batch: int) -> bool:
        check_time(context.deadline)
        with cudnn_search(False):  # trying every algorithm at every batch would take minutes
            worked = _tried(trainer, batch, context.deadline)
        trainer.clear()
        give_back(context.device)
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
    """Whether cuDNN tries its algorithms at each new shape and keeps the fastest."""
    before, torch.backends.cudnn.benchmark = torch.backends.cudnn.benchmark, on
    try:
        yield
    finally:
        torch.backends.cudnn.benchmark = before


def doublings(start: int, end: int) -> list[int]:
    """start, 2 start, 4 start ... below end, then end."""
    found = []
    while start < end:
        found.append(start)
        start *= 2
    return [*found, end]
