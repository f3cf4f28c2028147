"""The workloads by name. To add one, add a line here and a generator of figures in a module of this package.

Importing this module does not import torch: the module of a workload is imported when the workload runs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from benchmarks.suite.profiles import PROFILES, TRAINED

if TYPE_CHECKING:
    from benchmarks.suite.context import Context, Measure
    from benchmarks.suite.result import MeasuredFigure


@dataclass(frozen=True, slots=True)
class Workload:
    """A named measurement. `measure` yields each figure as soon as it is measured, so that a later failure loses none."""

    name: str
    text: str
    measure: "Measure"

    @property
    def profiles(self) -> list[str]:
        return [profile.name for profile in PROFILES.values() if self.name in profile.workloads]


def _measure(module: str, function: str, options: dict[str, str], context: "Context") -> "Iterator[MeasuredFigure]":
    """Call `benchmarks.suite.measurements.<module>.<function>`."""
    yield from getattr(import_module(f"benchmarks.suite.measurements.{module}"), function)(context, **options)


def _workload(name: str, text: str, module: str, function: str = "measure", **options: str) -> Workload:
    return Workload(name, text, partial(_measure, module, function, options))


_ALL = (
    _workload("memory", "bandwidth of the device's memory: copy and triad", "memory"),
    _workload("transfer", "bandwidth between host and device: pageable and pinned, both ways", "transfer", "measure_host"),
    _workload("peer", "bandwidth between every two devices, one way and both", "transfer", "measure_peers"),
    _workload("all-reduce", "bandwidth of an all-reduce over all devices", "multi", "all_reduce"),
    _workload("matmul", "matrix products in every number format, and the best shape", "matmul"),
    _workload("decode", "a decoder of 1 billion weights: prefill, and decode with a cache", "decode"),
    *(_workload(f"train-{name}", f"training: {text}", "training_workload", model=name) for name, text in TRAINED.items()),
    _workload("data-parallel", "training on all devices together", "multi", "data_parallel"),
)
WORKLOADS = {workload.name: workload for workload in _ALL}
