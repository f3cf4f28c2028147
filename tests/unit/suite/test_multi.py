"""Several processes at once, on the processor: sums are right, figures come back, a failure ends with its reason."""

import dataclasses
import math
import multiprocessing
import operator

import pytest
import torch

from benchmarks.suite.measurements import multi
from benchmarks.suite.measurements.multi import reduce_seconds, together
from benchmarks.suite.profiles import TEST
from tests.unit.suite.support import CPU, context


def both(device: torch.device, processes: int) -> dict[str, list[float]]:
    """All-reduce and data-parallel training in the same processes, which take seconds to start."""
    seconds = reduce_seconds(device, processes, sizes=(4096, 8192), repetitions=3)
    return seconds | multi.epoch_seconds(device, processes, model="lstm", precision="fp32", batch=2, profile=TEST)


@pytest.mark.slow
def test_two_processes_reduce_and_train_together() -> None:
    seconds = together((CPU, CPU), both, math.inf)
    assert {name: len(times) for name, times in seconds.items()} == {"4096": 3, "8192": 3, "epoch": TEST.runs}


def test_bandwidth_of_an_all_reduce_is_counted_as_nccl_tests_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multi, "together", lambda devices, task, deadline: {"1000000000": [0.5, 0.25, 0.125]})
    four = dataclasses.replace(context(), devices=(CPU,) * 4)
    figures = {found.metric: found for found in multi.all_reduce(four)}
    assert figures["collective_algorithm_bandwidth"].value == 4.0
    assert figures["collective_bus_bandwidth"].value == 4.0 * 2 * 3 / 4
    assert figures["collective_time"].value == 250_000
    assert {(found.n_gpus, found.size_bytes, found.device) for found in figures.values()} == {(4, 10**9, None)}


def test_data_parallel_counts_the_items_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multi, "together", lambda devices, task, deadline: {"epoch": [2.0]})
    figures = list(multi.data_parallel(dataclasses.replace(context(), devices=(CPU,) * 4)))
    assert [found.value for found in figures] == [4 * 2 * TEST.epoch_steps / 2.0] * len(multi.DATA_PARALLEL)


@pytest.mark.slow
def test_a_process_that_fails_ends_all_with_its_reason() -> None:
    with pytest.raises(RuntimeError, match="TypeError: unsupported operand"):
        together((CPU,), operator.mod, math.inf)


def test_processes_are_ended_at_the_deadline() -> None:
    with pytest.raises(TimeoutError):
        together((CPU,), operator.mod, 0.0)  # they have not even started by then, or they would have failed
    assert multiprocessing.active_children() == []
