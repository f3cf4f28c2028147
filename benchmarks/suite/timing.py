"""How time is taken: device events on CUDA, the wall clock elsewhere; after a warm-up, with a cold cache, several times."""

import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch

from benchmarks.suite.result import Figure
from pipeline.schema.benchmarks import METRICS

LONG_ENOUGH_S = 200e-6  # an event's resolution is about 0.5 us: shorter calls are timed several at once


class Clock(NamedTuple):
    """How often and after how much warm-up a call is timed."""

    repetitions: int
    warm_up_s: float
    deadline: float = math.inf  # of time.monotonic()


def check_time(deadline: float) -> None:
    """Raises TimeoutError once the deadline, of time.monotonic(), is over."""
    if time.monotonic() > deadline:
        raise TimeoutError


def l2_cache_bytes(device: torch.device) -> int:
    """Second-level cache of a CUDA device, bytes; 0 on a processor."""
    return torch.cuda.get_device_properties(device).L2_cache_size if device.type == "cuda" else 0


def synchronise(device: torch.device) -> None:
    """Wait until the device has done everything that it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


@contextmanager
def _flush(device: torch.device) -> Iterator[Callable[[], object]]:
    """A call that fills a CUDA device's second-level cache with something else."""
    buffer = torch.empty(2 * l2_cache_bytes(device), dtype=torch.int8, device=device)
    yield buffer.zero_


def time_calls(device: torch.device, call: Callable[[], object], clock: Clock) -> list[float]:
    """Seconds of one call, per repetition.

    Before each repetition the cache is flushed, outside of what is timed; the flush also keeps the device busy while the call
    is being queued, so that the launch is not counted. Calls shorter than 0.2 ms are repeated inside one measurement.
    Raises TimeoutError where the clock's deadline comes first; a call that has begun is not cut short.
    """
    inner = max(1, math.ceil(LONG_ENOUGH_S / _warm_up(device, call, clock)))
    if device.type != "cuda":
        return [seconds / inner for seconds in _by_wall(device, call, inner, clock)]
    with _flush(device) as flush:
        return [seconds / inner for seconds in _by_events(device, call, flush, (clock.repetitions, inner))]


def _warm_up(device: torch.device, call: Callable[[], object], clock: Clock) -> float:
    """Call at least twice and until the time is over; seconds of the fastest call."""
    fastest, began = math.inf, time.perf_counter()
    while fastest is math.inf or time.perf_counter() - began < clock.warm_up_s:
        fastest = min(fastest, *wall_times(device, call, 2, clock.deadline))
    return max(fastest, 1e-9)


def _by_events(
    device: torch.device, call: Callable[[], object], flush: Callable[[], object], counts: tuple[int, int]
) -> list[float]:
    repetitions, inner = counts
    pairs = []
    for _ in range(repetitions):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        flush()
        start.record()
        for _ in range(inner):
            call()
        end.record()
        pairs.append((start, end))
    synchronise(device)
    return [start.elapsed_time(end) / 1e3 for start, end in pairs]  # elapsed_time is in milliseconds


def _by_wall(device: torch.device, call: Callable[[], object], inner: int, clock: Clock) -> list[float]:
    def together() -> None:
        for _ in range(inner):
            call()

    return wall_times(device, together, clock.repetitions, clock.deadline)


def wall_times(device: torch.device, call: Callable[[], object], count: int, deadline: float) -> list[float]:
    """Seconds of each of several calls; TimeoutError where the deadline is over before the last begins."""
    found = []
    for _ in range(count):
        check_time(deadline)
        found.append(wall_seconds(device, call))
    return found


def wall_seconds(device: torch.device, call: Callable[[], object]) -> float:
    """Seconds by the wall clock from an idle device to an idle device."""
    synchronise(device)
    began = time.perf_counter()
    call()
    synchronise(device)
    return time.perf_counter() - began


def figure(metric: str, values: Sequence[float], **about: Any) -> Figure:
    """The median of repetitions with their standard deviation, in the metric's unit."""
    spread = statistics.stdev(values) if len(values) > 1 else None
    counted = {"statistic": "median" if len(values) > 1 else "single", "n_samples": len(values)}
    return Figure(metric=metric, value=statistics.median(values), unit=METRICS[metric], stddev=spread, **(counted | about))
