"""Bandwidth of a device's own memory: a copy, and the triad a = b + s * c of STREAM, on buffers far larger than the cache."""

from collections.abc import Callable, Iterator

import torch

from benchmarks.suite.context import Context
from benchmarks.suite.machine.memory_limits import free_bytes
from benchmarks.suite.machine.precision import UnavailableError
from benchmarks.suite.result import MeasuredFigure
from benchmarks.suite.timing import build_figure, l2_cache_bytes, time_calls

LEAST_CACHES = 4  # a buffer this many times the L2 cache cannot be served from it
_WIDTH = 4  # bytes of an fp32 element


def measure(context: Context) -> Iterator[MeasuredFigure]:
    """Yield rates in GB/s of bytes read and written: two per byte of the buffer for copy, three for triad."""
    sizes = [size for size in context.profile.memory_bytes if _fits(size, context.device)]
    if not sizes:
        raise UnavailableError(f"no buffer of the profile is between {LEAST_CACHES} L2 caches and a quarter of the free memory")
    for size in sizes:
        yield from _of_size(context, size)


def _fits(size: int, device: torch.device) -> bool:
    free = free_bytes(device)
    return size >= LEAST_CACHES * l2_cache_bytes(device) and (free is None or 4 * size <= free)


def _of_size(context: Context, size: int) -> Iterator[MeasuredFigure]:
    a, b, c = (torch.rand(size // _WIDTH, device=context.device) for _ in range(3))
    kernels: dict[str, tuple[int, Callable[[], object]]] = {
        "copy": (2, lambda: a.copy_(b)),
        "triad": (3, lambda: torch.add(b, c, alpha=0.4, out=a)),
    }
    for name, (passes, kernel) in kernels.items():
        seconds = time_calls(context.device, kernel, context.clock)
        rates = [passes * a.numel() * _WIDTH / s / 1e9 for s in seconds]
        correct = torch.equal(a, b if name == "copy" else torch.add(b, c, alpha=0.4))
        common = {"device": context.ordinal, "n_gpus": 1, "dtype": "fp32", "size_bytes": size, "correct": correct}
        yield build_figure("memory_bandwidth", rates, test=name, **common)
