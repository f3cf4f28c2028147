"""Stored bytes of sources and the sidecar that vouches for each.

A snapshot `NAME` has a sidecar `NAME.json` with url, retrieved_at, published_at, sha256 and licence. One that
was fetched has also checked_at (when its host last gave these very bytes), etag and last_modified, and returned_at
where it gave them again after others: they then count as retrieved and dated at that time. Bytes whose hash differs from
the sidecar's stop the build. What the bytes mean belongs in `sources`.
"""

import datetime as dt
import functools
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from pipeline.errors import BuildError
from sources import Document, Source


class SnapshotError(BuildError):
    """A stored file that does not match its sidecar, or has none."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One verified snapshot: its place below the data folder, its bytes (or where they lie), and what the sidecar says of it."""

    source_id: str
    path: str
    content: Path | bytes
    size: int
    sha256: str
    url: str | None
    retrieved_at: dt.datetime
    published_at: dt.datetime | None

    @property
    def observed_on(self) -> dt.date:
        return (self.published_at or self.retrieved_at).date()

    def document(self) -> Document:
        """The bytes, as a parser sees them."""
        return Document(self.path, self.raw, self.observed_on)

    @property
    def raw(self) -> bytes:
        """The bytes; those on disk are read anew each time, so that many snapshots take no memory."""
        return self.content if isinstance(self.content, bytes) else self.content.read_bytes()


def stored_files(source: Source, data: Path) -> Iterator[StoredFile]:
    """Every snapshot of the source, verified, in the order of their paths.

    Raises SnapshotError with the file and the next command where a hash or a sidecar is wrong.
    """
    paths = _files(source, data)
    if not paths and source.automated_access == "not_applicable":
        name = f"data/{source.snapshot_folder}"
        raise SnapshotError(f"{name}: no stored file for source {source.source_id}; add one, then `gpuledger seal` it")
    for path in paths:
        yield _verified(source, path, data)


@dataclass(frozen=True, slots=True)
class Entry:
    """A snapshot by its sidecar alone: what is stored already, without reading the bytes."""

    source: Source
    path: Path
    facts: Mapping[str, str | None]

    @property
    def fetched(self) -> bool:
        """Whether a program stored it; else it was transcribed or saved by hand, and may be a part of the whole."""
        return bool(self.facts.get("checked_at"))

    @property
    def last_seen(self) -> dt.datetime:
        """When its host last gave these bytes."""
        return dt.datetime.fromisoformat(str(self.facts.get("checked_at") or self.facts["retrieved_at"]))

    def read(self, data: Path) -> StoredFile:
        """The snapshot itself. Raises SnapshotError where the bytes are not those that were sealed."""
        return _verified(self.source, self.path, data)


def entries(source: Source, data: Path) -> list[Entry]:
    """What is stored of a source, the latest seen last. Raises SnapshotError on a file without a sidecar."""
    found = [Entry(source, path, _facts(path, f"data/{path.relative_to(data)}")) for path in _files(source, data)]
    return sorted(found, key=lambda entry: (entry.last_seen, entry.path))


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFile:
    """A fetched file on its way into the store, and the facts for its sidecar (without hash and times)."""

    name: str
    raw: bytes
    facts: Mapping[str, str | None]


def store(source: Source, data: Path, files: list[NewFile], now: dt.datetime) -> list[Path]:
    """Keep fetched files below a new folder named for the day; all of them appear in one step, or none does.

    Nothing that is stored is ever written over: a second folder of one day has a number.
    """
    with _staging(data) as staging:
        for file in files:
            path = staging / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, file.raw)
            _write(_sidecar(path), _fetched_facts(file, now))
        folder = _moved(staging, data / source.snapshot_folder, f"{now:%Y-%m-%d}")
    return [folder / file.name for file in files]


def confirm(entry: Entry, data: Path, facts: Mapping[str, str | None], now: dt.datetime) -> None:
    """Write down that the host gave the same bytes again; the snapshot itself stays as it is."""
    with _staging(data) as staging:
        _write(scratch := staging / "sidecar", _as_json({**entry.facts, **facts, "checked_at": now.isoformat()}))
        os.replace(scratch, _sidecar(entry.path))


