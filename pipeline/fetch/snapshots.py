"""Stored bytes of sources, and the sidecar file that records the origin and hash of each.

A snapshot `NAME` has a sidecar `NAME.json` with url, retrieved_at, published_at, sha256, licence, origin and extent. A downloaded
one has also etag, last_modified and checked_at, the last time the host returned these bytes. Where the host returned
them again after other bytes, returned_at is that time, and the snapshot counts as retrieved and dated then. accepted_shrink
is the reason why these bytes may have fewer rows than before.
Bytes whose hash differs from the sidecar's stop the build. Parsing the bytes belongs in `sources`.
"""

import datetime as dt
import functools
import hashlib
import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from pipeline.errors import BuildError
from pipeline.fetch import sidecar_checks
from pipeline.files import hash_file, is_scratch, scratch_folder, sidecar_of, sync_folder, write_atomically
from pipeline.readers import RefusedError, strict_json
from sources import Document, Download, Source

FACTS = ("url", "retrieved_at", "published_at", "sha256", "licence", "origin", "extent")  # of every sidecar, in this order
Facts = Mapping[str, str | None]  # of a sidecar, by name


class SnapshotError(BuildError):
    """A stored file that does not match its sidecar, or has none."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One verified snapshot: its path below the data folder, its bytes or the file to read them from, and its sidecar's facts."""

    source_id: str
    path: str
    content: Path | bytes
    size: int
    sha256: str
    url: str | None
    retrieved_at: dt.datetime
    published_at: dt.datetime | None
    origin: str
    extent: str

    @property
    def observed_on(self) -> dt.date:
        """Publication date, or else the date of retrieval."""
        return (self.published_at or self.retrieved_at).date()

    @property
    def version_facts(self) -> tuple[object, ...]:
        """Everything that tables take from the file besides its rows."""
        return (self.path, self.sha256, self.url, self.retrieved_at, self.published_at, self.origin, self.extent)

    def document(self) -> Document:
        """Return the file in the form that a parser reads."""
        return Document(self.path, self.raw, self.observed_on)

    @property
    def raw(self) -> bytes:
        """The bytes; a file on disk is read each time, so that many snapshots need no memory."""
        return self.content if isinstance(self.content, bytes) else self.content.read_bytes()


def stored_files(source: Source, data: Path, accept_loss: Collection[str] = ()) -> Iterator[StoredFile]:
    """Yield every snapshot of the source, verified, in the order of their paths.

    Raises SnapshotError with one line for each file whose hash or sidecar is wrong: the file and the next command. The sources
    in `accept_loss` may have sidecars whose file is missing.
    """
    problems = [] if source.source_id in accept_loss else list(_orphan_problems(source, data))
    paths, files = _snapshot_paths(source, data), list[StoredFile]()
    if not paths and source.automated_access == "not_applicable":
        name = f"data/{source.snapshot_folder}"
        problems.append(f"{name}: no stored file for source {source.source_id}; add one, then `gpuledger seal` it")
    for path in paths:
        try:
            files.append(_read_record(source, path, data).read(data))
        except SnapshotError as error:
            problems.append(str(error))
    if problems:
        raise SnapshotError("\n".join(problems))
    yield from files


def _orphan_problems(source: Source, data: Path) -> Iterator[str]:
    for file in sidecar_checks.orphans(data / source.snapshot_folder):
        name = _display_name(file, data)
        loss = f"if the loss is meant, add --accept-loss {source.source_id} to the command"
        yield f"{name}.json: its file {name} is missing. Restore the file; {loss}"


