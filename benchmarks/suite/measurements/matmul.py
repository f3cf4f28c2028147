"""Rate of dense matrix products in every number format: over square shapes, and at the best shape that a search finds.

The operations of a product are 2 m n k. The 32 x 32 case of the textbooks is measured twice: alone, which measures the launch,
and as many independent products in one call.
"""

import statistics
from collections.abc import Iterator
from typing import Any

import torch

from benchmarks.suite.context import Context
from benchmarks.suite.machine.memory_limits import free_bytes
from benchmarks.suite.machine.precision import fp32_arithmetic, missing, tensor_core
from benchmarks.suite.measurements.products import PRODUCTS, Product, is_correct, operands
from benchmarks.suite.result import MeasuredFigure
from benchmarks.suite.timing import Clock, build_figure, time_calls

Shape = tuple[int, int, int]  # m, n, k
TILE = (128, 256)  # per multiprocessor in the large kernels; shapes of whole waves of tiles leave none idle
SMALL_EDGE = 32
FINALISTS = 3
_LARGEST_ELEMENT_BYTES = 4


def measure(context: Context) -> Iterator[MeasuredFigure]:
    """Yield TFLOP/s (TOP/s for integers) per format and shape, for the formats that the device has."""
    for product in PRODUCTS:
        if missing(product.dtype, context.device) is None:
            with fp32_arithmetic(product.dtype):
                yield from _of_product(context, product)


def _of_product(context: Context, product: Product) -> Iterator[MeasuredFigure]:
    correct = is_correct(product, context.device)
    for edge in context.profile.matmul_edges:
        rates = _rates(context, product, (edge, edge, edge), context.clock)
        yield _figure(context, product, rates, (edge, edge, edge), test=f"{product.name} square", correct=correct)
    if product.dtype not in ("fp8", "int8"):
        yield _many_small(context, product)
    if context.profile.best_shape_edges:
        shape, rates = best_shape(context, product)
        yield _figure(context, product, rates, shape, test=f"{product.name} best shape", correct=correct)


def _rates(context: Context, product: Product, shape: Shape, clock: Clock) -> list[float]:
    m, n, k = shape
    a, b = operands(product.dtype, m, n, k, context.device)
    return [2 * m * n * k / s / 1e12 for s in time_calls(context.device, lambda: product.multiply(a, b), clock)]


def _many_small(context: Context, product: Product) -> MeasuredFigure:
    edge, count = SMALL_EDGE, context.profile.matmul_batch
    dtype = operands(product.dtype, 1, 1, 1, context.device)[0].dtype
    a, b = (torch.randn(count, edge, edge, device=context.device, dtype=dtype) for _ in range(2))
    seconds = time_calls(context.device, lambda: torch.bmm(a, b), context.clock)
    rates = [2 * count * edge**3 / s / 1e12 for s in seconds]
    return _figure(context, product, rates, (edge, edge, edge), test=f"{product.name} many small", products=count)


def best_shape(context: Context, product: Product) -> tuple[Shape, list[float]]:
    """Time all candidates briefly and the best few thoroughly; return the fastest shape and its rates."""
    shapes = [shape for shape in candidates(context) if _fits(shape, context.device)]
    brief = {shape: statistics.median(_rates(context, product, shape, context.quick_clock)) for shape in shapes}
    finalists = sorted(brief, key=brief.__getitem__, reverse=True)[:FINALISTS]
    timed = {shape: _rates(context, product, shape, context.clock) for shape in finalists}
    best = max(timed, key=lambda shape: statistics.median(timed[shape]))
    return best, timed[best]


def candidates(context: Context) -> list[Shape]:
    """Squares, squares with half and double depth, and shapes that give each multiprocessor the same number of tiles."""
    edges = context.profile.best_shape_edges
    shapes = {(edge, edge, depth) for edge in edges for depth in (edge // 2, edge, 2 * edge)}
    if context.device.type == "cuda":
        count = torch.cuda.get_device_properties(context.device).multi_processor_count
        rows = max(d for d in range(1, int(count**0.5) + 1) if count % d == 0)
        wave = (TILE[0] * rows, TILE[1] * count // rows)
        shapes |= {(wave[0] * n, wave[1] * n, depth) for n in (1, 2, 4, 6) for depth in edges}
    return sorted(shapes)


def _fits(shape: Shape, device: torch.device) -> bool:
    m, n, k = shape
    free = free_bytes(device)
    return free is None or 2 * _LARGEST_ELEMENT_BYTES * (m * k + k * n + m * n) <= free


def _figure(context: Context, product: Product, rates: list[float], shape: Shape, **common: Any) -> MeasuredFigure:
    m, n, k = shape
    products = common.pop("products", 1)
    return build_figure(
        product.metric,
        rates,
        device=context.ordinal,
        n_gpus=1,
        dtype=product.dtype,
        tensor_core=tensor_core(product.dtype, context.device),
        settings={"m": str(m), "n": str(n), "k": str(k), "products": str(products)},
        **common,
    )
