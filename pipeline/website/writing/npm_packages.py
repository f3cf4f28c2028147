"""Files from npm packages: the engine of the SQL page, and the worker shim of the edition for reading from disk.

`make site` installs the packages of `site/package-lock.json` and runs `site/engine.mjs`. Without them, the site is built
without an engine and without that edition.
"""

import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from pipeline.paths import SITE

MODULES = SITE / "node_modules"
READY = MODULES / ".gpuledger" / "duckdb"
CLIENT, WORKER, WASM, LICENCES = "duckdb.js", "duckdb.worker.js", "duckdb.wasm.gz", "licences.txt"
_MANIFEST = READY / "engine.json"  # written last
_SHIM = MODULES / "iframe-worker" / "shim" / "index.js"


@dataclass(frozen=True, slots=True)
class Engine:
    """DuckDB-WASM: the version of its package, and the bytes that a reader downloads."""

    version: str
    bytes: int

    def copy_to(self, folder: Path) -> None:
        """Copy the engine's files into a folder of the site."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in (CLIENT, WORKER, WASM, LICENCES):
            shutil.copyfile(READY / name, folder / name)


def engine() -> Engine | None:
    """The engine; None if it was not made, or not to the end."""
    return Engine(**json.loads(_MANIFEST.read_text(encoding="utf-8"))) if _MANIFEST.exists() else None


def packages_version() -> str:
    """Version of the packages that the site includes; empty where they are not installed."""
    return hashlib.sha256(_MANIFEST.read_bytes()).hexdigest()[:16] if _MANIFEST.exists() else ""


def shim() -> Path | None:
    """The script that replaces workers on pages opened from disk, its license two folders up; None if it is missing."""
    return _SHIM if _SHIM.exists() else None