@dataclass(frozen=True, slots=True)
class SnapshotRecord:
    """The sidecar of a stored snapshot, read without its bytes."""

    source: Source
    path: Path
    facts: Facts

    @property
    def is_downloaded(self) -> bool:
        """True for a download; a file that was transcribed or saved by hand may be a part of the whole."""
        return bool(self.facts.get("checked_at"))

    @property
    def last_seen(self) -> dt.datetime:
        """Time of the last response with these bytes."""
        return dt.datetime.fromisoformat(str(self.facts.get("checked_at") or self.facts["retrieved_at"]))

    @property
    def observed_on(self) -> dt.date:
        """Publication date, or else the date of retrieval."""
        names = ("returned_at", "published_at", "retrieved_at")
        return dt.datetime.fromisoformat(next(moment for name in names if (moment := self.facts.get(name)))).date()

    def read(self, data: Path) -> StoredFile:
        """Return the verified snapshot. Raises SnapshotError where the bytes differ from the sidecar's hash."""
        name, stat = _display_name(self.path, data), self.path.stat()
        sha256 = _hash_file(self.path, stat.st_mtime_ns, stat.st_size)
        if sha256 != self.facts.get("sha256"):
            raise SnapshotError(
                f"{name}: sha256 {sha256[:12]}… differs from its sidecar's {str(self.facts.get('sha256'))[:12]}…; "
                f"restore the file, or if the edit is intended run `gpuledger seal {name}`"
            )
        returned = self.facts.get("returned_at")
        published = None if returned else self.facts.get("published_at")
        return StoredFile(
            source_id=self.source.source_id,
            path=name,
            content=self.path,
            size=stat.st_size,
            sha256=sha256,
            url=self.facts.get("url"),
            retrieved_at=dt.datetime.fromisoformat(str(returned or self.facts["retrieved_at"])),
            published_at=dt.datetime.fromisoformat(published) if published else None,
            origin=str(self.facts["origin"]),
            extent=str(self.facts["extent"]),
        )


def list_snapshots(source: Source, data: Path) -> list[SnapshotRecord]:
    """List the stored snapshots of a source, the latest seen last. Raises SnapshotError on a file without a sidecar."""
    records = [_read_record(source, path, data) for path in _snapshot_paths(source, data)]
    return sorted(records, key=lambda record: (record.last_seen, record.path))


def store(source: Source, data: Path, files: list[tuple[Download, Facts]], now: dt.datetime) -> list[Path]:
    """Store downloads in a new folder named after the date; all of them appear in one step, or none does.

    The facts of each are for its sidecar, without hash and times. A stored file is never overwritten: a second folder of the
    same date has a number.
    """
    with _staging(source, data) as staging:
        for download, facts in files:
            path = staging / download.name
            if path.exists() or sidecar_of(path).exists():
                raise BuildError(f"{download.name}: downloaded twice, or named like the sidecar of another file")
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, download.raw, durable=True)
            seen, sha256 = now.isoformat(), hashlib.sha256(download.raw).hexdigest()
            whole = {"retrieved_at": seen, "sha256": sha256, "origin": "fetched", "extent": "whole", "checked_at": seen}
            write_facts(sidecar_of(path), {**facts, **whole})
        folder = _move(staging, data / source.snapshot_folder, f"{now:%Y-%m-%d}")
    return [folder / download.name for download, _ in files]


def record_unchanged(record: SnapshotRecord, facts: Facts, now: dt.datetime) -> None:
    """Note in the sidecar that the host returned the same bytes again; the snapshot itself does not change."""
    write_facts(sidecar_of(record.path), {**record.facts, **facts, "checked_at": now.isoformat()})


@contextmanager
def _staging(source: Source, data: Path) -> Iterator[Path]:
    """Empty folder outside all sources on the same file system, so that a build never sees what a crash leaves behind."""
    incoming = data / ".incoming"
    try:
        with scratch_folder(incoming / source.source_id) as staging:
            yield staging
    finally:
        with suppress(OSError):  # another source is being stored
            incoming.rmdir()


def _move(staging: Path, parent: Path, date: str) -> Path:
    parent.mkdir(parents=True, exist_ok=True)
    folder = next(f for n in count(1) if not (f := parent / (date if n == 1 else f"{date}-{n}")).exists())
    os.rename(staging, folder)
    sync_folder(parent)
    return folder


