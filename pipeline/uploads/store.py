"""Where judged uploads lie: accepted below data/uploads/accepted, refused below data/uploads/quarantine, both under their hash.

An accepted file is the bytes as they came, or its text with personal fields hidden (`stored_sha256` then differs from
`sha256`), and a sidecar with what its rows need besides. The sidecar is written last: without it there is no upload.
"""

import datetime as dt
import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.formats import Run, json_formats, text_formats
from pipeline.errors import BuildError
from pipeline.files import write_atomically
from pipeline.readers import RefusedError
from pipeline.schema.benchmarks import Measurement
from pipeline.uploads.annotate import NAME, Identity, measures
from pipeline.uploads.serialization import ParsedUpload

FOLDER = "uploads"
KINDS = ("csv", "json", "txt", "xml")  # what `worker` calls the kinds of text
_IDENTIFYING = (
    "test", "metric", "statistic", "device_ordinal", "peer_ordinal", "direction", "dtype", "size_bytes", "batch_size",
    "n_gpus", "workload",
)  # fmt: skip


@dataclass(frozen=True)
class Upload:
    """A file on its way in: its bytes, the uploader's name for it, its size; not `whole` where only the first bytes were read."""

    raw: bytes
    name: str
    size: int
    whole: bool = True

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.raw).hexdigest()


@dataclass(frozen=True, slots=True)
class Stored:
    """An accepted upload: the hash of what was uploaded, what is kept of it, and of which card it was said to be."""

    sha256: str
    stored_sha256: str
    path: Path
    raw: bytes
    identity: Identity | None


