"""Ingest uploads: precheck, parse in the sandbox, annotate, store. The command and the sensor both call `ingest`.

Files of one folder are one upload: a GPU that nvidia-smi or deviceQuery lists there applies to the outputs that name none.
"""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.formats.core import ParsedRun
from pipeline import build_lock
from pipeline.readers import RefusedError
from pipeline.uploads import precheck
from pipeline.uploads.annotation.hints import DeviceHint, hint_from_listings, lists_devices_only
from pipeline.uploads.annotation.runs import Reference, annotate_runs, load_reference
from pipeline.uploads.origin import Origin
from pipeline.uploads.sandbox import Sandbox
from pipeline.uploads.serialization import ParsedUpload
from pipeline.uploads.store import FOLDER, Store, Upload

STDIN = Path("-")
_DEVICE_LISTING = re.compile(rb"<nvidia_smi_log|Device Query|deviceQuery|\A[^\n]{0,400}\b(?:memory\.total|driver_version)")


@dataclass(slots=True)
class Group:
    """Files of one machine, the device listings among those read so far, and the hint that they give."""

    files: list[Path]
    hint: DeviceHint | None = None
    device_listings: list[ParsedRun] = field(default_factory=list)

    def add_device_listing(self, runs: list[ParsedRun]) -> None:
        """Update the hint from runs that list devices only; listings of several GPU models give no hint."""
        if listings := [run for run in runs if lists_devices_only(run)]:
            self.device_listings += listings
            self.hint = hint_from_listings(self.device_listings, "sibling")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result for one file: accepted, known (accepted before), or rejected with code, reason and line.

    `is_stored` is False if the store does not hold the file's bytes, because the file was not read whole.
    """

    file: Path
    status: str
    runs: list[ParsedRun] = field(default_factory=list)
    code: str | None = None
    reason: str | None = None
    line: int | None = None
    is_stored: bool = True


def group_files(paths: Iterable[Path], inbox: Path) -> list[Group]:
    """The files to read: those named, and all below the folders named, one group per folder.

    Files directly in `inbox` are groups of their own. A link to a folder is not followed. In folders, names that begin
    with a dot and markers NAME.done are skipped.
    """
    files_by_group: dict[Path, list[Path]] = {}
    for path in paths:
        for folder, files in _walk(path) if path.is_dir() and not path.is_symlink() else [(path.parent, [path])]:
            for file in files:
                is_alone = folder.resolve() == inbox.resolve()
                files_by_group.setdefault(file if is_alone else folder, []).append(file)
    return [Group(list(dict.fromkeys(files))) for files in files_by_group.values()]


def _walk(path: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Yield each folder with its files; a link to a folder counts as a file, which the precheck refuses."""
    for name, folders, files in os.walk(path):
        folders.sort()
        links = [folder for folder in folders if (Path(name) / folder).is_symlink()]
        paths = [Path(name) / file for file in sorted([*files, *links]) if not file.startswith(".")]
        yield Path(name), [file for file in paths if not precheck.is_marker(file)]


@dataclass(frozen=True, slots=True)
class _Item:
    """A file after the precheck, whether it passed or not."""

    group: Group
    path: Path
    upload: Upload


def one_at_a_time(data: Path, wait: Callable[[str], object] = str) -> AbstractContextManager[None]:
    """Hold the lock under which one process at a time stores uploads, since each is compared with all accepted ones.

    `wait` is called with the id of the process that holds it. The lock file is in the build folder, not among the uploads.
    """
    return build_lock.hold(data / "build" / FOLDER, wait)


@dataclass(frozen=True, slots=True)
class Statements:
    """Facts that the uploader states for all files: the GPU of outputs that name none, and origins by path from a manifest."""

    gpu: DeviceHint | None = None
    origins: Mapping[Path, Origin] | None = None

    def origin_of(self, path: Path) -> Origin | None:
        """The origin of a file; None without a manifest. Raises RefusedError NO_LICENCE for a file that the manifest lacks."""
        if self.origins is None:
            return None
        if found := self.origins.get(path.resolve()):
            return found
        raise RefusedError("NO_LICENCE", "the manifest has no row of this file; add one with its source and licence")


