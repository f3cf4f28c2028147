"""One process per device, with NCCL on CUDA and Gloo on a processor, and timing in them that needs no model.

The processes find each other through a file and return their figures through another: no port is opened for it.
"""

import json
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import distributed, multiprocessing

from benchmarks.suite.timing import wall_seconds

LONGEST_WAIT_S = 3600.0  # of one join, which accepts no infinite timeout
Task = Callable[[torch.device, int], dict[str, list[float]]]  # device, processes -> seconds by name


def together(devices: tuple[torch.device, ...], task: Task, deadline: float) -> dict[str, list[float]]:
    """Run a task on every device at once, one process each, and return the figures of the first.

    Raises TimeoutError at the deadline, of time.monotonic(), after ending the processes, and RuntimeError if one failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        arguments = (devices, task, folder)
        try:
            started = multiprocessing.spawn(_process, arguments, nprocs=len(devices), join=False)  # type: ignore[attr-defined,no-untyped-call]
            _wait(started, deadline)
        except multiprocessing.ProcessRaisedException as error:  # type: ignore[attr-defined]
            raise RuntimeError(str(error).strip().splitlines()[-1]) from None  # without the traceback of the process
        seconds: dict[str, list[float]] = json.loads((Path(folder) / "seconds.json").read_text())
        return seconds


def _wait(started: Any, deadline: float) -> None:
    """Join a torch ProcessContext; at the deadline end its processes."""
    while not started.join(timeout=min(LONGEST_WAIT_S, max(0.0, deadline - time.monotonic()))):
        if time.monotonic() > deadline:
            for process in started.processes:
                process.kill()
                process.join()
            raise TimeoutError


def _process(rank: int, devices: tuple[torch.device, ...], task: Task, folder: str) -> None:
    device = devices[rank]
    if device.type == "cuda":
        torch.cuda.set_device(device)
    else:
        torch.set_num_threads(1)
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # tested within one machine only
    backend = "nccl" if device.type == "cuda" else "gloo"
    meeting = f"file://{folder}/meeting"
    distributed.init_process_group(backend, init_method=meeting, rank=rank, world_size=len(devices))
    try:
        seconds = task(device, len(devices))
    finally:
        distributed.destroy_process_group()
    if rank == 0:
        (Path(folder) / "seconds.json").write_text(json.dumps(seconds))


def reduce_seconds(device: torch.device, processes: int, *, sizes: tuple[int, ...], repetitions: int) -> dict[str, list[float]]:
    """Seconds of an all-reduce by size in bytes; a wrong sum is an error."""
    seconds_by_size = {}
    for size in sizes:
        values = torch.ones(size // 4, device=device)
        distributed.all_reduce(values)
        if not bool((values == processes).all()):
            raise RuntimeError("all-reduce gave a wrong sum")
        values.zero_()  # repeated sums would overflow
        call = partial(distributed.all_reduce, values)
        seconds_by_size[str(size)] = [at_once(device, call) for _ in range(repetitions)]
    return seconds_by_size


def at_once(device: torch.device, call: Callable[[], object]) -> float:
    distributed.barrier()
    return wall_seconds(device, call)
