"""Ends of a run: out of memory, a failure, no time left, an interrupt. Results so far stay in the file."""

import datetime as dt
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from benchmarks.formats.detection import read
from benchmarks.suite import runner
from benchmarks.suite.context import Context
from benchmarks.suite.profiles import TEST
from benchmarks.suite.result import MeasuredFigure, Result
from benchmarks.suite.timing import build_figure
from benchmarks.suite.workloads import WORKLOADS, Workload
from tests.unit.suite.support import CPU


def ending(error: BaseException | None) -> Workload:
    def measure(context: Context) -> Iterator[MeasuredFigure]:
        yield build_figure("latency", [1.0, 2.0, 4.0], test="before the end", device=0)
        if error:
            raise error

    return Workload("memory", "ends as told", measure)


def run(tmp_path: Path, error: BaseException | None, budget_s: float = 60) -> Result:
    names = ("memory", "transfer")
    plan = runner.Plan(profile=TEST, names=names, device=CPU, budget_s=budget_s, out=tmp_path / "x.json", precisions=("fp32",))
    return runner.run(plan, lambda name, result: None)


@pytest.mark.parametrize(
    ("error", "status", "whole"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"), "oom", "ok"),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"), "oom", "ok"),
        (RuntimeError("CUDA error: unspecified launch failure in /srv/x.cu"), "failed", "ok"),
        (TimeoutError(), "truncated", "truncated"),
        (KeyboardInterrupt(), "truncated", "truncated"),
    ],
)
def test_figures_before_an_end_stay(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: BaseException, status: str, whole: str
) -> None:
    monkeypatch.setitem(WORKLOADS, "memory", ending(error))
    result = run(tmp_path, error)
    assert (result.workloads[0].status, result.status) == (status, whole)
    assert "/" not in (result.workloads[0].reason or "")
    (first, *_) = read((tmp_path / "x.json").read_text())
    assert first.run.status == status
    assert (first.measurements[0].value, first.measurements[0].n_samples) == (2.0, 3)


def test_a_run_ends_where_the_device_is_lost(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """After some errors of a kernel, every later call of the process fails."""

    def lost(device: torch.device) -> None:
        raise RuntimeError("CUDA error: device-side assert triggered")

    monkeypatch.setitem(WORKLOADS, "memory", ending(RuntimeError("CUDA error: device-side assert triggered")))
    monkeypatch.setattr(runner, "release_memory", lost)
    result = run(tmp_path, None)
    ends = [("memory", "failed", "CUDA error: device-side assert triggered"), ("transfer", "waived", runner.DEVICE_LOST)]
    assert [(done.name, done.status, done.reason) for done in result.workloads] == ends
    assert json.loads((tmp_path / "x.json").read_text())["status"] == result.status == "truncated"


def test_a_run_out_of_time_says_what_it_did_not_reach(tmp_path: Path) -> None:
    result = run(tmp_path, None, budget_s=1e-9)
    assert {workload.reason for workload in result.workloads} == {runner.NOT_REACHED}
    assert json.loads((tmp_path / "x.json").read_text())["status"] == "truncated"


def test_the_file_is_there_after_each_workload(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(WORKLOADS, "memory", ending(None))
    seen = []
    plan = runner.Plan(
        profile=TEST, names=("memory", "transfer"), device=CPU, budget_s=60, out=tmp_path / "x.json", precisions=("fp32",)
    )
    runner.run(plan, lambda name, result: seen.append(len(json.loads(plan.out.read_text())["workloads"])))
    assert seen == [0, 1]


def test_the_file_is_written_after_each_figure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = []

    def measure(context: Context) -> Iterator[MeasuredFigure]:
        for n in range(3):
            kept = json.loads((tmp_path / "x.json").read_text())["workloads"]
            seen.append([(len(workload["figures"]), workload["reason"]) for workload in kept])
            yield build_figure("latency", [float(n)], test="again", device=0)

    monkeypatch.setitem(WORKLOADS, "memory", Workload("memory", "looks at the file", measure))
    result = run(tmp_path, None)
    assert seen == [[], [(1, runner.CUT_OFF)], [(2, runner.CUT_OFF)]]
    assert (len(result.workloads), result.workloads[0].status, result.status) == (2, "ok", "ok")


def test_a_run_ended_from_outside_leaves_a_file_that_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(WORKLOADS, "memory", ending(SystemExit()))
    with pytest.raises(SystemExit):
        run(tmp_path, None)
    (left,) = read((tmp_path / "x.json").read_text())
    assert (left.run.status, left.measurements[0].value) == ("truncated", 2.0)


def test_the_start_is_told_in_microseconds(tmp_path: Path) -> None:
    told = run(tmp_path, None, budget_s=1e-9).started_at
    assert dt.datetime.fromisoformat(told).isoformat(timespec="microseconds") == told


def test_time_is_looked_at_between_figures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def endless(context: Context) -> Iterator[MeasuredFigure]:
        while True:
            time.sleep(0.02)
            yield build_figure("latency", [1.0], test="again", device=0)

    monkeypatch.setitem(WORKLOADS, "memory", Workload("memory", "never ends", endless))
    began = time.monotonic()
    result = run(tmp_path, None, budget_s=0.2)
    assert time.monotonic() - began < 5
    assert [workload.status for workload in result.workloads] == ["truncated", "waived"]
