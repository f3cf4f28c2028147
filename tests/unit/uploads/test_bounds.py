"""Figures that cannot be true are flagged, and true ones above the data sheet are not."""

from typing import Any

import pytest

from benchmarks.formats.core import ParsedRun
from benchmarks.formats.detection import read
from pipeline import paths
from pipeline.schema.benchmarks import METRICS, BenchmarkDevice, BenchmarkRun, Measurement
from pipeline.uploads.annotation.runs import Reference, annotate_runs, load_reference
from pipeline.uploads.serialization import ParsedUpload
from tests.unit.uploads.upload_texts import H100, NCCL

RTX_5060 = "NVIDIA GeForce RTX 5060"
LLAMA_8B = "model=llama 8B Q4_0; model_size=4653375488 bytes; parameters=8030261248"
ALL_REDUCE = {"test": "all_reduce_perf", "statistic": "mean", "size_bytes": 2**30, "n_gpus": 8, "device_ordinal": None}


@pytest.fixture(scope="module")
def reference() -> Reference:
    return load_reference(paths.DATA)


def figure(metric: str, value: float, **fields: Any) -> Measurement:
    about = {"value_raw": "1", "unit_raw": "1", "statistic": "mean", "test": "t", "device_ordinal": 0, "unit": METRICS[metric]}
    return Measurement(**{**about, **fields, "metric": metric, "value": value})


def flags(reference: Reference, *figures: Measurement, name: str = H100, clock: float | None = None) -> list[str | None]:
    devices = [BenchmarkDevice(ordinal=n, name_raw=name, sm_clock_mhz=clock) for n in range(8)]
    run = ParsedRun(run=BenchmarkRun(tool="a_tool", layout_version="1"), devices=devices, measurements=list(figures))
    (found,) = annotate_runs(ParsedUpload([run], "txt", None), "ab" * 32, None, reference)
    return [one.flags for one in found.measurements]


@pytest.mark.parametrize(
    ("layers_on_gpu", "parameters", "flag"),
    [
        (32, "8030261248", "partial_offload"),  # Llama 3 8B has 32 layers, and its output is one more
        (33, "8030261248", None),
        (33, "8.03 B", None),
        (24, "8.03 B", "partial_offload"),
        (99, "405853388800", "partial_offload"),  # Llama 3.1 405B has 126
        (999, "405853388800", None),
        (24, "8130261248", "offload_unknown"),
        (99, "8130261248", None),
        (24, None, "offload_unknown"),
    ],
)
def test_layers_on_the_gpu_are_compared_with_those_of_the_model(
    reference: Reference, layers_on_gpu: int, parameters: str | None, flag: str | None
) -> None:
    stated = f"; parameters={parameters}" if parameters else ""
    rate = figure("prompt_throughput", 10.0, workload=f"model=a model; ngl={layers_on_gpu}{stated}")
    assert flags(reference, rate) == [flag]


def test_arithmetic_is_compared_with_the_clock_that_the_device_reports(reference: Reference) -> None:
    gpu = reference.gpus["nvidia-geforce-rtx-5060-8gb"]
    assert gpu.fp32_tflops
    assert gpu.boost_clock_mhz
    real = figure("vector_throughput", gpu.fp32_tflops * 1.12, dtype="fp32")
    assert flags(reference, real, name=RTX_5060) == ["exceeds_peak"]
    assert flags(reference, real, name=RTX_5060, clock=gpu.boost_clock_mhz * 1.1) == [None]
    assert flags(reference, real, name=RTX_5060, clock=gpu.boost_clock_mhz * 0.5) == ["exceeds_peak"]
    memory = figure("memory_bandwidth", (gpu.memory_bandwidth_gb_per_s or 0) * 1.12)
    assert flags(reference, memory, name=RTX_5060, clock=gpu.boost_clock_mhz * 1.2) == ["exceeds_peak"]