@contextmanager
def _staging(data: Path) -> Iterator[Path]:
    """A folder where no source looks, on the same file system: a crash leaves nothing that a build would meet."""
    staging = data / ".incoming" / str(os.getpid())
    shutil.rmtree(staging.parent, ignore_errors=True)
    staging.mkdir(parents=True)
    try:
        yield staging
    finally:
        shutil.rmtree(staging.parent, ignore_errors=True)


def _moved(staging: Path, parent: Path, day: str) -> Path:
    parent.mkdir(parents=True, exist_ok=True)
    folder = next(f for n in count(1) if not (f := parent / (day if n == 1 else f"{day}-{n}")).exists())
    os.rename(staging, folder)
    _sync(parent)
    return folder


def _write(path: Path, raw: bytes) -> None:
    with path.open("xb") as file:
        file.write(raw)
        file.flush()
        os.fsync(file.fileno())
    _sync(path.parent)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _fetched_facts(file: NewFile, now: dt.datetime) -> bytes:
    sealed = {"retrieved_at": now.isoformat(), "sha256": hashlib.sha256(file.raw).hexdigest()}
    return _as_json({**file.facts, **sealed, "checked_at": now.isoformat()})


def _as_json(facts: Mapping[str, str | None]) -> bytes:
    return (json.dumps(facts, indent=1, ensure_ascii=False) + "\n").encode()


def seal(path: Path, **facts: str | None) -> Path:
    """Write the sidecar of a file that was added or edited by hand: new hash and day, other facts kept.

    `facts` sets url, licence or published_at. Returns the path of the sidecar.
    """
    sidecar = _sidecar(path)
    known = json.loads(sidecar.read_text()) if sidecar.exists() else {}
    now = dt.datetime.now(dt.UTC).replace(microsecond=0, tzinfo=None)
    sealed = {
        "url": facts.get("url", known.get("url")),
        "retrieved_at": now.isoformat(),
        "published_at": facts.get("published_at", known.get("published_at")),
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "licence": facts.get("licence", known.get("licence")),
    }
    if sealed["sha256"] != known.get("sha256") or facts:
        sidecar.write_text(json.dumps(sealed, indent=1, ensure_ascii=False) + "\n")
    return sidecar


def _sidecar(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def _files(source: Source, data: Path) -> list[Path]:
    folder = data / source.snapshot_folder
    return sorted(path for path in folder.rglob("*") if path.is_file() and not _is_sidecar(path))


def _is_sidecar(path: Path) -> bool:
    """Whether the path is the sidecar of a file beside it, or what is left of one."""
    return path.suffix == ".json" and (path.with_suffix("").is_file() or "." in path.stem)


@functools.cache
def _sha256(path: Path, _mtime_ns: int, _size: int) -> str:
    """Hash of a file, computed once in a process as long as the file does not change."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _verified(source: Source, path: Path, data: Path) -> StoredFile:
    name = f"data/{path.relative_to(data)}"
    facts, stat = _facts(path, name), path.stat()
    found = _sha256(path, stat.st_mtime_ns, stat.st_size)
    if found != facts.get("sha256"):
        raise SnapshotError(
            f"{name}: sha256 {found[:12]}… differs from its sidecar's {str(facts.get('sha256'))[:12]}…; "
            f"restore the file, or if the edit is meant run `gpuledger seal {name}`"
        )
    returned = facts.get("returned_at")
    published = None if returned else facts.get("published_at")
    return StoredFile(
        source_id=source.source_id,
        path=name,
        content=path,
        size=stat.st_size,
        sha256=found,
        url=facts.get("url"),
        retrieved_at=dt.datetime.fromisoformat(str(returned or facts["retrieved_at"])),
        published_at=dt.datetime.fromisoformat(published) if published else None,
    )


def _facts(path: Path, name: str) -> dict[str, str | None]:
    try:
        facts: dict[str, str | None] = json.loads(_sidecar(path).read_text())
        dt.datetime.fromisoformat(str(facts["retrieved_at"]))
        dt.datetime.fromisoformat(facts.get("published_at") or "1970-01-01")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SnapshotError(f"{name}: no readable sidecar {name}.json ({error}); run `gpuledger seal {name}`") from None
    return facts
