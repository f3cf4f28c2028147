"""Folders of derived files that are written once and verified before each use.

`manifest.json` lists the sha256 of every file in the folder and a few counts, after a hash of its own content.
A folder that differs from its manifest in any byte is treated as absent: its owner writes it again.
"""

import json
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.files import hash_file, read_hashed, replace_folder, with_hash

MANIFEST = "manifest.json"


def read_counts(folder: Path) -> dict[str, int] | None:
    """Return the counts of an intact folder, or None if the manifest or any file is missing, changed or unreadable."""
    try:
        content = read_hashed(folder / MANIFEST)
        manifest = json.loads(content) if content else None
        return dict(manifest["counts"]) if manifest and manifest["files"] == _hash_files(folder) else None
    except OSError:
        return None


@contextmanager
def written(folder: Path, counts: dict[str, int]) -> Iterator[Path]:
    """Yield an empty scratch folder for the files, and replace the folder by it and its manifest when the block ends.

    The folder appears in one step. If the block raises, the earlier folder stays as it was.
    """
    with replace_folder(folder) as scratch:
        yield scratch
        content = {"counts": counts, "files": _hash_files(scratch)}
        (scratch / MANIFEST).write_bytes(with_hash(json.dumps(content).encode()))


def prune(parent: Path, kept: Collection[Path]) -> None:
    """Delete the folders in `parent` that no longer count, so that a cache does not grow with each change of code or data."""
    for path in set(parent.iterdir()) - set(kept) if parent.is_dir() else ():
        if path.is_dir():  # not the notes of a file manager
            shutil.rmtree(path)


def _hash_files(folder: Path) -> dict[str, str]:
    return {path.name: hash_file(path) for path in sorted(folder.iterdir()) if path.name != MANIFEST}
