"""Flags that come of setting a figure beside the card's own: a flagged figure is kept, and stays out of every aggregate."""

from collections.abc import Iterator

from pipeline.schema.benchmarks import Measurement
from pipeline.schema.specs import Gpu

TOLERANCE = 1.05  # boost clocks and memory chips above the datasheet's
_DENSE_TENSOR = {
    "tf32": "tf32_tensor_tflops",
    "bf16": "bf16_tensor_tflops",
    "fp8": "fp8_tensor_tflops",
    "fp4": "fp4_tensor_tflops",
    "int8": "int8_tensor_tops",
}
_VECTOR = {"fp64": "fp64_tflops", "fp32": "fp32_tflops", "fp16": "fp16_tflops"}


def flags(figure: Measurement, card: Gpu, devices: int) -> Iterator[str]:
    """exceeds_peak and cached_in_l2 for a figure of one kind of card, of which the run saw so many.

    A peak that is not known raises no flag.
    """
    peak = _peak(figure, card)
    together = figure.n_gpus or devices if figure.device_ordinal is None else 1
    if peak is not None and figure.value > TOLERANCE * peak * together:
        yield "exceeds_peak"
    if _of_memory(figure) and figure.size_bytes and card.l2_cache_mb and 2 * figure.size_bytes < card.l2_cache_mb * 2**20:
        yield "cached_in_l2"


def _of_memory(figure: Measurement) -> bool:
    return figure.metric == "memory_bandwidth" or (figure.metric == "copy_bandwidth" and figure.direction == "d2d_local")


def _peak(figure: Measurement, card: Gpu) -> float | None:
    """Highest rate that the card can reach, in the figure's unit."""
    if _of_memory(figure):
        return card.memory_bandwidth_gb_per_s
    if figure.metric == "vector_throughput":
        return _named(card, _VECTOR.get(figure.dtype or ""))
    if figure.metric in ("matrix_throughput", "integer_throughput"):
        return _matrix_peak(figure, card)
    return None


def _matrix_peak(figure: Measurement, card: Gpu) -> float | None:
    """Of tensor cores unless the tool says that they did not work; twice the dense rate for 2:4 sparse operands.

    Unknown for FP64 on tensor cores, which no column of `gpu` holds.
    """
    if figure.tensor_core == "no":
        return _named(card, _VECTOR.get(figure.dtype or ""))
    if figure.dtype == "fp16":
        rates = [card.fp16_tensor_tflops, card.fp16_tensor_fp16_accumulate_tflops]
    elif figure.dtype == "fp32":  # libraries may compute it as TF32
        rates = [card.fp32_tflops, card.tf32_tensor_tflops]
    else:
        rates = [_named(card, _DENSE_TENSOR.get(figure.dtype or ""))]
    known = [rate for rate in rates if rate is not None]
    return max(known) * (2 if figure.sparsity == "sparse" else 1) if known else None


def _named(card: Gpu, column: str | None) -> float | None:
    return getattr(card, column) if column else None
