"""clpeak: JSON, XML and text say the same of one device; what is not known is counted, not guessed."""

import json
from typing import Any

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError

TEXT = """
Platform: NVIDIA CUDA
  Device: GeForce Example 1
    Driver version  : 515.48.07 (Linux x64)
    Compute units   : 100
    Clock frequency : 1410 MHz

    Global memory bandwidth (GBPS)
      float   : 1200.50
      float16 : 1400.25

    Single-precision compute (GFLOPS)
      float   : 19000.50

    No half precision support! Skipped

    Integer compute Fast 24bit (GIOPS)
      int   : 18000.50

    Transfer bandwidth (GBPS)
      enqueueWriteBuffer              : 14.50
      enqueueReadBuffer               : 13.25
        memcpy from mapped ptr        : 20.65

    Kernel launch latency : 5.75 us
"""
XML = """<?xml version="1.0" encoding="utf-8"?>
<clpeak format_version="2" clpeak_version="2.1.2" os="Linux x64">
  <run backend="CUDA" platform="CUDA" device="NVIDIA Example 1" driver="13.3">
    <prop name="Arch" value="sm_120"/>
    <prop name="Toolkit" value="13.2"/>
    <prop name="SMs" value="30"/>
    <category name="fp_compute">
      <test name="single_precision_compute" unit="gflops" description="the GPU&apos;s cores">
        <metric name="float">20000.5</metric>
      </test>
      <test name="wmma_fp8_sparse" unit="tflops">
        <metric name="fp8_sparse">169.5</metric>
        <metric name="mxf4_e2m1" status="unsupported" reason="unsupported on sm_80"/>
      </test>
    </category>
    <category name="bandwidth">
      <test name="local_memory_bandwidth" unit="gbps">
        <metric name="float">4426.25</metric>
      </test>
    </category>
  </run>
</clpeak>
"""


def metric(name: str, value: float | None, **more: Any) -> dict[str, Any]:
    return {"id": name, **({"value": value} if value is not None else {"status": "unsupported"}), **more}


DOCUMENT = {
    "schema": "clpeak/run", "format_version": 3, "clpeak_version": "3.0.0", "generated_at": "2026-01-02T03:04:05Z",
    "host": {"os": "Linux", "cpu": "some CPU"}, "invocation": {"argv": ["/data/private/clpeak"]},
    "devices": [{
        "backend": "CUDA", "platform": "CUDA", "name": "NVIDIA Example 1", "driver": "13.3", "type": "gpu",
        "properties": [{"key": "Arch", "value": "sm_120"}, {"key": "Toolkit", "value": "13.4"}, {"key": "SMs", "value": "30"}],
        "tests": [
            {"id": "single_precision_compute", "unit": "FLOPS", "metrics": [metric("float", 2.5e13)]},
            {"id": "wmma", "unit": "FLOPS", "metrics": [
                metric("fp16 f16acc", 8e13), metric("fp8_e4m3 2:4", 1.7e14), metric("int8", 8.4e13, unit="OPS"),
                metric("int4", None),
            ]},
            {"id": "global_memory_bandwidth", "unit": "B/s", "metrics": [metric("float4", 4.2e11)]},
            {"id": "transfer_bandwidth", "unit": "B/s", "metrics": [metric("h2d_pinned", 1.5e10)]},
            {"id": "kernel_launch_latency", "unit": "s", "metrics": [metric("roundtrip", 6.5e-6)]},
            {"id": "aes_throughput", "unit": "B/s", "metrics": [metric("aes", 1e9)]},
        ],
    }],
}  # fmt: skip


def test_json() -> None:
    (run,) = read(json.dumps(DOCUMENT))
    assert [(m.metric, m.value, m.unit, m.dtype, m.tensor_core, m.sparsity) for m in run.measurements] == [
        ("vector_throughput", pytest.approx(25), "TFLOP/s", "fp32", "no", "dense"),
        ("matrix_throughput", pytest.approx(80), "TFLOP/s", "fp16", "yes", "dense"),
        ("matrix_throughput", pytest.approx(170), "TFLOP/s", "fp8", "yes", "sparse"),
        ("integer_throughput", pytest.approx(84), "TOP/s", "int8", "yes", "dense"),
        ("memory_bandwidth", pytest.approx(420), "GB/s", None, "unknown", "unknown"),
        ("copy_bandwidth", pytest.approx(15), "GB/s", None, "unknown", "unknown"),
        ("latency", pytest.approx(6.5), "us", None, "unknown", "unknown"),
    ]
    assert (run.run.args, run.run.cuda_runtime, run.run.driver) == ("platform=CUDA; figures_left=1", "13.4", None)
    assert (run.devices[0].compute_capability, run.devices[0].sm_count) == ("12.0", 30)
    assert "private" not in repr(run)


def test_xml() -> None:
    (run,) = read(XML)
    assert [(m.metric, m.value, m.dtype, m.sparsity) for m in run.measurements] == [
        ("vector_throughput", pytest.approx(20.0005), "fp32", "dense"),
        ("matrix_throughput", 169.5, "fp8", "sparse"),
    ]
    assert (run.devices[0].name_raw, run.run.tool_version, run.run.status) == ("NVIDIA Example 1", "2.1.2", "ok")


def test_text_of_version_1() -> None:
    (run,) = read(TEXT)
    assert [(m.test, m.metric, m.value, m.direction) for m in run.measurements] == [
        ("global_memory_bandwidth float", "memory_bandwidth", 1200.5, None),
        ("global_memory_bandwidth float16", "memory_bandwidth", 1400.25, None),
        ("single_precision_compute float", "vector_throughput", pytest.approx(19.0005), None),
        ("integer_compute_fast int", "integer_throughput", pytest.approx(18.0005), None),
        ("transfer_bandwidth enqueueWriteBuffer", "copy_bandwidth", 14.5, "h2d"),
        ("transfer_bandwidth enqueueReadBuffer", "copy_bandwidth", 13.25, "d2h"),
        ("kernel_launch_latency roundtrip", "latency", 5.75, None),
    ]
    assert (run.run.driver, run.run.status, run.measurements[0].flags) == ("515.48.07", "ok", None)


def test_several_devices_and_other_makers() -> None:
    second = TEXT[TEXT.index("  Device:") :]
    assert len(read(TEXT + second)) == 2
    (run,) = read(TEXT.replace("NVIDIA CUDA", "Portable Computing Language"))
    assert {m.flags for m in run.measurements} == {"non_cuda"}


def test_cut_pastes_and_broken_ones() -> None:
    (run,) = read(TEXT[: TEXT.index("19000.50") + 7])
    assert (run.run.status, len(run.measurements)) == ("truncated", 2)
    (run,) = read(XML[: XML.index("169.5") + 4])
    assert (run.run.status, len(run.measurements)) == ("truncated", 1)
    with pytest.raises(RefusedError) as refused:
        read(XML.replace("20000.5</metric>", "20000.5"))
    assert (refused.value.code, refused.value.line) == ("PARSE", 9)
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace("      float   : 1200.50", "      float   1200.50"))
    assert (refused.value.code, refused.value.line) == ("PARSE", 9)
    with pytest.raises(RefusedError) as refused:
        read(XML.replace('format_version="2" ', ""))
    assert refused.value.code == "SCHEMA"
    broken = json.loads(json.dumps(DOCUMENT))
    del broken["devices"][0]["tests"][0]["unit"]
    with pytest.raises(RefusedError) as refused:
        read(json.dumps(broken))
    assert refused.value.code == "PARSE"
