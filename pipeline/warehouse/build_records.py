"""Versions of materialized assets: the facts that decide whether an asset is up to date.

An asset is up to date while its code and the data versions of its inputs are those of its last materialization.
The facts are files of the build folder, one per asset, so that any process can check them without Dagster.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pipeline.errors import BuildError
from pipeline.files import hash_file, write_atomically
from pipeline.paths import ROOT


class NotMaterializedError(BuildError):
    """An input of an asset has never been materialized in this build folder."""


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """One materialization: version of the result, of the code, and of each input by asset name, and facts of it for the UI."""

    data_version: str
    code_version: str
    inputs: Mapping[str, str]
    metadata: Mapping[str, Any] = field(default_factory=dict)


class BuildRecords:
    """The latest materialization of each asset of one build folder. Names are asset keys joined by slashes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, asset: str) -> BuildRecord | None:
        """Return the latest record; None for an asset that is not materialized or whose record is unreadable."""
        try:
            return BuildRecord(**json.loads(self._path(asset).read_text()))
        except (OSError, ValueError, TypeError):
            return None

    def save(self, asset: str, record: BuildRecord) -> None:
        """Store the record of a materialization that succeeded."""
        path = self._path(asset)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(asdict(record)).encode())

    def delete(self, asset: str) -> None:
        """Mark the asset as not materialized: call this before its result is overwritten."""
        self._path(asset).unlink(missing_ok=True)

    def delete_tables(self) -> None:
        """Mark every table as not materialized; records of sources, whose names have a slash, stay."""
        for path in self._folder.glob("*.json"):
            if "." not in path.stem:
                path.unlink()

    def input_versions(self, asset: str, inputs: Iterable[str]) -> dict[str, str]:
        """Return the data version of each input. Raises NotMaterializedError on the first that has none."""
        versions = {}
        for name in sorted(inputs):
            record = self.get(name)
            if record is None:
                hint = f'or {asset} with all its inputs by the selection +key:"{asset}"'
                raise NotMaterializedError(f"{asset}: its input {name} is not materialized; materialize {name} first, {hint}")
            versions[name] = record.data_version
        return versions

    def _path(self, asset: str) -> Path:
        return self._folder / f"{asset.replace('/', '.')}.json"


def version_of(*parts: object) -> str:
    """Return a short hash of the parts' text: the data version of a result that these parts determine."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


@cache
def code_version(*paths: str) -> str:
    """Return a hash of the source files below `paths`, which are relative to the project's root. Read once per process."""
    files = sorted({file for path in paths for file in _source_files(ROOT / path)})
    return version_of(*((str(file.relative_to(ROOT)), hash_file(file)) for file in files))


@cache
def _source_files(path: Path) -> Sequence[Path]:
    if path.is_file():
        return [path]
    files: list[Path] = []
    for folder, folders, names in os.walk(path):
        folders[:] = set(folders) - {"__pycache__", "node_modules"}  # walks no further into them, which have 17,000 files
        files += [file for name in names if (file := Path(folder, name)).is_file()]  # no lock of an editor, a link to nothing
    return files
