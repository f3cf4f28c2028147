"""The workloads by name. One is added by a line here and a generator of figures."""

from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.suite import decode, matmul, memory, multi, trainings, transfer
from benchmarks.suite.context import Measure
from benchmarks.suite.models import MODELS
from benchmarks.suite.profiles import PROFILES


@dataclass(frozen=True, slots=True)
class Workload:
    """What is run under a name. `measure` yields figures as they are found, so that those before an end stay."""

    name: str
    text: str
    measure: Measure

    @property
    def profiles(self) -> list[str]:
        return [profile.name for profile in PROFILES.values() if self.name in profile.workloads]


_ALL = (
    Workload("memory", "bandwidth of the device's memory: copy and triad", memory.measure),
    Workload("transfer", "bandwidth between host and device: pageable and pinned, both ways", transfer.measure_host),
    Workload("peer", "bandwidth between every two devices, one way and both", transfer.measure_peers),
    Workload("all-reduce", "bandwidth of an all-reduce over all devices", multi.all_reduce),
    Workload("matmul", "matrix products in every number format, and the best shape", matmul.measure),
    Workload("decode", "a decoder of 1 billion weights: prefill, and decode with a cache", decode.measure),
    *(Workload(f"train-{model.name}", f"training: {model.text}", trainings.of(model)) for model in MODELS.values()),
    Workload("data-parallel", "training on all devices together", multi.data_parallel),
)
WORKLOADS = {workload.name: workload for workload in _ALL}


def unknown(names: Iterable[str]) -> list[str]:
    """Those that are no workload."""
    return [name for name in names if name not in WORKLOADS]
