"""GPU of a machine, for outputs that do not name it: the device listings of its folder, or the uploader, state it.

A name is resolved with its origin: the GPU driver prints "NVIDIA H200" for the SXM module alone, a person types it for any.
A hint passes name, origin, memory and count on, so that it resolves in every output as it does in the listing.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from benchmarks.formats.core import ParsedRun
from pipeline import gpu_identity
from pipeline.gpu_identity import Resolution
from pipeline.schema.benchmarks import BenchmarkDevice

MIB_PER_GIB = 1024
_CONTEXT = {"driver": "driver", "opencl": "driver", "label": ""}  # OpenCL passes the driver's names on
_DRIVER_NAME = re.compile(r"(?:NVIDIA|Tesla|Quadro|GRID|GeForce) \S")
_ATTACHED = re.compile(r"(?:^|; )attached_gpus=(\d+)")
# metrics of an idle GPU: a run with no others identifies the GPU and measures nothing
_STATE_METRICS = {"power", "temperature", "sm_clock", "utilisation", "peak_memory"}


@dataclass(frozen=True, slots=True)
class DeviceHint:
    """The GPU of a machine. `source` is output (of the same file), sibling or user; `count` is None where it is not stated."""

    source: str
    name_raw: str
    memory_total_mib: float | None = None
    named_by: str = "driver"
    count: int | None = None


def hint_of_user(name: str, count: int | None) -> DeviceHint:
    """The hint of a name that the uploader types: the driver's own form of it means what the driver means."""
    return DeviceHint("user", name, named_by="driver" if _DRIVER_NAME.match(name) else "label", count=count)


def hint_from_listings(runs: Iterable[ParsedRun], source: str) -> DeviceHint | None:
    """The GPU that nvidia-smi, deviceQuery or the like list; None if they list none, several models, or MIG slices.

    The count is unknown if a listing is not of all GPUs of the machine, or two listings differ.
    """
    listings = [run for run in runs if lists_devices_only(run)]
    devices = [device for run in listings for device in run.devices]
    names = {device.name_raw for device in devices}
    if len(names) != 1 or None in names or any(device.mig for device in devices):
        return None
    memory = max((device.memory_total_mib for device in devices if device.memory_total_mib), default=None)
    counts = {_count(run) for run in listings}
    return DeviceHint(source, str(devices[0].name_raw), memory, devices[0].named_by, counts.pop() if len(counts) == 1 else None)


def _count(run: ParsedRun) -> int | None:
    """GPUs of the machine; None if the listing breaks off, or states another number than it lists."""
    attached = _ATTACHED.search(run.run.args or "")
    is_whole = run.run.status == "ok" and (attached is None or int(attached[1]) == len(run.devices))
    return len(run.devices) if is_whole else None


def lists_devices_only(run: ParsedRun) -> bool:
    """Return whether the run lists devices and measures none."""
    return bool(run.devices) and not has_benchmark_figures(run)


def has_benchmark_figures(run: ParsedRun) -> bool:
    """Return whether the run has figures of a benchmark, beyond the state of the GPU."""
    return any(figure.metric not in _STATE_METRICS for figure in run.measurements)


def resolve_device(device: BenchmarkDevice, memory_mib: float | None) -> Resolution:
    """Resolve the name of a device by its origin. The driver's MiB are compared with the vendors' GB as GiB."""
    return resolve_name(str(device.name_raw), device.named_by, memory_mib)


@lru_cache(maxsize=4096)
def resolve_name(name: str, named_by: str, memory_mib: float | None) -> Resolution:
    """Resolve a name of the given origin, as `resolve_device`."""
    return gpu_identity.resolve(name, _CONTEXT[named_by], memory_mib / MIB_PER_GIB if memory_mib else None)
