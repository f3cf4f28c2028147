"""The suite's own document: every field comes through, and what is wrong is refused with the place. Needs no torch."""

import copy
import datetime as dt
import json
import subprocess
import sys
from typing import Any

import pytest

from benchmarks.formats.detection import read
from benchmarks.suite.result_schema import PUBLISHED, json_schema
from pipeline.readers import RefusedError
from tests.command import ROOT

FIGURE: dict[str, Any] = {
    "test": "bf16 best shape", "metric": "matrix_throughput", "value": 712.5, "unit": "TFLOP/s", "statistic": "median",
    "n_samples": 20, "stddev": 3.5, "device": 0, "dtype": "bf16", "tensor_core": "yes", "n_gpus": 1,
    "settings": {"m": "8192", "n": "8192", "k": "8192"}, "correct": True,
}  # fmt: skip
DOCUMENT: dict[str, Any] = {
    "format": "gpuledger-suite", "version": 1, "profile": "quick", "started_at": "2026-11-20T12:00:00+00:00",
    "status": "ok", "budget_s": 270,
    "devices": [{
        "ordinal": 0, "kind": "cuda", "name": "NVIDIA Example 80GB", "compute_capability": "9.0", "sm_count": 132,
        "memory_total_mib": 81559.0, "power_limit_w": 700.0, "ecc": True, "mig": False, "pcie_generation": 5, "pcie_width": 16,
    }],
    "software": {
        "suite": "1", "python": "3.11", "torch": "2.13.0", "transformers": "5.0.0", "cuda_runtime": "13.0", "driver": "590.1",
    },
    "workloads": [
        {"name": "matmul", "status": "ok", "reason": None, "seconds": 12.5, "figures": [FIGURE]},
        {"name": "train-bert-large", "status": "oom", "reason": "batch 4 in fp32 does not fit", "seconds": 3, "figures": []},
    ],
}  # fmt: skip


def changed(**changes: Any) -> str:
    return json.dumps(DOCUMENT | changes)


def with_figure(**changes: Any) -> str:
    document = copy.deepcopy(DOCUMENT)
    document["workloads"][0]["figures"] = [FIGURE | changes]
    return json.dumps(document)


def test_runs_devices_and_figures_come_through() -> None:
    (matmul, bert) = (run for run in read(json.dumps(DOCUMENT)))
    assert (matmul.run.status, bert.run.status) == ("ok", "oom")
    assert "reason=batch 4 in fp32 does not fit" in str(bert.run.args)
    assert matmul.run.started_at == dt.datetime(2026, 11, 20, 12, 0)
    assert (matmul.run.driver, matmul.run.cuda_runtime, matmul.run.framework) == ("590.1", "13.0", "torch 2.13.0")
    assert "pcie=5x16" in str(matmul.run.args)
    (device,) = matmul.devices
    assert (device.name_raw, device.sm_count, device.power_limit_w, device.ecc) == ("NVIDIA Example 80GB", 132, 700.0, True)
    (rate,) = matmul.measurements
    assert (rate.value, rate.unit, rate.value_raw, rate.stddev, rate.n_samples) == (712.5, "TFLOP/s", "712.5", 3.5, 20)
    assert (rate.dtype, rate.sparsity, rate.tensor_core, rate.statistic) == ("bf16", "dense", "yes", "median")
    assert (rate.workload, rate.flags, rate.device_ordinal) == ("m=8192; n=8192; k=8192", None, 0)


def test_flags() -> None:
    (wrong, _) = read(with_figure(correct=False))
    assert wrong.measurements[0].flags == "incorrect_result"
    document = json.loads(with_figure())
    document["devices"][0]["kind"] = "cpu"
    (tried, _) = read(json.dumps(document))
    assert tried.measurements[0].flags == "non_cuda"


def test_a_setting_cannot_pose_as_two() -> None:
    (run, _) = read(with_figure(settings={"model": "a; precision=fp8"}))
    assert run.measurements[0].workload == "model=a, precision:fp8"


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        (changed(version=2), "SCHEMA", "version"),
        (changed(hostname="x"), "SCHEMA", "hostname"),
        (changed(devices=[]), "SCHEMA", "device 0"),
        (changed(devices=DOCUMENT["devices"] * 2), "DUP_KEY", "ordinal"),
        (changed(devices={}), "SCHEMA", "devices"),
        (changed(started_at="yesterday"), "PARSE", "yesterday"),
        (changed(started_at="2026-11-20T12:00:00"), "RANGE", "UTC"),
        (changed(workloads=[]), "NO_ROWS", "figure"),
        (changed(profile="a\u202eb"), "CONTROL_CHAR", "profile"),
        (changed(profile="x" * 301), "LINE_TOO_LONG", "300"),
        (with_figure(value=-1), "RANGE", "below"),
        (with_figure(value=True), "SCHEMA", "value"),
        (with_figure(value="712"), "SCHEMA", "value"),
        (with_figure(value=10**39), "RANGE", "64 bits"),
        (with_figure(n_samples=0), "RANGE", "n_samples"),
        (with_figure(metric="speed"), "SCHEMA", "speed"),
        (with_figure(unit="GB/s"), "SCHEMA", "GB/s"),
        (with_figure(peer=3), "SCHEMA", "device 3"),
        (with_figure(settings={"m": 1}), "SCHEMA", "settings"),
        (with_figure(value=1).replace('"value": 1,', '"value": 1e999,'), "NOT_FINITE", "value"),
        (json.dumps(DOCUMENT)[:-40], "PARSE", "broken"),
    ],
)
def test_what_is_wrong_is_refused(text: str, code: str, told: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read(text)
    assert refused.value.code == code
    assert told in refused.value.reason


def test_the_published_schema_is_that_of_the_declaration() -> None:
    assert json.loads(PUBLISHED.read_text()) == json_schema(), "run: python -m benchmarks.suite.result_schema"


def test_reading_needs_no_torch() -> None:
    code = "import sys, benchmarks.formats.gpuledger_suite; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
