"""Every accepted upload with its rows: a pure function of stored bytes, sidecars, names and specifications.

Parse results are cached on disk by the hash of the stored bytes and of the code that parses them, as JSON after its hash.
Annotation is not: a changed name or specification takes effect at once.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.formats.core import ParsedRun
from pipeline.errors import BuildError
from pipeline.files import read_hashed, sidecar_of, with_hash, write_atomically
from pipeline.readers import RefusedError
from pipeline.schema.benchmarks import UploadRow
from pipeline.uploads import serialization
from pipeline.uploads.annotation.runs import Reference, annotate_runs, load_reference
from pipeline.uploads.sandbox import Sandbox
from pipeline.uploads.serialization import ParsedUpload
from pipeline.uploads.store import Store, Stored
from pipeline.warehouse import cached_folder
from pipeline.warehouse.build_records import code_version
from pipeline.warehouse.code_files import imported_files

PARSERS = ("pipeline/uploads/worker.py", "benchmarks/formats")


@dataclass(frozen=True, slots=True)
class LoadedUpload:
    """An accepted upload: its row of table `upload`, and its runs."""

    row: UploadRow
    runs: list[ParsedRun]


def uploads(data: Path, cache: Path) -> Iterator[LoadedUpload]:
    """Yield every accepted upload in the order of hashes; `cache` is the folder of parse results.

    Only uploads that are not cached are parsed, in the sandbox, which starts no process otherwise.
    Raises BuildError where a stored file was changed, or where today's parsers refuse it.
    """
    store = Store(data)
    known = load_reference(data) if store.accepted.is_dir() else Reference({})
    for upload, parsed in _parse_all(store, cache):
        try:
            if isinstance(parsed, RefusedError):
                raise parsed
            origin = asdict(upload.origin)
            row = UploadRow(upload_sha256=upload.sha256, file=upload.path.name, name=upload.name, bytes=upload.size, **origin)
            yield LoadedUpload(row, annotate_runs(parsed, upload.sha256, upload.hint, known))
        except RefusedError as refused:
            place = f" line {refused.line}" if refused.line else ""
            problem = f"{upload.path}{place}: accepted once, now {refused.code} ({refused.reason})"
            raise BuildError(f"{problem}; fix the parser, or remove the file and its sidecar") from None


def _parse_all(store: Store, cache: Path) -> Iterator[tuple[Stored, ParsedUpload | RefusedError]]:
    """Each upload with its parse result, from the cache where it is there; the cache then has these results and no others."""
    used, folder = set[Path](), cache / parser_hash()
    folder.mkdir(parents=True, exist_ok=True)
    uploads = ((upload, _cached(folder / f"{upload.stored_sha256}.json")) for upload in store.uploads())
    with Sandbox() as sandbox:
        for (upload, cached), parsed in sandbox.parse_all((pair, pair[1] or pair[0].raw) for pair in uploads):
            used.add(file := folder / f"{upload.stored_sha256}.json")
            if cached is None and isinstance(parsed, ParsedUpload):
                body = json.dumps(serialization.encode(parsed), allow_nan=False, default=str).encode()
                write_atomically(file, with_hash(body))
            yield upload, parsed
    cached_folder.prune(cache, {folder})
    for outdated in set(folder.iterdir()) - used:
        outdated.unlink()


def _cached(file: Path) -> ParsedUpload | None:
    """The stored parse result; None where there is none, or the file is damaged."""
    body = read_hashed(file)
    return serialization.decode(json.loads(body)) if body else None


def parser_hash() -> str:
    """Hash of the code that turns bytes into runs, parser versions included: uploads are parsed again when it changes."""
    return code_version(*imported_files(*PARSERS))


def fingerprint(data: Path) -> str:
    """Hash of the accepted files and their sidecars: it changes when the rows of `uploads` may change for the same code."""
    digest = hashlib.sha256()
    for path in Store(data).files():
        hashes = (hashlib.sha256(file.read_bytes() if file.is_file() else b"").hexdigest() for file in (path, sidecar_of(path)))
        digest.update(f"{path.name} {' '.join(hashes)}\n".encode())
    return digest.hexdigest()
