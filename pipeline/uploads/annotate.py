"""Parsed runs to rows of the tables: run_id, the GPU of each device, the origin of its name, and flags.

Printed figures are never corrected here; a figure that cannot be true is flagged.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from benchmarks.formats import ParsedRun
from pipeline import gpu_identity
from pipeline.fetch import snapshots
from pipeline.gpu_identity import Resolution
from pipeline.readers import RefusedError
from pipeline.schema.benchmarks import BenchmarkDevice, Measurement
from pipeline.schema.specs import Gpu
from pipeline.uploads import plausibility
from pipeline.uploads.serialization import ParsedUpload
from sources import Accepted
from sources.specs import gpuledger_compiled

NAME = re.compile(r"[A-Za-z0-9 ._()/+-]{1,80}")
MAX_UNNAMED = 64
MIB_PER_GIB = 1024
# metrics of an idle GPU: a run with no others identifies the GPU and measures nothing
_STATE_METRICS = {"power", "temperature", "sm_clock", "utilisation", "peak_memory"}


@dataclass(frozen=True, slots=True)
class DeviceHint:
    """The GPU of a machine, for outputs that do not name it. `source` is output (of the same file), sibling or user."""

    source: str
    name_raw: str
    memory_total_mib: float | None = None


def load_gpus(data: Path) -> dict[str, Gpu]:
    """Specifications by gpu_id, for comparison with measured figures."""
    files = snapshots.stored_files(gpuledger_compiled.SOURCE, data)
    items = [item for file in files for item in gpuledger_compiled.parse(file.document())]
    rows = [item.row for item in items if isinstance(item, Accepted)]
    return {row.gpu_id: row for row in rows if isinstance(row, Gpu)}


def annotate_runs(parsed: ParsedUpload, sha256: str, hint: DeviceHint | None, gpus: Mapping[str, Gpu]) -> list[ParsedRun]:
    """Return the runs with their keys, GPUs and flags filled in; `sha256` is the hash of the uploaded bytes.

    Raises RefusedError NAME_NOT_ALLOWED.
    """
    runs = [run for run, _ in parsed.runs]
    for name in {device.name_raw for run in runs for device in run.devices if device.name_raw is not None}:
        if not NAME.fullmatch(name):
            raise RefusedError("NAME_NOT_ALLOWED", f"{name[:80]!a} is no device name: only letters, digits and ._()/+- are")
    hint = hint_from_listings(runs, "output") or hint
    return [_annotate_run(run, version, (sha256, index), hint, gpus) for index, (run, version) in enumerate(parsed.runs)]


def hint_from_listings(runs: Iterable[ParsedRun], source: str) -> DeviceHint | None:
    """The GPU that nvidia-smi, deviceQuery or the like list; None if they list none, several models, or MIG slices."""
    devices = [device for run in runs if lists_devices_only(run) for device in run.devices]
    names = {device.name_raw for device in devices}
    if len(names) != 1 or None in names or any(device.mig for device in devices):
        return None
    memory = max((device.memory_total_mib for device in devices if device.memory_total_mib), default=None)
    return DeviceHint(source, str(devices[0].name_raw), memory)


def lists_devices_only(run: ParsedRun) -> bool:
    """Return whether the run lists devices and measures none."""
    return bool(run.devices) and not has_benchmark_figures(run)


def has_benchmark_figures(run: ParsedRun) -> bool:
    """Return whether the run has figures of a benchmark, beyond the state of the GPU."""
    return any(figure.metric not in _STATE_METRICS for figure in run.measurements)


def _annotate_run(
    run: ParsedRun, version: int, place: tuple[str, int], hint: DeviceHint | None, gpus: Mapping[str, Gpu]
) -> ParsedRun:
    upload, index = place
    run_id = hashlib.sha256(f"{upload} {index}".encode()).hexdigest()
    devices = [_resolve(device, run, run_id, hint) for device in _devices(run, hint)]
    by_ordinal = {device.ordinal: device for device in devices}
    figures = [
        replace(figure, run_id=run_id, ordinal=ordinal, flags=_flags(figure, by_ordinal, run, gpus))
        for ordinal, figure in enumerate(run.measurements)
    ]
    row = replace(run.run, run_id=run_id, upload_sha256=upload, block_index=index, parser_version=version)
    return ParsedRun(run=row, devices=devices, measurements=figures)


def _devices(run: ParsedRun, hint: DeviceHint | None) -> list[BenchmarkDevice]:
    """The devices that the output lists; with a hint and no list, the devices that its figures refer to."""
    if run.devices or hint is None:
        return run.devices
    ordinals = {n for figure in run.measurements for n in (figure.device_ordinal, figure.peer_ordinal) if n is not None}
    count = max((figure.n_gpus or 1 for figure in run.measurements), default=1)
    if max(len(ordinals), count) > MAX_UNNAMED:
        return []
    return [BenchmarkDevice(ordinal=n, name_raw=None) for n in sorted(ordinals) or range(count)]


def _resolve(device: BenchmarkDevice, run: ParsedRun, run_id: str, hint: DeviceHint | None) -> BenchmarkDevice:
    """Fill in the device's gpu_id; a name or memory size that the output lacks comes from the hint.

    A MIG slice or another fraction has no gpu_id: its figures are not those of the whole GPU.
    """
    if hint and device.name_raw is None:
        device = replace(device, name_raw=hint.name_raw, identity_source=hint.source)
    memory = device.memory_total_mib
    if hint and memory is None and device.name_raw == hint.name_raw:
        memory = hint.memory_total_mib
    resolution = resolve_device(device.name_raw, run.run.tool, memory) if device.name_raw and not device.mig else None
    is_whole = resolution is not None and resolution.partition == "whole"
    return replace(device, run_id=run_id, gpu_id=resolution.gpu_id if resolution and is_whole else None)


@lru_cache(maxsize=4096)
def resolve_device(name: str, tool: str, memory_mib: float | None) -> Resolution:
    """Resolve a device name to a GPU. The driver's MiB are compared with the vendors' GB as GiB."""
    return gpu_identity.resolve(name, tool, memory_mib / MIB_PER_GIB if memory_mib else None)


def _flags(figure: Measurement, devices: Mapping[int, BenchmarkDevice], run: ParsedRun, gpus: Mapping[str, Gpu]) -> str | None:
    """The flags that the format has set and those of this module, sorted."""
    flags = set((figure.flags or "").split(",")) - {""}
    ordinals = [n for n in (figure.device_ordinal, figure.peer_ordinal) if n is not None]
    involved = [devices[n] for n in ordinals if n in devices] if ordinals else list(devices.values())
    gpu_ids = {device.gpu_id for device in involved}
    if None in gpu_ids or len(involved) < max(1, len(ordinals)):
        flags.add("device_unresolved")
    if any(_is_foreign(device, run.run.tool, gpus) for device in {(d.gpu_id, d.name_raw): d for d in involved}.values()):
        flags.add("non_cuda")
    if len(gpu_ids) == 1 and (gpu := gpus.get(str(*gpu_ids))):
        flags |= set(plausibility.find_flags(figure, gpu, len(involved)))
    return ",".join(sorted(flags)) or None


def _is_foreign(device: BenchmarkDevice, tool: str, gpus: Mapping[str, Gpu]) -> bool:
    """Return whether the device is a GPU of another vendor than NVIDIA, or no GPU at all."""
    if gpu := gpus.get(device.gpu_id or ""):
        return gpu.vendor != "NVIDIA"
    return bool(device.name_raw) and resolve_device(str(device.name_raw), tool, None).reason_code == "NOT_A_GPU"
