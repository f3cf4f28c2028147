"""Several devices together: all-reduce, and data-parallel training."""

import math
from collections.abc import Iterator
from functools import partial

import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

from benchmarks.suite.context import Context
from benchmarks.suite.machine.precision import UnavailableError, fp32_arithmetic
from benchmarks.suite.measurements.protocol import cudnn_search, epoch
from benchmarks.suite.networks.models import MODELS
from benchmarks.suite.networks.training import Trainer
from benchmarks.suite.processes import reduce_seconds, together
from benchmarks.suite.profiles import Profile
from benchmarks.suite.result import MeasuredFigure
from benchmarks.suite.timing import build_figure

DATA_PARALLEL = ("resnet50", "bert-base")


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
