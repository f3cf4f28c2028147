"""Several devices together: all-reduce, and data-parallel training.

One process per device, with NCCL on CUDA and Gloo on a processor. They find each other through a file and return their figures
through another: no port is opened for it.
"""

import json
import math
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import distributed, multiprocessing
from torch.nn.parallel import DistributedDataParallel

from benchmarks.suite.context import Context
from benchmarks.suite.machine.precision import UnavailableError, fp32_arithmetic
from benchmarks.suite.measurements.protocol import cudnn_search, epoch
from benchmarks.suite.networks.models import MODELS
from benchmarks.suite.networks.training import Trainer
from benchmarks.suite.profiles import Profile
from benchmarks.suite.result import MeasuredFigure
from benchmarks.suite.timing import build_figure, wall_seconds

DATA_PARALLEL = ("resnet50", "bert-base")
LONGEST_WAIT_S = 3600.0  # of one join, which accepts no infinite timeout
Task = Callable[[torch.device, int], dict[str, list[float]]]  # device, processes -> seconds by name


def all_reduce(context: Context) -> Iterator[MeasuredFigure]:
    """Yield the bus bandwidth of an all-reduce, GB/s: bytes / time x 2 (n - 1) / n, as NVIDIA's nccl-tests define it."""
    count = _device_count(context)
    profile = context.profile
    task = partial(reduce_seconds, sizes=profile.transfer_bytes, repetitions=profile.repetitions)
    seconds_by_size = together(context.devices, task, context.deadline)
    for size, seconds in seconds_by_size.items():
        algorithm = [int(size) / s / 1e9 for s in seconds]
        common = {"test": "all-reduce", "n_gpus": count, "dtype": "fp32", "size_bytes": int(size)}
        yield build_figure("collective_bus_bandwidth", [rate * 2 * (count - 1) / count for rate in algorithm], **common)
        yield build_figure("collective_algorithm_bandwidth", algorithm, **common)
        yield build_figure("collective_time", [s * 1e6 for s in seconds], **common)


def data_parallel(context: Context) -> Iterator[MeasuredFigure]:
    """Yield items per second of all devices together, each at the model's stated batch."""
    count, profile = _device_count(context), context.profile
    for name in DATA_PARALLEL:
        model = MODELS[name]
        batch = context.batch or model.batch_of(tiny=profile.tiny)
        for precision in context.usable(context.precisions):
            task = partial(epoch_seconds, model=name, precision=precision, batch=batch, profile=profile)
            seconds = together(context.devices, task, context.deadline)["epoch"]
            rates = [count * batch * profile.epoch_steps / s for s in seconds]
            common = {"n_gpus": count, "batch_size": batch, "dtype": precision, "item": model.item}
            settings = {"model": name, "input": model.shape(profile.tiny), "precision": precision, "parallel": "data"}
            yield build_figure("training_throughput", rates, test=f"{name} data parallel", settings=settings, **common)


def _device_count(context: Context) -> int:
    if len(context.devices) < 2:
        raise UnavailableError("one device alone has none to work with")
    return len(context.devices)


def epoch_seconds(
    device: torch.device, processes: int, *, model: str, precision: str, batch: int, profile: Profile
) -> dict[str, list[float]]:
    """Seconds of counted epochs, after one to warm up, with gradients averaged over the processes.

    It has no deadline, because one process that stopped alone would block the others; `together` ends them all.
    """
    trainer = Trainer(MODELS[model], precision, device, tiny=profile.tiny)
    ids = [device.index] if device.type == "cuda" else None
    trainer.wrap(DistributedDataParallel(trainer.network, device_ids=ids))
    with cudnn_search(True), fp32_arithmetic(precision):
        return {"epoch": [_together(trainer, batch, profile.epoch_steps) for _ in range(profile.runs + 1)][1:]}


def _together(trainer: Trainer, batch: int, steps: int) -> float:
    """Seconds of an epoch that all processes start at once."""
    distributed.barrier()
    seconds, _ = epoch(trainer, batch, steps, math.inf)
    return seconds


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
