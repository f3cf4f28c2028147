"""What the tests of the suite share: a context on the processor at toy sizes."""

import dataclasses
import time
from typing import Any

import torch

from benchmarks.suite.context import Context
from benchmarks.suite.profiles import TEST

CPU = torch.device("cpu")


def context(**changes: Any) -> Context:
    """The test profile on the processor; `changes` are fields of the profile."""
    torch.set_num_threads(1)
    profile = dataclasses.replace(TEST, **changes)
    return Context(device=CPU, devices=(CPU,), profile=profile, deadline=time.monotonic() + 60, precisions=profile.precisions)
