"""Store of uploads: accepted ones in data/uploads/accepted, refused ones in data/uploads/quarantine, named after their hash.

An accepted upload is a file and a sidecar. The file has the uploaded bytes, or the text with personal fields redacted, whose
`stored_sha256` then differs from `sha256`. The sidecar is written last: a file without one is not an upload.
"""

import datetime as dt
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.formats.core import ParsedRun
from benchmarks.formats.detection import JsonFormat, TextFormat, json_formats, text_formats, tool_of
from pipeline.errors import BuildError
from pipeline.files import hash_file, sidecar_of, write_atomically
from pipeline.readers import RefusedError, strict_json
from pipeline.schema.benchmarks import Measurement
from pipeline.uploads.annotation.hints import DeviceHint, has_benchmark_figures
from pipeline.uploads.origin import OWN, Origin, decode
from pipeline.uploads.serialization import ParsedUpload

FOLDER = "uploads"
_FILE_NAME = re.compile(r"[A-Za-z0-9 ._()/+-]{1,80}")  # no @: names of people and machines are not published
KINDS = ("csv", "json", "txt", "xml")  # suffixes that `worker` assigns by content
_IDENTIFYING = (
    "test", "metric", "statistic", "device_ordinal", "peer_ordinal", "direction", "dtype", "size_bytes", "batch_size",
    "n_gpus", "workload",
)  # fmt: skip


@dataclass(frozen=True)
class Upload:
    """A file to store: its bytes, its name, its size. Without `is_whole`, `raw` has its first bytes only."""

    raw: bytes
    name: str
    size: int
    is_whole: bool = True

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.raw).hexdigest()


@dataclass(frozen=True, slots=True)
class Stored:
    """An accepted upload: hashes of the uploaded and of the stored bytes, its origin, and the hint to its GPU."""

    sha256: str
    stored_sha256: str
    path: Path
    raw: bytes
    hint: DeviceHint | None
    name: str | None
    size: int
    origin: Origin


