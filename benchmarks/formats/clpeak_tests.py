"""Tests of clpeak: metric, number format, and use of matrix units."""

import re
from typing import Any

from benchmarks.formats.core import Line, measure, settings
from pipeline.schema.benchmarks import Measurement

_VECTOR = {
    "single_precision_compute": "fp32", "half_precision_compute": "fp16", "double_precision_compute": "fp64",
    "mixed_precision_compute": "mixed", "bfloat16_compute": "bf16", "integer_compute": "int32", "integer_compute_fast": "int32",
    "integer_compute_char": "int8", "integer_compute_short": "int16", "integer_compute_int8_dp": "int8",
}  # fmt: skip
_MATRIX = ("wmma", "coopmat", "cublas", "mfma", "smfmac", "rocwmma", "rocblas", "hipblaslt")
_TRANSFERS = {
    "h2d_pinned": "h2d", "d2h_pinned": "d2h", "enqueuewritebuffer": "h2d", "enqueuereadbuffer": "d2h",
}  # fmt: skip
_OPERANDS = re.compile(r"(?:wmma_|mfma_|smfmac_|rocwmma_)?(fp64|fp32|tf32|fp16|bf16|fp8|fp4|mxfp4|mxf4|nvf4|int8)(?![0-9])")
_FP4 = ("fp4", "mxfp4", "mxf4", "nvf4")
_TITLES = {"single-precision compute": "single_precision_compute", "integer compute fast 24bit": "integer_compute_fast"}


def measurement(line: Line | None, test: str, metric: str, value: str, unit: str) -> Measurement | None:
    """Convert a reading to a measurement; None for a test that is not defined here. Raises RefusedError."""
    common = _meaning(_identifier(test), metric.lower())
    if common is None:
        return None
    return measure(
        raw=value,
        unit_raw=unit,
        line=line,
        test=f"{_identifier(test)} {metric}",
        device_ordinal=0,
        statistic="mean",
        n_gpus=1,
        workload=settings(width=metric),
        **common,
    )


def _identifier(test: str) -> str:
    """The identifier of later versions for a title that version 1 prints."""
    title = test.lower()
    return _TITLES.get(title) or title.replace("-", "_" if " " in title else "-").replace(" ", "_")


def _meaning(test: str, metric: str) -> dict[str, Any] | None:
    if test in _VECTOR:
        dtype = _VECTOR[test]
        kind = "integer_throughput" if dtype.startswith("int") else "vector_throughput"
        return {"metric": kind, "dtype": dtype, "tensor_core": "no", "sparsity": "dense"}
    if test.startswith(_MATRIX):
        return _matrix(test, metric)
    if test == "global_memory_bandwidth":
        return {"metric": "memory_bandwidth", "engine": "sm"}
    if test == "transfer_bandwidth" and metric in _TRANSFERS:
        return {"metric": "copy_bandwidth", "direction": _TRANSFERS[metric]}
    if test == "kernel_launch_latency":
        return {"metric": "latency"}
    return None


def _matrix(test: str, metric: str) -> dict[str, Any] | None:
    """Use of matrix units. Libraries compute fp32 outside of them, and fp64 depending on the GPU."""
    match = _OPERANDS.match(metric)
    if not match:
        return None
    dtype = "fp4" if match[1] in _FP4 else match[1]
    sparse = "2:4" in metric or "sparse" in metric or test.startswith("smfmac")
    library = "blas" in test
    cores = {"fp32": "no", "fp64": "unknown"}.get(dtype, "yes") if library else "yes"
    kind = "integer_throughput" if dtype == "int8" else "matrix_throughput"
    return {"metric": kind, "dtype": dtype, "tensor_core": cores, "sparsity": "sparse" if sparse else "dense"}