def write_facts(sidecar: Path, facts: Facts) -> None:
    """Write a sidecar, or replace it."""
    write_atomically(sidecar, (json.dumps(facts, indent=1, ensure_ascii=False) + "\n").encode(), durable=True)


def write_sidecar(path: Path, **facts: str | None) -> Path:
    """Write the sidecar of a file that was added or edited by hand: new hash and date, other facts as they were.

    `facts` sets url, licence, published_at, origin, extent, or accepted_shrink, which is valid for these bytes alone.
    Returns the sidecar's path. Raises SnapshotError where origin or extent is neither in `facts` nor in the sidecar.
    """
    _refuse(sidecar_checks.find_sealed_file(path))
    sidecar = sidecar_of(path)
    current = read_facts(sidecar)
    now = dt.datetime.now(dt.UTC).replace(microsecond=0, tzinfo=None)
    stated = current | facts | {"retrieved_at": now.isoformat(), "sha256": hash_file(path)}
    written = {name: stated.get(name) for name in FACTS}
    _refuse(sidecar_checks.find_missing_origin(written, str(path)))
    is_same = written["sha256"] == current.get("sha256")
    if reason := facts.get("accepted_shrink", current.get("accepted_shrink") if is_same else None):
        written["accepted_shrink"] = reason
    if facts or not is_same:
        write_facts(sidecar, written)
    return sidecar


def read_facts(sidecar: Path) -> dict[str, Any]:
    """Return the facts of a sidecar; {} for a missing or broken one, which a build refuses and `write_sidecar` replaces."""
    try:
        facts = strict_json.parse_json(sidecar.read_text(encoding="utf-8"))
    except (FileNotFoundError, UnicodeDecodeError, RefusedError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _snapshot_paths(source: Source, data: Path) -> list[Path]:
    folder = data / source.snapshot_folder
    return sorted(path for path in folder.rglob("*") if path.is_file() and not _is_sidecar(path) and not is_scratch(path))


def _is_sidecar(path: Path) -> bool:
    """True for the sidecar of a file in the same folder, and for one whose file was removed."""
    return path.suffix == ".json" and (path.with_suffix("").is_file() or "." in path.stem)


def _display_name(path: Path, data: Path) -> str:
    return f"data/{path.relative_to(data)}"


@functools.cache
def _hash_file(path: Path, _mtime_ns: int, _size: int) -> str:
    """Return the sha256 of a file, computed once per process as long as its time and size do not change."""
    return hash_file(path)


def _read_record(source: Source, path: Path, data: Path) -> SnapshotRecord:
    return SnapshotRecord(source, path, _read_sidecar(path, _display_name(path, data)))


def _read_sidecar(path: Path, name: str) -> dict[str, str | None]:
    try:
        text = sidecar_of(path).read_text()
        facts: dict[str, str | None] = strict_json.parse_json(text)
        dt.datetime.fromisoformat(str(facts["retrieved_at"]))
        dt.datetime.fromisoformat(facts.get("published_at") or "1970-01-01")
        future = sidecar_checks.find_future_date(facts, text, dt.datetime.now(dt.UTC).date())
    except FileNotFoundError:
        raise SnapshotError(sidecar_checks.describe_missing(name)) from None
    except (OSError, ValueError, KeyError, TypeError, RefusedError) as error:
        problem = error.reason if isinstance(error, RefusedError) else error
        raise SnapshotError(f"{name}: no readable sidecar {name}.json ({problem}); run `gpuledger seal {name}`") from None
    _refuse(future and f"{name}.json {future}. Correct it or the clock, or run `gpuledger seal {name} --published DATE`")
    _refuse(sidecar_checks.find_missing_origin(facts, name))
    return facts


def _refuse(problem: str | None) -> None:
    if problem:
        raise SnapshotError(problem)