class Store:
    """The accepted and the refused uploads of one data folder."""

    def __init__(self, data: Path, *, writes: bool = True) -> None:
        self._writes = writes
        self.accepted, self.quarantine = (data / FOLDER / name for name in ("accepted", "quarantine"))

    def identity_of(self, sha256: str) -> Identity | None:
        """What was said of a known upload when it was accepted."""
        facts = _facts(self._accepted(sha256))
        return Identity(**facts["identity"]) if facts.get("identity") else None

    def check(self, sha256: str, runs: list[Run]) -> None:
        """Raises RefusedError CONFLICT or DUPLICATE where a run that began then is known from another upload.

        Runs whose output has no start are not compared: two people's default runs look the same.
        """
        for run in runs:
            known = self._known.get(fingerprint(run) or "")
            if known and known[0] != sha256:
                began = f"the run of {run.run.tool} that began {run.run.started_at} is in upload {known[0][:12]}"
                if known[1] == content(run):
                    raise RefusedError("DUPLICATE", f"{began} already; upload the new runs alone")
                raise RefusedError("CONFLICT", f"{began} with other figures; upload the tool's own output, unedited")

    def accept(self, upload: Upload, parsed: ParsedUpload, runs: list[Run], identity: Identity | None) -> bool:
        """Keep an accepted upload; False where it is known already with all that is said of it."""
        kept = upload.raw if parsed.redacted is None else parsed.redacted.encode()
        path = self._accepted(upload.sha256) or self.accepted / f"{upload.sha256}.{parsed.kind}"
        facts = {
            "sha256": upload.sha256,
            "stored_sha256": hashlib.sha256(kept).hexdigest(),
            "bytes": upload.size,
            "identity": asdict(identity) if identity else None,
            "runs": [_about(run) for run in runs],
        }
        self._known.update(_fingerprints(facts))
        return self._changes(path, facts) and self._write(path, kept, facts, upload.name, self.quarantine / upload.sha256)

    def refuse(self, upload: Upload, refused: RefusedError) -> None:
        """Keep a refused upload with the record why; it leaves the accepted ones if an older parser had accepted it.

        Of a file that is too large the record alone is kept, under the hash of its first bytes; of a link or a pipe nothing.
        What is accepted stays so where it is refused beside another upload or another card only.
        """
        if not (upload.whole or upload.raw) or (refused.code in ("CONFLICT", "DUPLICATE") and self._accepted(upload.sha256)):
            return
        record = {
            "sha256": upload.sha256,
            "bytes": upload.size,
            "kept": upload.whole,
            "code": refused.code,
            "line": refused.line,
            "reason": refused.reason,
            "parsers": parser_versions(),
        }
        path = self.quarantine / upload.sha256
        if self._changes(path, record):
            self._write(path, upload.raw if upload.whole else None, record, upload.name, self._accepted(upload.sha256))

    def set_aside(self, path: Path) -> None:
        """Move a regular file that was too large to be read into the quarantine, under the hash of all its bytes."""
        with path.open("rb") as file:
            name = hashlib.file_digest(file, "sha256").hexdigest()
        self.quarantine.mkdir(parents=True, exist_ok=True)
        path.replace(self.quarantine / name)

    def uploads(self) -> Iterator[Stored]:
        """Every accepted upload in the order of hashes. Raises BuildError where a file is missing or was changed."""
        for path in self.files():
            facts = _facts(path)
            raw = path.read_bytes() if path.is_file() else b""
            if hashlib.sha256(raw).hexdigest() != facts["stored_sha256"]:
                raise BuildError(f"{path}: missing, or not the bytes that were accepted; restore it, or remove its sidecar too")
            yield Stored(
                facts["sha256"], facts["stored_sha256"], path, raw, Identity(**facts["identity"]) if facts["identity"] else None
            )

    def files(self) -> list[Path]:
        """Paths of the accepted files, sorted; each has a sidecar NAME.json."""
        return sorted(path.with_suffix("") for path in self.accepted.glob("*.*.json"))

    def _accepted(self, sha256: str) -> Path | None:
        paths = (self.accepted / f"{sha256}.{kind}" for kind in KINDS)
        return next((path for path in paths if sidecar_of(path).exists()), None)

    def _changes(self, path: Path, facts: dict[str, Any]) -> bool:
        """Whether the file is new, or other facts are known of it."""
        old = _facts(path)
        return not old or any(old.get(key) != value for key, value in facts.items())

    def _write(self, path: Path, raw: bytes | None, facts: dict[str, Any], name: str, instead_of: Path | None) -> bool:
        """Write a file and its sidecar, the sidecar last, then take away what the last judgement replaces."""
        if self._writes:
            old = _facts(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            if raw is not None:
                write_atomically(path, raw)
            now = dt.datetime.now(dt.UTC).replace(microsecond=0, tzinfo=None).isoformat()
            told = {"name": name if NAME.fullmatch(name) else None, "received_at": now}
            told |= {key: old[key] for key in told if key in old}
            write_atomically(sidecar_of(path), (json.dumps(facts | told, indent=1) + "\n").encode())
            if instead_of:
                _remove(instead_of)
        return True

    @cached_property
    def _known(self) -> dict[str, tuple[str, str]]:
        """Upload and content of each accepted run that has a start, by its fingerprint."""
        return {key: value for path in self.files() for key, value in _fingerprints(_facts(path))}


def fingerprint(run: Run) -> str | None:
    """What makes two outputs the same run: tool, start, devices, settings, set of tests. None without a start or a benchmark.

    Listings of cards are not compared: the nodes of a cluster make equal ones in the same second.
    """
    if run.run.started_at is None or not measures(run):
        return None
    about = (run.run.tool, run.run.started_at.isoformat(), run.run.args, [device.name_raw for device in run.devices])
    return _digest([*about, sorted(repr(_test(figure)) for figure in run.measurements)])


def content(run: Run) -> str:
    """Hash of a run's figures."""
    return _digest([[*map(repr, _test(figure)), repr(figure.value)] for figure in run.measurements])


def parser_versions() -> dict[str, int]:
    """Version of each format's parser: a refusal stands as long as these do."""
    found = {form.TOOL: form.PARSER_VERSION for form in text_formats()} | {
        form.TOOL: form.PARSER_VERSION for form in json_formats()
    }
    return dict(sorted(found.items()))


def _test(figure: Measurement) -> tuple[Any, ...]:
    return tuple(getattr(figure, name) for name in _IDENTIFYING)


def _digest(of: Any) -> str:
    return hashlib.sha256(json.dumps(of).encode()).hexdigest()


def _about(run: Run) -> dict[str, Any]:
    told = {"tool": run.run.tool, "parser_version": run.run.parser_version}
    key = fingerprint(run)
    return told | ({"fingerprint": key, "content": content(run)} if key else {})


def _fingerprints(facts: dict[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
    for run in facts["runs"]:
        if "fingerprint" in run:
            yield run["fingerprint"], (facts["sha256"], run["content"])


def sidecar_of(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def _facts(path: Path | None) -> dict[str, Any]:
    if path is None or not sidecar_of(path).exists():
        return {}
    try:
        found: dict[str, Any] = json.loads(sidecar_of(path).read_text())
    except ValueError as error:
        raise BuildError(f"{sidecar_of(path)}: broken ({error}); restore it, or remove it and ingest the file again") from None
    return found


def _remove(path: Path) -> None:
    for file in (sidecar_of(path), path):
        file.unlink(missing_ok=True)
