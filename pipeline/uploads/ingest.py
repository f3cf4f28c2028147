"""The whole way of an upload: gate, child process, judgement, store. The command and the sensor both call `ingest`.

Files of one folder are one upload: what nvidia-smi or deviceQuery says there holds for the others that name no card.
"""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.formats import Run
from pipeline.fetch import lock
from pipeline.readers import RefusedError
from pipeline.schema.specs import Gpu
from pipeline.uploads import precheck
from pipeline.uploads.annotate import Identity, cards, judged, machine, tells_the_machine
from pipeline.uploads.sandbox import Sandbox
from pipeline.uploads.serialization import ParsedUpload
from pipeline.uploads.store import FOLDER, Store, Upload

STDIN = Path("-")
_TELLS_THE_MACHINE = re.compile(rb"<nvidia_smi_log|Device Query|deviceQuery|\A[^\n]{0,400}\b(?:memory\.total|driver_version)")


@dataclass(slots=True)
class Group:
    """Files of one machine, and what the first of them told of it."""

    files: list[Path]
    identity: Identity | None = None
    told: list[Run] = field(default_factory=list)

    def learn(self, runs: list[Run]) -> None:
        """Take note of a file that lists the machine's cards; cards of several kinds tell nothing."""
        if found := [run for run in runs if tells_the_machine(run)]:
            self.told += found
            self.identity = machine(self.told, "sibling")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file: accepted, known (accepted before), or rejected with code, reason and line.

    Not `kept`: the store does not hold its bytes, because it was not read whole.
    """

    file: Path
    status: str
    runs: list[Run] = field(default_factory=list)
    code: str | None = None
    reason: str | None = None
    line: int | None = None
    kept: bool = True


def groups(given: Iterable[Path], inbox: Path | None = None) -> list[Group]:
    """The files to read: those named, and all below the folders named, one group for each folder.

    Files that lie in `inbox` itself came one by one, and say nothing of each other. A link to a folder is not followed;
    names that begin with a dot and markers NAME.done are left out of folders.
    """
    found: dict[Path, list[Path]] = {}
    for path in given:
        for folder, files in _below(path) if _is_folder(path) else [(path.parent, [path])]:
            for file in files:
                found.setdefault(file if inbox and folder.resolve() == inbox.resolve() else folder, []).append(file)
    return [Group(list(dict.fromkeys(files))) for files in found.values()]


def _below(path: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Each folder with its files; a link to a folder counts as a file, which the gate then refuses."""
    for name, folders, files in os.walk(path):
        folders.sort()
        links = [folder for folder in folders if (Path(name) / folder).is_symlink()]
        listed = [Path(name) / file for file in sorted([*files, *links]) if not file.startswith(".")]
        yield Path(name), [file for file in listed if not precheck.is_marker(file)]


@dataclass(frozen=True, slots=True)
class _Item:
    """A file that has passed the gate, or was stopped there."""

    group: Group
    path: Path
    upload: Upload


def one_at_a_time(data: Path, wait: Callable[[str], object] = str) -> AbstractContextManager[None]:
    """One process at a time stores uploads: what is known of the accepted ones must not change meanwhile.

    `wait` is told the number of the process that is waited for. The lock lies among what can be deleted, not among uploads.
    """
    return lock.hold(data / "build" / FOLDER, wait)


def ingest(data: Path, uploads: Iterable[Group], *, user: Identity | None = None, dry_run: bool = False) -> Iterator[Outcome]:
    """Read and judge every file, and store it unless it is a dry run; outcomes come one by one, so memory stays flat.

    `user` is the card that the uploader says the outputs are of, where they do not say themselves.
    Waits while another process ingests. Raises BuildError where committed data are wrong.
    """
    store, known = Store(data, writes=not dry_run), cards(data)
    with nullcontext() if dry_run else one_at_a_time(data), Sandbox() as sandbox:
        for item, parsed in sandbox.parse_all(_gated(uploads)):
            try:
                if isinstance(parsed, RefusedError):
                    raise parsed
                yield _accepted(item, parsed, store, user, known)
            except RefusedError as refused:
                store.refuse(item.upload, refused)
                yield Outcome(item.path, "rejected", [], refused.code, refused.reason, refused.line, item.upload.whole)


def _accepted(item: _Item, parsed: ParsedUpload, store: Store, user: Identity | None, known: Mapping[str, Gpu]) -> Outcome:
    upload, group = item.upload, item.group
    alone = judged(parsed, upload.sha256, None, known)
    named = [(who, judged(parsed, upload.sha256, who, known)) for who in _identities(item, store, user)]
    group.learn(alone)
    identity, runs = _settled(named, upload.sha256) if named else (None, alone)
    store.check(upload.sha256, runs)
    new = store.accept(upload, parsed, runs, identity if runs != alone else None)
    return Outcome(item.path, "accepted" if new else "known", runs)


def _identities(item: _Item, store: Store, user: Identity | None) -> list[Identity]:
    """Who says which card it was: what was said when these bytes were accepted, then what is said now."""
    said = (store.identity_of(item.upload.sha256), item.group.identity or user)
    return [identity for identity in said if identity]


def _settled(named: list[tuple[Identity, list[Run]]], sha256: str) -> tuple[Identity, list[Run]]:
    """What was said first stands if it tells a card. Raises RefusedError CONFLICT where another card is said now."""
    (before, now), first = (_gpu_ids(named[place][1]) for place in (0, -1)), named[0]
    if before and now and before != now:
        told = f"these bytes are there as upload {sha256[:12]} of {', '.join(sorted(before))}, not {', '.join(sorted(now))}"
        raise RefusedError("CONFLICT", f"{told}; remove that upload from data/uploads/accepted/ if it was wrong")
    return first if before else named[-1]


def _gpu_ids(runs: list[Run]) -> set[str]:
    return {device.gpu_id for run in runs for device in run.devices if device.gpu_id}


def _gated(uploads: Iterable[Group]) -> Iterator[tuple[_Item, bytes | RefusedError]]:
    for group in uploads:
        for path in _machine_first(group.files):
            upload, refused = _taken(path)
            yield _Item(group, path, upload), refused or upload.raw


def _machine_first(files: list[Path]) -> list[Path]:
    """What tells the machine comes before what needs it."""
    if len(files) == 1:
        return files
    return sorted(files, key=lambda file: file == STDIN or not _TELLS_THE_MACHINE.search(precheck.head(file)))


def _taken(path: Path) -> tuple[Upload, RefusedError | None]:
    """A file's bytes, and why they are refused unread if they are."""
    try:
        raw = precheck.take_stream(sys.stdin.buffer) if path == STDIN else precheck.take(path)
    except RefusedError as refused:
        size = path.lstat().st_size if refused.code == "SIZE" and path != STDIN else 0
        return Upload(precheck.head(path) if size else b"", path.name, size, whole=False), refused
    upload = Upload(raw, path.name, len(raw))
    try:
        precheck.check(raw)
    except RefusedError as refused:
        return upload, refused
    return upload, None


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()
