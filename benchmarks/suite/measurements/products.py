"""Matrix products in each number format: operands, the call, and the check of the result against float64."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import torch

Pair = tuple[torch.Tensor, torch.Tensor]

# Largest error of a sum of 128 products, relative to its largest element: the rounding of the result's own format plus that of
# the operands for TF32 (10 bits), and of the shorter sums for FP8.
TOLERANCES = {"fp32": 1e-5, "tf32": 5e-3, "fp16": 4e-3, "bf16": 1e-2, "fp8": 1e-2, "int8": 0.0}
CHECKED_EDGE = 128


class Product(NamedTuple):
    """A matrix product: its name, number format, and call on two operands (m x k, k x n)."""

    name: str
    dtype: str
    multiply: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

    @property
    def metric(self) -> str:
        return "integer_throughput" if self.dtype == "int8" else "matrix_throughput"


def _scaled(fast: bool) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    """FP8 (e4m3) with one scale per operand; `fast` allows the tensor cores shorter accumulation."""

    def multiply(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch._scaled_mm(a, b, _one(a.device), _one(a.device), out_dtype=torch.bfloat16, use_fast_accum=fast)

    return multiply


@cache
def _one(device: torch.device) -> torch.Tensor:
    return torch.ones((), dtype=torch.float32, device=device)


_FLOATS = {"fp32": torch.float32, "tf32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
PRODUCTS = (
    *(Product(name, name, torch.matmul) for name in _FLOATS),
    Product("fp8", "fp8", _scaled(fast=False)),
    Product("fp8 fast accumulation", "fp8", _scaled(fast=True)),
    Product("int8", "int8", torch._int_mm),
)


def operands(dtype: str, m: int, n: int, k: int, device: torch.device) -> Pair:
    """Fresh random operands, m x k and k x n. FP8 and INT8 kernels require the second in column order."""
    if dtype == "int8":
        first, second = (torch.randint(-128, 128, (edge, k), dtype=torch.int8, device=device) for edge in (m, n))
        return first, second.t()
    if dtype == "fp8":
        first, second = (torch.randn(edge, k, device=device, dtype=torch.bfloat16).to(torch.float8_e4m3fn) for edge in (m, n))
        return first, second.t()
    return torch.randn(m, k, device=device, dtype=_FLOATS[dtype]), torch.randn(k, n, device=device, dtype=_FLOATS[dtype])


def relative_error(product: Product, device: torch.device) -> float:
    """Largest difference from the float64 product of the same operands, relative to its largest element."""
    a, b = operands(product.dtype, CHECKED_EDGE, CHECKED_EDGE, CHECKED_EDGE, device)
    exact = a.cpu().to(torch.float64) @ b.cpu().to(torch.float64)
    result = product.multiply(a, b).cpu().to(torch.float64)
    return float((result - exact).abs().max() / exact.abs().max())


def is_correct(product: Product, device: torch.device) -> bool:
    """Return whether a small product agrees with float64 within the format's tolerance."""
    return relative_error(product, device) <= TOLERANCES[product.dtype]
