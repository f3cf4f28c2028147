"""Helpers for tests of the suite: a context on the CPU at toy sizes."""

import dataclasses
import itertools
import time
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from benchmarks.suite import timing
from benchmarks.suite.context import Context
from benchmarks.suite.profiles import TEST

CPU = torch.device("cpu")


def context(**changes: Any) -> Context:
    """The test profile on the processor; `changes` are fields of the profile."""
    torch.set_num_threads(1)
    profile = dataclasses.replace(TEST, **changes)
    return Context(device=CPU, devices=(CPU,), profile=profile, deadline=time.monotonic() + 60, precisions=profile.precisions)


def ending_after(monkeypatch: pytest.MonkeyPatch, looks: int) -> Context:
    """A context whose time is up once it has been looked at so many times: no test of it waits."""
    ticks = itertools.count(1)
    clock = SimpleNamespace(monotonic=lambda: next(ticks), perf_counter=time.perf_counter)
    monkeypatch.setattr(timing, "time", clock)
    return dataclasses.replace(context(), deadline=looks)
