"""Number formats of arithmetic: support by devices, and the torch settings that select them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

# Compute capability from which tensor cores support the format. Source: CUDA C++ Programming Guide, table of supported types.
TENSOR_CORES_SINCE = {"fp16": (7, 0), "int8": (7, 5), "tf32": (8, 0), "bf16": (8, 0), "fp8": (8, 9)}
AUTOCAST = {"fp16": torch.float16, "bf16": torch.bfloat16}


class UnavailableError(Exception):
    """The device lacks something that a workload needs; the message names it."""


def missing(name: str, device: torch.device) -> str | None:
    """Reason why a format cannot be measured on a device; None if it can."""
    if device.type != "cuda":
        return "TF32 exists on CUDA devices alone" if name == "tf32" else None
    least = TENSOR_CORES_SINCE.get(name, (0, 0))
    if name == "fp16" or torch.cuda.get_device_capability(device) >= least:
        return None
    return f"{name} needs compute capability {least[0]}.{least[1]}"


def tensor_core(name: str, device: torch.device) -> str:
    """Use of tensor cores by matrix products in this format: yes or no."""
    if device.type != "cuda" or name not in TENSOR_CORES_SINCE:
        return "no"
    return "yes" if torch.cuda.get_device_capability(device) >= TENSOR_CORES_SINCE[name] else "no"


@contextmanager
def fp32_arithmetic(name: str) -> Iterator[None]:
    """Compute FP32 products, convolutions and recurrent layers as TF32 if `name` is tf32, else exactly."""
    cudnn: Any = torch.backends.cudnn
    places: tuple[Any, ...] = (torch.backends.cuda.matmul, cudnn.conv, cudnn.rnn)
    before = [place.fp32_precision for place in places]
    for place in places:
        place.fp32_precision = "tf32" if name == "tf32" else "ieee"
    try:
        yield
    finally:
        for place, old in zip(places, before, strict=True):
            place.fp32_precision = old


def autocast(name: str, device: torch.device) -> torch.autocast:
    """Mixed precision for fp16 and bf16; no change for fp32 and tf32."""
    return torch.autocast(device.type, AUTOCAST.get(name, torch.bfloat16), enabled=name in AUTOCAST)