NOTHING_STATED = Statements()


def ingest(
    data: Path, uploads: Iterable[Group], *, stated: Statements = NOTHING_STATED, dry_run: bool = False
) -> Iterator[Outcome]:
    """Parse every file, and store it unless it is a dry run; outcomes are yielded one by one, so memory stays flat.

    Waits while another process ingests. Raises BuildError if committed data are wrong.
    """
    store, known = Store(data, writes=not dry_run), load_reference(data)
    with nullcontext() if dry_run else one_at_a_time(data), Sandbox() as sandbox:
        for item, parsed in sandbox.parse_all(_precheck_all(uploads)):
            try:
                if isinstance(parsed, RefusedError):
                    raise parsed
                yield _accept(item, parsed, store, stated, known)
            except RefusedError as refused:
                store.refuse(item.upload, refused)
                yield Outcome(item.path, "rejected", [], refused.code, refused.reason, refused.line, item.upload.is_whole)


def _accept(item: _Item, parsed: ParsedUpload, store: Store, stated: Statements, known: Reference) -> Outcome:
    upload, group, origin = item.upload, item.group, stated.origin_of(item.path)
    without_hint = annotate_runs(parsed, upload.sha256, None, known)
    hints = (store.load_hint(upload.sha256), group.hint or stated.gpu)  # that of these bytes precedes a sibling's or the user's
    by_hint = [(hint, annotate_runs(parsed, upload.sha256, hint, known)) for hint in hints if hint]
    group.add_device_listing(without_hint)
    hint, runs = _choose_hint(by_hint, upload.sha256) if by_hint else (None, without_hint)
    store.refuse_repeats(upload.sha256, runs)
    is_new = store.accept(upload, parsed, runs, hint=hint if runs != without_hint else None, origin=origin)
    return Outcome(item.path, "accepted" if is_new else "known", runs)


def _choose_hint(by_hint: list[tuple[DeviceHint, list[ParsedRun]]], sha256: str) -> tuple[DeviceHint, list[ParsedRun]]:
    """The first hint if it resolves to a GPU, else the last. Raises RefusedError CONFLICT if both resolve, to other GPUs."""
    first, last = by_hint[0], by_hint[-1]
    before, now = _gpu_ids(first[1]), _gpu_ids(last[1])
    if before and now and before != now:
        problem = f"these bytes are there as upload {sha256[:12]} of {', '.join(sorted(before))}, not {', '.join(sorted(now))}"
        raise RefusedError("CONFLICT", f"{problem}; remove that upload from data/uploads/accepted/ if it was wrong")
    return first if before else last


def _gpu_ids(runs: list[ParsedRun]) -> set[str]:
    return {device.gpu_id for run in runs for device in run.devices if device.gpu_id}


def _precheck_all(uploads: Iterable[Group]) -> Iterator[tuple[_Item, bytes | RefusedError]]:
    for group in uploads:
        for path in _listings_first(group.files):
            upload, refused = _read(path)
            yield _Item(group, path, upload), refused or upload.raw


def _listings_first(files: list[Path]) -> list[Path]:
    """Sort device listings before the outputs that need their hint."""
    if len(files) == 1:
        return files
    return sorted(files, key=lambda file: file == STDIN or not _DEVICE_LISTING.search(precheck.read_head(file)))


def _read(path: Path) -> tuple[Upload, RefusedError | None]:
    """A file's bytes, and the reason if they are refused before parsing."""
    try:
        raw = precheck.read_stream(sys.stdin.buffer) if path == STDIN else precheck.read_file(path)
    except RefusedError as refused:
        size = path.lstat().st_size if refused.code == "SIZE" and path != STDIN else 0
        return Upload(precheck.read_head(path) if size else b"", path.name, size, is_whole=False), refused
    upload = Upload(raw, path.name, len(raw))
    try:
        precheck.refuse_binary(raw)
    except RefusedError as refused:
        return upload, refused
    return upload, None
