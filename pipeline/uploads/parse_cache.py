"""Parsed uploads on disk, by the hash of the stored bytes and of the code that parses them.

A file has the parse result as JSON, after its hash. Deleting the folder costs time only.
"""

import json
import shutil
from collections.abc import Collection
from pathlib import Path

from pipeline.files import read_hashed, with_hash, write_atomically
from pipeline.uploads import serialization
from pipeline.uploads.serialization import ParsedUpload
from pipeline.warehouse.build_records import code_version
from pipeline.warehouse.code_files import imported_files

PARSERS = ("pipeline/uploads/worker.py", "benchmarks/formats")


class ParseCache:
    """The cached parse results of one folder, which need not exist yet."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / parser_hash()

    def load(self, stored_sha256: str) -> ParsedUpload | None:
        """The parse result; None where it is not cached, or the cached file is damaged."""
        body = read_hashed(self._path(stored_sha256))
        return serialization.decode(json.loads(body)) if body else None

    def save(self, stored_sha256: str, parsed: ParsedUpload) -> None:
        """Store a parse result; it replaces a damaged file. Raises OSError."""
        body = json.dumps(serialization.encode(parsed), allow_nan=False, default=str).encode()
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._path(stored_sha256), with_hash(body))

    def prune(self, stored_sha256s: Collection[str]) -> None:
        """Delete the results of other parsers, and of uploads that are no longer stored."""
        if self._folder.is_dir():
            kept = {self._folder, *map(self._path, stored_sha256s)}
            for path in {*self._folder.parent.iterdir(), *self._folder.iterdir()} - kept:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def _path(self, stored_sha256: str) -> Path:
        return self._folder / f"{stored_sha256}.json"


def parser_hash() -> str:
    """Hash of the code that turns bytes into runs, parser versions included: uploads are parsed again when it changes."""
    return code_version(*imported_files(*PARSERS))
