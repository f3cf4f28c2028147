"""Folders of derived files that are written once and verified before each use.

`manifest.json` lists the sha256 of every file in the folder and a few counts, and has a hash of its own content.
A folder that differs from its manifest in any byte is treated as absent: its owner writes it again.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from pipeline.files import hash_file, replace_folder

MANIFEST = "manifest.json"


def read_counts(folder: Path) -> dict[str, int] | None:
    """Return the counts of an intact folder, or None if the manifest or any file is missing, changed or unreadable."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        content = manifest["content"]
        intact = manifest["sha256"] == _hash_content(content) and content["files"] == _hash_files(folder)
        return dict(content["counts"]) if intact else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def write_folder(folder: Path, counts: dict[str, int], write_files: Callable[[Path], None]) -> None:
    """Replace the folder by the files that `write_files` creates in the folder it is called with, and their manifest.

    The folder appears in one step. If `write_files` raises, the earlier folder stays as it was.
    """
    with replace_folder(folder) as scratch:
        write_files(scratch)
        content = {"counts": counts, "files": _hash_files(scratch)}
        (scratch / MANIFEST).write_text(json.dumps({"content": content, "sha256": _hash_content(content)}))


def _hash_content(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _hash_files(folder: Path) -> dict[str, str]:
    return {path.name: hash_file(path) for path in sorted(folder.iterdir()) if path.name != MANIFEST}