@pytest.mark.parametrize(("value", "expected"), [(153.0, None), (158.0, None), (200.0, "exceeds_peak")])
def test_fp8_is_compared_with_the_higher_of_both_rates(reference: Reference, value: float, expected: str | None) -> None:
    assert flags(reference, figure("matrix_throughput", value, dtype="fp8"), name=RTX_5060) == [expected]


@pytest.mark.parametrize(
    ("metric", "value", "workload", "expected"),
    [
        ("generation_throughput", 300.0, LLAMA_8B, None),
        ("generation_throughput", 4_000.0, LLAMA_8B, "exceeds_peak"),
        ("generation_throughput", 4_000.0, LLAMA_8B.replace("4653375488", "40000000"), None),  # fits into the cache
        ("generation_throughput", 4_000.0, LLAMA_8B.replace("8B Q4", "8x7B Q4"), None),  # a mixture of experts reads a part
        ("prompt_throughput", 30_000.0, LLAMA_8B, None),
        ("prompt_throughput", 900_000.0, LLAMA_8B, "exceeds_peak"),
        ("prompt_throughput", 900_000.0, "model=llama 8B Q4_0; model_size=4.33 GiB; parameters=8.03 B", "exceeds_peak"),
        ("serving_total_throughput", 38_247.0, "model=example", None),
        ("serving_total_throughput", 57_917_400_000_000.0, "model=example", "exceeds_peak"),
    ],
)
def test_tokens_have_a_bound(reference: Reference, metric: str, value: float, workload: str, expected: str | None) -> None:
    assert flags(reference, figure(metric, value, workload=workload)) == [expected]


@pytest.mark.parametrize(
    ("name", "value", "fields", "expected"),
    [
        (H100, 400.0, {"direction": "uni"}, None),
        (H100, 500.0, {"direction": "uni"}, "exceeds_peak"),  # 18 links of 25 GB/s one way
        (H100, 800.0, {"direction": "bidir_sum"}, None),
        (H100, 22_000.0, {"direction": "uni", "statistic": "sum", "device_ordinal": None, "peer_ordinal": None}, None),
        (H100, 2_500.0, {"direction": "uni", "peer_ordinal": 0}, None),  # within one GPU
        ("NVIDIA L4", 26.0, {"direction": "uni"}, None),
        ("NVIDIA L4", 40.0, {"direction": "uni"}, "exceeds_peak"),
    ],
)
def test_copies_between_gpus_have_a_bound(
    reference: Reference, name: str, value: float, fields: dict[str, Any], expected: str | None
) -> None:
    copied = figure("peer_bandwidth", value, **{"peer_ordinal": 1, **fields})
    assert flags(reference, copied, name=name) == [expected]


@pytest.mark.parametrize(
    ("bus", "algorithm", "expected"),
    [
        (480.2, 274.4, None),  # with NVLink SHARP
        (73.53, 42.02, None),
        (73.53, 52.02, "edited"),
        (99_999.99, 42.02, "edited"),
        (99_999.99, 57_142.85, "exceeds_peak"),
    ],
)
def test_collectives_follow_from_each_other_and_from_the_links(
    reference: Reference, bus: float, algorithm: float, expected: str | None
) -> None:
    pair = (
        figure("collective_bus_bandwidth", bus, **ALL_REDUCE),
        figure("collective_algorithm_bandwidth", algorithm, **ALL_REDUCE),
    )
    found = flags(reference, *pair)
    assert {expected} == {None} == set(found) or all(str(expected) in str(one) for one in found)


def test_the_changed_busbw_of_a_log_is_flagged(reference: Reference) -> None:
    changed = NCCL.replace("12.50    0.00    0.00", "12.50    1.28   99.99")
    assert changed != NCCL
    (run,) = annotate_runs(ParsedUpload(read(changed), "txt", None), "ab" * 32, None, reference)
    assert sum("edited" in (one.flags or "") for one in run.measurements) == 2