class Store:
    """The accepted and the refused uploads of one data folder; without `writes` nothing is changed."""

    def __init__(self, data: Path, *, writes: bool = True) -> None:
        self._writes = writes
        self.accepted, self.quarantine = (data / FOLDER / name for name in ("accepted", "quarantine"))

    def load_hint(self, sha256: str) -> DeviceHint | None:
        """The device hint that was stored with an accepted upload."""
        facts = _facts(self._accepted(sha256))
        return DeviceHint(**facts["identity"]) if facts.get("identity") else None

    def refuse_repeats(self, sha256: str, runs: list[ParsedRun]) -> None:
        """Raise RefusedError DUPLICATE or CONFLICT for a run that another upload has too, with the same or with other figures.

        Runs without a start time are not compared: two people's default runs look the same.
        """
        for run in runs:
            other_sha256, figures = self._runs.get(run_fingerprint(run) or "", (sha256, ""))
            if other_sha256 != sha256:
                began = f"the run of {run.run.tool} that began {run.run.started_at} is in upload {other_sha256[:12]}"
                if figures == hash_figures(run):
                    raise RefusedError("DUPLICATE", f"{began} already; upload the new runs alone")
                raise RefusedError("CONFLICT", f"{began} with other figures; upload the tool's own output, unedited")

    def accept(
        self, upload: Upload, parsed: ParsedUpload, runs: list[ParsedRun], *, hint: DeviceHint | None, origin: Origin | None
    ) -> bool:
        """Store an accepted upload; return False if it is stored already with the same facts.

        Without `origin` the stored one stays; a new upload is then the uploader's own.
        """
        raw = upload.raw if parsed.redacted is None else parsed.redacted.encode()
        path = self._accepted(upload.sha256) or self.accepted / f"{upload.sha256}.{parsed.kind}"
        facts = {
            "sha256": upload.sha256,
            "stored_sha256": hashlib.sha256(raw).hexdigest(),
            "bytes": upload.size,
            "origin": asdict(origin) if origin else _facts(path).get("origin") or asdict(OWN),
            "identity": asdict(hint) if hint else None,
            "runs": [_run_facts(run) for run in runs],
        }
        self._runs.update(_fingerprints(facts))
        return self._changes(path, facts) and self._write(path, raw, facts, upload.name, self.quarantine / upload.sha256)

    def refuse(self, upload: Upload, refused: RefusedError) -> None:
        """Store a refused upload with a record of the reason, and remove it from the accepted ones if it was among them.

        Of a file that is too large only the record is stored, under the hash of its first bytes; of a link or a pipe nothing.
        An accepted upload stays if the refusal is only that it contradicts another upload or GPU.
        """
        if not (upload.is_whole or upload.raw) or (refused.code in ("CONFLICT", "DUPLICATE") and self._accepted(upload.sha256)):
            return
        record = {
            "sha256": upload.sha256,
            "bytes": upload.size,
            "kept": upload.is_whole,
            "code": refused.code,
            "line": refused.line,
            "reason": refused.reason,
            "parsers": parser_versions(),
        }
        path = self.quarantine / upload.sha256
        if self._changes(path, record):
            self._write(path, upload.raw if upload.is_whole else None, record, upload.name, self._accepted(upload.sha256))

    def set_aside(self, path: Path) -> None:
        """Move a regular file that is too large to be read into the quarantine, named after the hash of all its bytes."""
        name = hash_file(path)
        self.quarantine.mkdir(parents=True, exist_ok=True)
        path.replace(self.quarantine / name)

    def uploads(self) -> Iterator[Stored]:
        """Every accepted upload in the order of hashes. Raises BuildError where a file is missing or was changed."""
        for path in self.files():
            facts = _facts(path)
            raw = path.read_bytes() if path.is_file() else b""
            if hashlib.sha256(raw).hexdigest() != facts["stored_sha256"]:
                raise BuildError(f"{path}: missing, or not the bytes that were accepted; restore it, or remove its sidecar too")
            hint = DeviceHint(**facts["identity"]) if facts["identity"] else None
            origin = decode(facts.get("origin"), sidecar_of(path))
            yield Stored(facts["sha256"], facts["stored_sha256"], path, raw, hint, facts.get("name"), facts["bytes"], origin)

    def files(self) -> list[Path]:
        """Paths of the accepted files, sorted; each has a sidecar NAME.json."""
        return sorted(path.with_suffix("") for path in self.accepted.glob("*.*.json"))

    def _accepted(self, sha256: str) -> Path | None:
        paths = (self.accepted / f"{sha256}.{kind}" for kind in KINDS)
        return next((path for path in paths if sidecar_of(path).exists()), None)

    def _changes(self, path: Path, facts: dict[str, Any]) -> bool:
        """Return whether the file is new or its facts differ from the stored ones."""
        old = _facts(path)
        return not old or any(old.get(key) != value for key, value in facts.items())

    def _write(self, path: Path, raw: bytes | None, facts: dict[str, Any], name: str, instead_of: Path | None) -> bool:
        """Write a file, then its sidecar, then remove the file that an earlier decision stored elsewhere."""
        if self._writes:
            old = _facts(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            if raw is not None:
                write_atomically(path, raw, durable=True)
            now = dt.datetime.now(dt.UTC).replace(microsecond=0, tzinfo=None).isoformat()
            receipt = {"name": name if _FILE_NAME.fullmatch(name) else None, "received_at": now}
            receipt |= {key: old[key] for key in receipt if key in old}
            write_atomically(sidecar_of(path), (json.dumps(facts | receipt, indent=1) + "\n").encode(), durable=True)
            if instead_of:
                sidecar_of(instead_of).unlink(missing_ok=True)
                instead_of.unlink(missing_ok=True)
        return True

    @cached_property
    def _runs(self) -> dict[str, tuple[str, str]]:
        """Upload and hash of the figures of each accepted run that has a start time, by its fingerprint."""
        return {key: value for path in self.files() for key, value in _fingerprints(_facts(path))}


def run_fingerprint(run: ParsedRun) -> str | None:
    """Hash of tool, start, devices, settings and set of tests, equal for two outputs of the same run.

    None for a run without a start time, and for a device listing: the nodes of a cluster print equal ones in the same second.
    """
    if run.run.started_at is None or not has_benchmark_figures(run):
        return None
    conditions = (run.run.tool, run.run.started_at.isoformat(), run.run.args, [device.name_raw for device in run.devices])
    return _digest([*conditions, sorted(repr(_test(figure)) for figure in run.measurements)])


def hash_figures(run: ParsedRun) -> str:
    """Hash of a run's figures."""
    return _digest([[*map(repr, _test(figure)), repr(figure.value)] for figure in run.measurements])


def parser_versions() -> dict[str, int]:
    """Version of each format's parser, for the record of a refusal: with a newer parser the file is worth another try."""
    formats: list[TextFormat | JsonFormat] = [*text_formats(), *json_formats()]
    return dict(sorted((tool_of(form), form.PARSER_VERSION) for form in formats))


def _test(figure: Measurement) -> tuple[Any, ...]:
    return tuple(getattr(figure, name) for name in _IDENTIFYING)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def _run_facts(run: ParsedRun) -> dict[str, Any]:
    facts = {"tool": run.run.tool, "parser_version": run.run.parser_version}
    key = run_fingerprint(run)
    return facts | ({"fingerprint": key, "content": hash_figures(run)} if key else {})


def _fingerprints(facts: dict[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
    for run in facts["runs"]:
        if "fingerprint" in run:
            yield run["fingerprint"], (facts["sha256"], run["content"])


def _facts(path: Path | None) -> dict[str, Any]:
    if path is None or not sidecar_of(path).exists():
        return {}
    try:
        facts: dict[str, Any] = strict_json.parse_json(sidecar_of(path).read_text())
    except (UnicodeDecodeError, RefusedError) as error:
        problem = error.reason
        raise BuildError(f"{sidecar_of(path)}: broken ({problem}); restore it, or remove it and ingest the file again") from None
    return facts
