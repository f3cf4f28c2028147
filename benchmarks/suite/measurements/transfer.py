"""Bandwidth of the links: between host and device from pageable and pinned memory, and between devices."""

import itertools
from collections.abc import Callable, Iterator

import torch

from benchmarks.suite.context import Context
from benchmarks.suite.machine.precision import UnavailableError
from benchmarks.suite.result import MeasuredFigure
from benchmarks.suite.timing import build_figure, time_calls, wall_seconds, wall_times

PEER_COPIES = 8  # per measurement, since two devices have no common event


def measure_host(context: Context) -> Iterator[MeasuredFigure]:
    """Yield rates in GB/s of bytes moved, per size, kind of host memory and direction."""
    if context.device.type != "cuda":
        raise UnavailableError("a processor has no link to itself")
    for size, pinned in itertools.product(context.profile.transfer_bytes, (False, True)):
        yield from _of_host(context, size, pinned)


def _of_host(context: Context, size: int, pinned: bool) -> Iterator[MeasuredFigure]:
    host = torch.ones(size, dtype=torch.uint8, pin_memory=pinned)
    there = torch.zeros(size, dtype=torch.uint8, device=context.device)
    calls: dict[str, Callable[[], object]] = {
        "h2d": lambda: there.copy_(host, non_blocking=pinned),
        "d2h": lambda: host.copy_(there, non_blocking=pinned),
    }
    kind = "pinned" if pinned else "pageable"
    for direction, call in calls.items():
        rates = [size / seconds / 1e9 for seconds in time_calls(context.device, call, context.clock)]
        common = {"device": context.ordinal, "n_gpus": 1, "size_bytes": size, "engine": "ce" if pinned else None}
        settings = {"host_memory": kind}
        yield build_figure("copy_bandwidth", rates, test=f"{direction} {kind}", direction=direction, settings=settings, **common)


def measure_peers(context: Context) -> Iterator[MeasuredFigure]:
    """Yield rates in GB/s between each two devices: one way, and both ways at once with both directions summed."""
    if len(context.devices) < 2:
        raise UnavailableError("one device alone has no peer")
    size = max(context.profile.transfer_bytes)
    for one, other in itertools.permutations(context.devices, 2):
        yield _between(context, (one, other), size, both=False)
        if one.index < other.index:
            yield _between(context, (one, other), size, both=True)


def _between(context: Context, pair: tuple[torch.device, torch.device], size: int, *, both: bool) -> MeasuredFigure:
    copies = [_copier(*pair, size), _copier(*pair[::-1], size)] if both else [_copier(*pair, size)]

    def together() -> None:
        for _ in range(PEER_COPIES):
            for copy in copies:
                copy()
        torch.cuda.synchronize(pair[1])

    wall_seconds(pair[0], together)  # warm-up: establishes peer access
    times = wall_times(pair[0], together, context.profile.repetitions, context.deadline)
    rates = [len(copies) * PEER_COPIES * size / seconds / 1e9 for seconds in times]
    common = {"device": pair[0].index, "peer": pair[1].index, "n_gpus": 2, "size_bytes": size}
    direction = "bidir_sum" if both else "uni"
    settings = {"peer_access": str(torch.cuda.can_device_access_peer(*pair)).lower()}
    return build_figure("peer_bandwidth", rates, test="peer copy", direction=direction, settings=settings, **common)


def _copier(source: torch.device, target: torch.device, size: int) -> Callable[[], None]:
    """Return a function that copies on its own stream, so that two copies run at once."""
    here = torch.ones(size, dtype=torch.uint8, device=source)
    there = torch.zeros(size, dtype=torch.uint8, device=target)
    stream, other = torch.cuda.Stream(source), torch.cuda.Stream(target)

    def copy() -> None:
        with torch.cuda.stream(stream), torch.cuda.stream(other):
            there.copy_(here, non_blocking=True)

    return copy
