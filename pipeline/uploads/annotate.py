"""From what a text holds to rows of the tables: run_id, which card each device is, where its name was found, flags.

What a format prints is never corrected here; a figure that cannot be true is flagged.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from benchmarks.formats import Run
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
MOST_UNNAMED = 64
MIB_PER_GIB = 1024
# figures of a card at rest: a run of nothing else tells which card it is, and says nothing of a benchmark
_OF_THE_CARD = {"power", "temperature", "sm_clock", "utilisation", "peak_memory"}


@dataclass(frozen=True, slots=True)
class Identity:
    """Which card a machine has, where a tool's output does not say: `source` is output (of the same file), sibling or user."""

    source: str
    name_raw: str
    memory_total_mib: float | None = None


def cards(data: Path) -> dict[str, Gpu]:
    """The specifications that figures are set beside, by gpu_id."""
    files = snapshots.stored_files(gpuledger_compiled.SOURCE, data)
    items = [item for file in files for item in gpuledger_compiled.parse(file.document())]
    rows = [item.row for item in items if isinstance(item, Accepted)]
    return {row.gpu_id: row for row in rows if isinstance(row, Gpu)}


def judged(parsed: ParsedUpload, sha256: str, identity: Identity | None, known: Mapping[str, Gpu]) -> list[Run]:
    """The runs as rows of the tables. Raises RefusedError NAME_NOT_ALLOWED."""
    found = [run for run, _ in parsed.runs]
    for name in {device.name_raw for run in found for device in run.devices if device.name_raw is not None}:
        if not NAME.fullmatch(name):
            raise RefusedError("NAME_NOT_ALLOWED", f"{name[:80]!a} is no device name: only letters, digits and ._()/+- are")
    own = machine(found, "output")
    return [_judged(run, version, (sha256, index), own or identity, known) for index, (run, version) in enumerate(parsed.runs)]


def machine(runs: Iterable[Run], source: str) -> Identity | None:
    """The card that nvidia-smi, deviceQuery or the like list; None where they list none, cards of several kinds, or MIG."""
    told = [device for run in runs if tells_the_machine(run) for device in run.devices]
    names = {device.name_raw for device in told}
    if len(names) != 1 or None in names or any(device.mig for device in told):
        return None
    return Identity(source, str(told[0].name_raw), max((d.memory_total_mib for d in told if d.memory_total_mib), default=None))


def tells_the_machine(run: Run) -> bool:
    """Whether the run lists devices and measures none."""
    return bool(run.devices) and not measures(run)


def measures(run: Run) -> bool:
    """Whether the run has figures of a benchmark, and not of a card at rest alone."""
    return any(figure.metric not in _OF_THE_CARD for figure in run.measurements)


def _judged(run: Run, version: int, place: tuple[str, int], identity: Identity | None, known: Mapping[str, Gpu]) -> Run:
    upload, index = place
    run_id = hashlib.sha256(f"{upload} {index}".encode()).hexdigest()
    devices = [_resolved(device, run, run_id, identity) for device in _devices(run, identity)]
    meant = {device.ordinal: device for device in devices}
    figures = [
        replace(figure, run_id=run_id, ordinal=ordinal, flags=_flags(figure, meant, run, known))
        for ordinal, figure in enumerate(run.measurements)
    ]
    about = replace(run.run, run_id=run_id, upload_sha256=upload, block_index=index, parser_version=version)
    return Run(run=about, devices=devices, measurements=figures)


def _devices(run: Run, identity: Identity | None) -> list[BenchmarkDevice]:
    """The devices that the output lists; where it lists none, those that its figures speak of."""
    if run.devices or identity is None:
        return run.devices
    spoken_of = {n for figure in run.measurements for n in (figure.device_ordinal, figure.peer_ordinal) if n is not None}
    count = max((figure.n_gpus or 1 for figure in run.measurements), default=1)
    if max(len(spoken_of), count) > MOST_UNNAMED:
        return []
    return [BenchmarkDevice(ordinal=n, name_raw=None) for n in sorted(spoken_of) or range(count)]


def _resolved(device: BenchmarkDevice, run: Run, run_id: str, identity: Identity | None) -> BenchmarkDevice:
    """Which card the device is; a name or a memory that the output lacks comes from the identity, if there is one.

    A MIG slice or another share of a card is no card: its figures are not those of the whole.
    """
    if identity and device.name_raw is None:
        device = replace(device, name_raw=identity.name_raw, identity_source=identity.source)
    memory = device.memory_total_mib
    if identity and memory is None and device.name_raw == identity.name_raw:
        memory = identity.memory_total_mib
    found = which(device.name_raw, run.run.tool, memory) if device.name_raw and not device.mig else None
    return replace(device, run_id=run_id, gpu_id=found.gpu_id if found and found.partition == "whole" else None)


@lru_cache(maxsize=4096)
def which(name: str, tool: str, memory_mib: float | None) -> Resolution:
    """The card that a device's name means; the driver's MiB are set beside the vendors' GB as GiB."""
    return gpu_identity.resolve(name, tool, memory_mib / MIB_PER_GIB if memory_mib else None)


def _flags(figure: Measurement, devices: Mapping[int, BenchmarkDevice], run: Run, known: Mapping[str, Gpu]) -> str | None:
    """The format's own flags and ours, sorted."""
    found = set((figure.flags or "").split(",")) - {""}
    named = [n for n in (figure.device_ordinal, figure.peer_ordinal) if n is not None]
    meant = [devices[n] for n in named if n in devices] if named else list(devices.values())
    kinds = {device.gpu_id for device in meant}
    if None in kinds or len(meant) < max(1, len(named)):
        found.add("device_unresolved")
    if any(_is_foreign(device, run.run.tool, known) for device in {(d.gpu_id, d.name_raw): d for d in meant}.values()):
        found.add("non_cuda")
    if len(kinds) == 1 and (card := known.get(str(*kinds))):
        found |= set(plausibility.flags(figure, card, len(meant)))
    return ",".join(sorted(found)) or None


def _is_foreign(device: BenchmarkDevice, tool: str, known: Mapping[str, Gpu]) -> bool:
    """Whether the device is another maker's card, or no card at all."""
    if card := known.get(device.gpu_id or ""):
        return card.vendor != "NVIDIA"
    return bool(device.name_raw) and which(str(device.name_raw), tool, None).reason_code == "NOT_A_GPU"
