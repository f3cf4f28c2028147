"""Timing: device events on CUDA, the wall clock elsewhere; after a warm-up, with a cold cache, several times."""

import math
import statistics
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from benchmarks.suite.result import MeasuredFigure
from pipeline.schema.benchmarks import METRICS

AHEAD = 2  # pieces of work queued after the running one: the device never waits, and stopping takes little time
LONG_ENOUGH_S = 200e-6  # an event's resolution is about 0.5 us: shorter calls are timed in groups


class Clock(NamedTuple):
    """Repetitions and warm-up of a timed call."""

    repetitions: int
    warm_up_s: float
    deadline: float = math.inf  # of time.monotonic()


def check_time(deadline: float) -> None:
    """Raise TimeoutError once the deadline, of time.monotonic(), is over."""
    if time.monotonic() > deadline:
        raise TimeoutError


def l2_cache_bytes(device: torch.device) -> int:
    """L2 cache of a CUDA device, bytes; 0 on a processor."""
    return torch.cuda.get_device_properties(device).L2_cache_size if device.type == "cuda" else 0


def synchronise(device: torch.device) -> None:
    """Wait until the device has finished all queued work."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def time_calls(device: torch.device, call: Callable[[], object], clock: Clock) -> list[float]:
    """Seconds of one call, per repetition.

    Before each repetition the cache is flushed, outside of the timed part; the flush also keeps the device busy while the call
    is being queued, so that the launch is not counted. Calls shorter than 0.2 ms are repeated inside one measurement.
    Raises TimeoutError if the clock's deadline comes first; a call that has begun is not interrupted.
    """
    inner = max(1, math.ceil(LONG_ENOUGH_S / _warm_up(device, call, clock)))

    def together() -> None:
        for _ in range(inner):
            call()

    cache = torch.empty(2 * l2_cache_bytes(device), dtype=torch.int8, device=device)  # of no size on a processor
    return [s / inner for s in times_apart(device, cache.zero_, together, clock.repetitions, clock.deadline)]


def _warm_up(device: torch.device, call: Callable[[], object], clock: Clock) -> float:
    """Call at least twice and until the warm-up time is over; return the seconds of the fastest call."""
    fastest, began = math.inf, time.perf_counter()
    while fastest is math.inf or time.perf_counter() - began < clock.warm_up_s:
        fastest = min(fastest, *wall_times(device, call, 2, clock.deadline))
    return max(fastest, 1e-9)


class Pace:
    """Limits how far ahead of the device the host queues work, so that a check of the deadline applies to the device."""

    def __init__(self, device: torch.device, deadline: float) -> None:
        self._device, self._deadline = device, deadline
        self._marks: deque[torch.cuda.Event] = deque()

    def keep(self) -> None:
        """Wait for the device before queuing the next piece of work. Raises TimeoutError once the deadline is over."""
        if self._device.type == "cuda":
            self._marks.append(torch.cuda.Event())
            self._marks[-1].record()
            if len(self._marks) > AHEAD:
                self._marks.popleft().synchronize()
        check_time(self._deadline)


def times_apart(
    device: torch.device, prepare: Callable[[], object], call: Callable[[], object], count: int, deadline: float
) -> list[float]:
    """Seconds of each of several calls, by device events on CUDA; `prepare` runs before each and is not timed.

    Raises TimeoutError if the deadline passes before the last begins.
    """
    pace, spans = Pace(device, deadline), []
    for _ in range(count):
        pace.keep()
        prepare()
        start = _moment(device)
        call()
        spans.append((start, _moment(device)))
    synchronise(device)
    seconds = (end - start if isinstance(start, float) else start.elapsed_time(end) / 1e3 for start, end in spans)
    return list(seconds)  # events report milliseconds


def _moment(device: torch.device) -> Any:
    """The present: an event in the device's queue, or seconds of the wall clock."""
    if device.type != "cuda":
        return time.perf_counter()
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


def wall_times(device: torch.device, call: Callable[[], object], count: int, deadline: float) -> list[float]:
    """Seconds of each of several calls. Raises TimeoutError if the deadline passes before the last begins."""
    seconds = []
    for _ in range(count):
        check_time(deadline)
        seconds.append(wall_seconds(device, call))
    return seconds


def wall_seconds(device: torch.device, call: Callable[[], object]) -> float:
    """Seconds by the wall clock from an idle device to an idle device."""
    synchronise(device)
    began = time.perf_counter()
    call()
    synchronise(device)
    return time.perf_counter() - began


def build_figure(metric: str, values: Sequence[float], **common: Any) -> MeasuredFigure:
    """The median of repetitions with their standard deviation, in the metric's unit."""
    spread = statistics.stdev(values) if len(values) > 1 else None
    counted = {"statistic": "median" if len(values) > 1 else "single", "n_samples": len(values)}
    return MeasuredFigure(
        metric=metric, value=statistics.median(values), unit=METRICS[metric], stddev=spread, **(counted | common)
    )
