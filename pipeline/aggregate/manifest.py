"""Inputs of each computed month: a month is computed again only if they changed."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pipeline.files import hash_file, read_hashed, with_hash, write_atomically

State = dict[str, Any]


class Manifest:
    """The state of each month in a JSON file after its hash: hashes of files and of rules. A damaged file states none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        stored = json.loads(read_hashed(path) or b"{}")
        self.months: dict[str, State] = stored.get("months", {})
        self.files: dict[str, list[int | str]] = stored.get("files", {})

    def hashes(self, files: Iterable[Path]) -> list[str]:
        """Return each file's name and SHA-256. A file of the same size and time as before is not read again."""
        return [f"{file.parent.parent.name}/{file.name} {self._hash(file)}" for file in files]

    def save(self, month: str, state: State) -> None:
        """Store the state of a month, and keep the files' hashes."""
        self.months[month] = state
        write_atomically(self.path, with_hash(json.dumps({"months": self.months, "files": self.files}, indent=1).encode()))

    def _hash(self, file: Path) -> str:
        stat = file.stat()
        now = [stat.st_size, stat.st_mtime_ns]
        *before, sha256 = self.files.get(str(file), [""])
        if before != now:
            sha256 = hash_file(file)
            self.files[str(file)] = [*now, sha256]
        return str(sha256)
