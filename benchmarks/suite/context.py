"""Inputs of every workload: the device, the profile, and the deadline."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

from benchmarks.suite.machine.precision import missing
from benchmarks.suite.profiles import Profile
from benchmarks.suite.result import MeasuredFigure
from benchmarks.suite.timing import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One run on one device; `devices` are all that may work together."""

    device: torch.device
    devices: tuple[torch.device, ...]
    profile: Profile
    deadline: float  # in seconds of time.monotonic()
    precisions: tuple[str, ...]
    batch: int | None = None  # instead of each model's stated batch

    @property
    def ordinal(self) -> int:
        return self.device.index or 0

    @property
    def clock(self) -> Clock:
        return Clock(self.profile.repetitions, self.profile.warm_up_s, self.deadline)

    @property
    def quick_clock(self) -> Clock:
        """Clock for choosing the best of several candidates, before it is timed thoroughly."""
        return Clock(3, self.profile.warm_up_s / 10, self.deadline)

    def time_is_up(self) -> bool:
        return time.monotonic() > self.deadline

    def usable(self, names: tuple[str, ...]) -> list[str]:
        return [name for name in names if missing(name, self.device) is None]


Measure = Callable[[Context], Iterator[MeasuredFigure]]
