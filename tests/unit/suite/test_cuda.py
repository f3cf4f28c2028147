"""On a CUDA GPU: the suite against plain torch in the same process, twice, and every workload without a failure."""

import json
import statistics
import time
from pathlib import Path

import pytest
import torch

from benchmarks.formats.detection import read
from benchmarks.suite import runner
from benchmarks.suite.context import Context
from benchmarks.suite.machine.precision import missing
from benchmarks.suite.measurements import matmul, memory, training_workload
from benchmarks.suite.measurements.products import PRODUCTS
from benchmarks.suite.profiles import QUICK, TEST

pytestmark = pytest.mark.skipif(not (torch.version.cuda and torch.cuda.is_available()), reason="no CUDA device at hand")


def context() -> Context:
    gpu = torch.device("cuda", 0)
    return Context(device=gpu, devices=(gpu,), profile=QUICK, deadline=time.monotonic() + 600, precisions=QUICK.precisions)


def plain_seconds(call: object) -> float:
    """Median seconds of a call between two events, as anyone would write it."""
    times = []
    for _ in range(23):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()  # type: ignore[operator]
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / 1e3)
    return statistics.median(times[3:])


def test_bf16_products_reach_plain_torch() -> None:
    bf16 = next(product for product in PRODUCTS if product.name == "bf16")
    if missing("bf16", context().device):
        pytest.skip("the GPU has no BF16")
    (m, n, k), rates = matmul.best_shape(context(), bf16)
    a, b = (torch.randn(size, device="cuda", dtype=torch.bfloat16) for size in ((m, k), (k, n)))
    plain = 2 * m * n * k / plain_seconds(lambda: torch.matmul(a, b)) / 1e12
    assert statistics.median(rates) >= 0.95 * plain


def test_copies_reach_plain_torch() -> None:
    rates = {found.size_bytes: found.value for found in memory.measure(context()) if found.test == "copy"}
    plain = []
    for size in rates:
        a, b = (torch.rand(int(size or 0) // 4, device="cuda") for _ in range(2))
        plain.append(2 * int(size or 0) / plain_seconds(lambda a=a, b=b: a.copy_(b)) / 1e9)
    assert max(rates.values()) >= 0.95 * max(plain)


def test_two_runs_agree() -> None:
    first, second = ([found.value for found in memory.measure(context())] for _ in range(2))
    assert first == pytest.approx(second, rel=0.03)
    trained = [
        next(found.value for found in training_workload.measure(context(), "bert-base") if found.metric == "training_throughput")
        for _ in range(2)
    ]
    assert trained[0] == pytest.approx(trained[1], rel=0.05)


def test_every_workload_works_at_toy_sizes(tmp_path: Path) -> None:
    gpu = torch.device("cuda", 0)
    plan = runner.Plan(
        profile=TEST, names=TEST.workloads, device=gpu, budget_s=120, out=tmp_path / "test.json", precisions=("fp32", "fp16")
    )
    result = runner.run(plan, lambda name, so_far: None)
    assert {done.name: (done.status, done.reason) for done in result.workloads if done.status not in ("ok", "waived")} == {}
    assert [figure.test for done in result.workloads for figure in done.figures if figure.correct is False] == []


def test_the_quick_profile_ends_in_time_without_a_failure(tmp_path: Path) -> None:
    out = tmp_path / "quick.json"
    plan = runner.Plan(
        profile=QUICK, names=QUICK.workloads, device=torch.device("cuda", 0), budget_s=QUICK.budget_s, out=out,
        precisions=QUICK.precisions,
    )  # fmt: skip
    began = time.monotonic()
    result = runner.run(plan, lambda name, so_far: None)
    assert time.monotonic() - began < 300
    assert {done.name: done.reason for done in result.workloads if done.status == "failed"} == {}
    wrong = [
        figure for done in json.loads(out.read_text())["workloads"] for figure in done["figures"] if figure["correct"] is False
    ]
    assert wrong == []
    assert len(read(out.read_text())) == len(QUICK.workloads)
