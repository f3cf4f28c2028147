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
# one way over 16 lanes in GB/s: transfers/s x 16 / 8, less the coding (8b/10b to generation 2, then 128b/130b; 6 has frames)
_PCIE_X16 = {
    1: 2.5 * 2 * 8 / 10,
    2: 5 * 2 * 8 / 10,
    3: 8 * 2 * 128 / 130,
    4: 16 * 2 * 128 / 130,
    5: 32 * 2 * 128 / 130,
    6: 64 * 2,
}
_LINKED_OR_SHARED = ("Superchip", "SoC", "APU socket")  # reach the host over a link, or memory, that no column holds
_FP64_MATRIX = 2  # tensor cores and matrix units reach at most twice the FP64 vector rate
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
    if figure.metric == "copy_bandwidth":
        return _host_peak(figure, card)
    if figure.metric == "vector_throughput":
        return _named(card, _VECTOR.get(figure.dtype or ""))
    if figure.metric == "linpack_throughput":
        return _linpack_peak(figure, card)
    if figure.metric in ("matrix_throughput", "integer_throughput"):
        return _matrix_peak(figure, card)
    return None


def _host_peak(figure: Measurement, card: Gpu) -> float | None:
    """Between host and card: PCI Express of the card's generation over 16 lanes, twice that where both ways are summed.

    SXM2 modules reach POWER hosts over some of their NVLinks: no more than all of them together, one way half of both.
    """
    if figure.direction is None or card.form_factor in _LINKED_OR_SHARED:
        return None
    one_way = _PCIE_X16.get(card.pcie_generation or 0)
    if one_way and card.form_factor == "SXM2":
        one_way = max(one_way, card.nvlink_gb_per_s / 2) if card.nvlink_gb_per_s else None
    return one_way * (2 if figure.direction == "bidir_sum" else 1) if one_way else None


def _linpack_peak(figure: Measurement, card: Gpu) -> float | None:
    """Unknown where the output does not say how many cards worked."""
    said = figure.n_gpus is not None or figure.device_ordinal is not None
    return _FP64_MATRIX * card.fp64_tflops if said and figure.dtype == "fp64" and card.fp64_tflops else None


def _matrix_peak(figure: Measurement, card: Gpu) -> float | None:
    """Of tensor cores unless the tool says that they did not work; twice the dense rate for 2:4 sparse operands.

    No column of `gpu` holds FP64 on tensor cores: at most twice the vector rate.
    """
    if figure.tensor_core == "no":
        return _named(card, _VECTOR.get(figure.dtype or ""))
    if figure.dtype == "fp16":
        rates = [card.fp16_tensor_tflops, card.fp16_tensor_fp16_accumulate_tflops]
    elif figure.dtype == "fp32":  # libraries may compute it as TF32
        rates = [card.fp32_tflops, card.tf32_tensor_tflops]
    elif figure.dtype == "fp64":
        rates = [_FP64_MATRIX * card.fp64_tflops if card.fp64_tflops else None]
    else:
        rates = [_named(card, _DENSE_TENSOR.get(figure.dtype or ""))]
    known = [rate for rate in rates if rate is not None]
    return max(known) * (2 if figure.sparsity == "sparse" else 1) if known else None


def _named(card: Gpu, column: str | None) -> float | None:
    return getattr(card, column) if column else None
