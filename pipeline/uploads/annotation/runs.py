"""Parsed runs to rows of the tables: run_id, the GPU of each device, the origin of its name, and flags.

Printed figures are never corrected here; a figure that cannot be true is flagged.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.formats.core import ParsedRun
from pipeline.gpu_identity import Resolution
from pipeline.schema.benchmarks import BenchmarkDevice, Measurement
from pipeline.schema.specs import Gpu
from pipeline.uploads.annotation import language_models, links, plausibility
from pipeline.uploads.annotation.hints import DeviceHint, hint_from_listings, resolve_device
from pipeline.uploads.annotation.language_models import Layers
from pipeline.uploads.serialization import ParsedUpload
from sources.specs import gpuledger_compiled

NAME = re.compile(r"[A-Za-z0-9 ._()/+-][A-Za-z0-9 ._()/+,:@[\]-]{0,79}")
MAX_UNNAMED = 64


@dataclass(frozen=True, slots=True)
class _Machine:
    """The devices of a run by number, whether its output lists or numbers them, and the count that a listing states."""

    devices: Mapping[int, BenchmarkDevice]
    is_listed: bool
    count: int | None

    def involved(self, figure: Measurement) -> list[BenchmarkDevice]:
        """The devices that the figure refers to: all if it names none."""
        ordinals = _ordinals(figure)
        return [self.devices[n] for n in ordinals if n in self.devices] if ordinals else list(self.devices.values())


@dataclass(frozen=True, slots=True)
class Reference:
    """Facts that figures are compared with: specifications by gpu_id, and the layers of language models."""

    gpus: Mapping[str, Gpu]
    layers: Layers = ()


def load_reference(data: Path) -> Reference:
    """Load the facts of a data folder."""
    gpus = language_models.stored_rows(gpuledger_compiled, data, Gpu)
    return Reference({gpu.gpu_id: gpu for gpu in gpus}, language_models.load_layers(data))


def annotate_runs(parsed: ParsedUpload, sha256: str, hint: DeviceHint | None, known: Reference) -> list[ParsedRun]:
    """Return the runs with their keys, GPUs and flags filled in; `sha256` is the hash of the uploaded bytes."""
    runs = [replace(run, devices=[_without_odd_name(device) for device in run.devices]) for run in parsed.runs]
    hint = hint_from_listings(runs, "output") or hint
    return [_annotate_run(run, (sha256, index), hint, known) for index, run in enumerate(runs)]


def _without_odd_name(device: BenchmarkDevice) -> BenchmarkDevice:
    """Empty a name that no driver prints: it would reach every page and table."""
    if device.name_raw is None or NAME.fullmatch(device.name_raw):
        return device
    reason = "NAME_NOT_ALLOWED: the printed name has other characters than letters, digits, space and ._()/+-,:@[], or over 80"
    return replace(device, name_raw=None, unresolved=reason)


def _annotate_run(run: ParsedRun, place: tuple[str, int], hint: DeviceHint | None, known: Reference) -> ParsedRun:
    upload, index = place
    run_id = hashlib.sha256(f"{upload} {index}".encode()).hexdigest()
    devices = [_resolve(device, run_id, hint) for device in _devices(run, hint)]
    is_listed = bool(run.devices) or any(_ordinals(figure) for figure in run.measurements)
    machine = _Machine({device.ordinal: device for device in devices}, is_listed, hint.count if hint else None)
    edited = {id(figure) for figure in links.contradicting(run.measurements)}
    figures = [
        replace(figure, run_id=run_id, ordinal=ordinal, flags=_flags(figure, machine, known, edited=id(figure) in edited))
        for ordinal, figure in enumerate(run.measurements)
    ]
    row = replace(run.run, run_id=run_id, upload_sha256=upload, block_index=index)
    return ParsedRun(run=row, devices=devices, measurements=figures)


def _devices(run: ParsedRun, hint: DeviceHint | None) -> list[BenchmarkDevice]:
    """The devices that the output lists; with a hint and no list, those that its figures refer to, else all of the machine."""
    if run.devices or hint is None:
        return run.devices
    ordinals = {n for figure in run.measurements for n in _ordinals(figure)}
    stated = max((figure.n_gpus for figure in run.measurements if figure.n_gpus), default=None)
    count = stated or hint.count or 1
    if max(len(ordinals), count) > MAX_UNNAMED:
        return []
    return [BenchmarkDevice(ordinal=n, name_raw=None) for n in sorted(ordinals) or range(count)]


def _ordinals(figure: Measurement) -> list[int]:
    return [n for n in (figure.device_ordinal, figure.peer_ordinal) if n is not None]


def _resolve(device: BenchmarkDevice, run_id: str, hint: DeviceHint | None) -> BenchmarkDevice:
    """Fill in the device's gpu_id; a name or memory size that the output lacks comes from the hint.

    A MIG slice or another fraction has no gpu_id: its figures are not those of the whole GPU.
    """
    if device.unresolved:
        return replace(device, run_id=run_id)
    if hint and device.name_raw is None:
        device = replace(device, name_raw=hint.name_raw, named_by=hint.named_by, identity_source=hint.source)
    memory = device.memory_total_mib
    if hint and memory is None and device.name_raw == hint.name_raw:
        memory = hint.memory_total_mib
    found = resolve_device(device, memory) if device.name_raw else None
    reason = _unresolved(device, found)
    return replace(device, run_id=run_id, gpu_id=None if reason or not found else found.gpu_id, unresolved=reason)


def _unresolved(device: BenchmarkDevice, found: Resolution | None) -> str | None:
    """The reason why the figures of a device are of no GPU in the tables; None if they are."""
    if found is None:
        return "neither the output nor a device listing names the GPU"
    if found.gpu_id and (device.mig or found.partition != "whole"):
        return f"a MIG slice of {found.gpu_id}" if device.mig or found.partition == "mig" else f"a vGPU share of {found.gpu_id}"
    return None if found.gpu_id else f"{found.reason_code or 'AMBIGUOUS_GPU'}: {found.reason}"


def _flags(figure: Measurement, machine: _Machine, known: Reference, *, edited: bool) -> str | None:
    """The flags that the format has set and those of this module, sorted."""
    flags = set((figure.flags or "").split(",")) - {""} | ({"edited"} if edited else set())
    involved = machine.involved(figure)
    gpu_ids = {device.gpu_id for device in involved}
    if None in gpu_ids or len(involved) < max(1, len(_ordinals(figure))):
        flags.add("device_unresolved")
    if not _count_is_known(figure, machine):
        flags.add("gpu_count_unknown")
    if any(_is_foreign(device, known.gpus) for device in {(d.gpu_id, d.name_raw): d for d in involved}.values()):
        flags.add("non_cuda")
    if len(gpu_ids) == 1 and (gpu := known.gpus.get(str(*gpu_ids))):
        flags |= set(plausibility.find_flags(figure, gpu, involved))
    if offload := language_models.offload_flag(figure, known.layers):
        flags.add(offload)
    return ",".join(sorted(flags)) or None


def _count_is_known(figure: Measurement, machine: _Machine) -> bool:
    """Return whether the number of GPUs behind a figure is a fact, and no more than the machines have.

    A figure without device and count is of every device that its output lists, or of the one GPU of the machine.
    """
    if figure.n_gpus and machine.count:
        return figure.n_gpus <= machine.count * (figure.n_nodes or 1)
    return bool(_ordinals(figure) or figure.n_gpus or machine.is_listed or machine.count == 1)


def _is_foreign(device: BenchmarkDevice, gpus: Mapping[str, Gpu]) -> bool:
    """Return whether the device is a GPU of another vendor than NVIDIA, or no GPU at all."""
    if gpu := gpus.get(device.gpu_id or ""):
        return gpu.vendor != "NVIDIA"
    return bool(device.name_raw) and resolve_device(device, None).reason_code == "NOT_A_GPU"
