"""Flags for figures that the GPU's specifications rule out: a flagged figure is stored, and excluded from every aggregate."""

from collections.abc import Callable, Iterator, Sequence

from pipeline.schema.benchmarks import BenchmarkDevice, Measurement
from pipeline.schema.specs import Gpu
from pipeline.uploads.annotation import language_models, links

TOLERANCE = 1.05  # boost clocks and memory chips above the datasheet's
_DENSE_TENSOR = {
    "tf32": "tf32_tensor_tflops",
    "bf16": "bf16_tensor_tflops",
    "fp4": "fp4_tensor_tflops",
    "int8": "int8_tensor_tops",
}
_LINKED_OR_SHARED = ("Superchip", "SoC", "APU socket")  # reach the host over a link or shared memory that no column states
_FP64_MATRIX = 2  # tensor cores and matrix units reach at most twice the FP64 vector rate
_PACKED = 2  # an instruction on two packed FP32 numbers does the work of two
_VECTOR = {"fp64": "fp64_tflops", "fp32": "fp32_tflops", "fp16": "fp16_tflops"}


def find_flags(figure: Measurement, gpu: Gpu, devices: Sequence[BenchmarkDevice]) -> Iterator[str]:
    """Yield exceeds_peak and cached_in_l2 where they apply; `devices` are the GPUs of the figure, all of this model.

    An unknown peak raises no flag.
    """
    peak = _peak(figure, gpu)
    adds_up = figure.device_ordinal is None and not figure.metric.startswith("collective_")
    count = figure.n_gpus or len(devices) if adds_up else 1
    if figure.unit == "tokens/s":
        peak, count = language_models.peak_tokens(figure, gpu, count), 1
    if peak is not None and figure.value > TOLERANCE * peak * count * _overclock(figure, gpu, devices):
        yield "exceeds_peak"
    if _measures_memory(figure) and figure.size_bytes and gpu.l2_cache_mb and 2 * figure.size_bytes < gpu.l2_cache_mb * 2**20:
        yield "cached_in_l2"


def _overclock(figure: Measurement, gpu: Gpu, devices: Sequence[BenchmarkDevice]) -> float:
    """Ratio of the boost clock that the devices report to that of the specification, at least 1; arithmetic scales with it."""
    reported = max((device.sm_clock_mhz or 0 for device in devices), default=0)
    scales = figure.unit in ("TFLOP/s", "TOP/s", "tokens/s") and gpu.boost_clock_mhz
    return max(1.0, reported / gpu.boost_clock_mhz) if scales and gpu.boost_clock_mhz else 1.0


def _measures_memory(figure: Measurement) -> bool:
    return figure.metric == "memory_bandwidth" or (figure.metric == "copy_bandwidth" and figure.direction == "d2d_local")


def _peak(figure: Measurement, gpu: Gpu) -> float | None:
    """Peak rate of the GPU in the figure's unit; None if it is unknown."""
    if _measures_memory(figure):
        return gpu.memory_bandwidth_gb_per_s
    find = _PEAKS.get(figure.metric)
    return find(figure, gpu) if find else None


def _vector_peak(figure: Measurement, gpu: Gpu) -> float | None:
    rate = _column(gpu, _VECTOR.get(figure.dtype or ""))
    return rate * _PACKED if rate and figure.test.startswith("packed ") else rate


def _host_peak(figure: Measurement, gpu: Gpu) -> float | None:
    """Peak between host and GPU: PCI Express of the GPU's generation over 16 lanes, doubled where both directions are summed.

    SXM2 modules may reach POWER hosts over NVLink: at most all links together, half of that in one direction.
    """
    if figure.direction is None or gpu.form_factor in _LINKED_OR_SHARED:
        return None
    one_way = links.PCIE_X16.get(gpu.pcie_generation or 0)
    if one_way and gpu.form_factor == "SXM2":
        one_way = max(one_way, gpu.nvlink_gb_per_s / 2) if gpu.nvlink_gb_per_s else None
    return one_way * (2 if figure.direction == "bidir_sum" else 1) if one_way else None


def _linpack_peak(figure: Measurement, gpu: Gpu) -> float | None:
    """Peak of LINPACK; None if the output does not state the number of GPUs."""
    has_count = figure.n_gpus is not None or figure.device_ordinal is not None
    return _FP64_MATRIX * gpu.fp64_tflops if has_count and figure.dtype == "fp64" and gpu.fp64_tflops else None


def _matrix_peak(figure: Measurement, gpu: Gpu) -> float | None:
    """Peak of the tensor cores, unless the tool states that they were not used; twice the dense rate for 2:4 sparse operands.

    No column of `gpu` has the FP64 rate of tensor cores: it is at most twice the vector rate.
    """
    if figure.tensor_core == "no":
        return _column(gpu, _VECTOR.get(figure.dtype or ""))
    if figure.dtype == "fp16":
        rates = [gpu.fp16_tensor_tflops, gpu.fp16_tensor_fp16_accumulate_tflops]
    elif figure.dtype == "fp8":  # twice the FP16 rate of the same accumulation
        half = gpu.fp16_tensor_fp16_accumulate_tflops
        rates = [gpu.fp8_tensor_tflops, 2 * half if half and gpu.fp8_tensor_tflops else None]
    elif figure.dtype == "fp32":  # libraries may compute it as TF32
        rates = [gpu.fp32_tflops, gpu.tf32_tensor_tflops]
    elif figure.dtype == "fp64":
        rates = [_FP64_MATRIX * gpu.fp64_tflops if gpu.fp64_tflops else None]
    else:
        rates = [_column(gpu, _DENSE_TENSOR.get(figure.dtype or ""))]
    peaks = [rate for rate in rates if rate is not None]
    return max(peaks) * (2 if figure.sparsity == "sparse" else 1) if peaks else None


def _column(gpu: Gpu, column: str | None) -> float | None:
    return getattr(gpu, column) if column else None


_PEAKS: dict[str, Callable[[Measurement, Gpu], float | None]] = {
    "copy_bandwidth": _host_peak,
    "peer_bandwidth": links.peak_copy,
    "collective_bus_bandwidth": links.peak_collective,
    "collective_algorithm_bandwidth": links.peak_collective,
    "vector_throughput": _vector_peak,
    "linpack_throughput": _linpack_peak,
    "matrix_throughput": _matrix_peak,
    "integer_throughput": _matrix_peak,
}
