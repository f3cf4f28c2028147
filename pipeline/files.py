"""Hashes of files, files that state their own hash, and atomic writes.

A reader of a path that is written atomically gets the old content or the whole new one, never a part. Such a path has one writer
at a time, which holds the lock of its folder. What a killed writer leaves beside it, the next one replaces.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_atomically(path: Path, raw: bytes, *, durable: bool = False) -> None:
    """Write the bytes beside `path`, then rename them into place. The folder must exist.

    `durable` flushes the file and its folder to the disk, so that the new content survives a power failure.
    Raises OSError; the previous content then is unchanged, and no scratch file is left.
    """
    scratch = _scratch(path)
    try:
        with scratch.open("wb") as file:
            file.write(raw)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        scratch.replace(path)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(path.parent)


@contextmanager
def scratch_folder(folder: Path) -> Iterator[Path]:
    """Yield the folder, created anew. It is removed at the end, also after an error or a cancellation, unless it was renamed."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def replace_folder(folder: Path) -> Iterator[Path]:
    """Yield an empty scratch folder beside `folder`, and rename it into place when the block ends without an error.

    A folder cannot be exchanged in one step: for a moment between the two renames no folder is there.
    """
    with scratch_folder(_scratch(folder)) as scratch:
        yield scratch
        shutil.rmtree(folder, ignore_errors=True)
        scratch.rename(folder)


def writable_ancestor(folder: Path) -> Path:
    """Return the folder, or the nearest one above it where it is missing. Raises OSError if no file can be written there."""
    existing = next(one for one in (folder.resolve(), *folder.resolve().parents) if one.exists())
    with tempfile.TemporaryFile(dir=existing) as file:
        file.write(b"\0" * 4096)
    return existing


def sidecar_of(path: Path) -> Path:
    """Return the path of the file NAME.json beside NAME, which states facts of it."""
    return path.with_name(f"{path.name}.json")


def hash_file(path: Path) -> str:
    """Return the sha256 of a file as hexadecimal text, without reading the file at once."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def with_hash(content: bytes) -> bytes:
    """Return the content after a line with its sha256, for a file that `read_hashed` reads."""
    return hashlib.sha256(content).hexdigest().encode() + b"\n" + content


def read_hashed(path: Path) -> bytes | None:
    """Return the content of a file that was written with its hash; None if it is missing, unreadable, or changed in any bit."""
    try:
        stated, _, content = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return content if hashlib.sha256(content).hexdigest().encode() == stated else None


def _scratch(path: Path) -> Path:
    return path.with_name(f".{path.name}.new")


def is_scratch(path: Path) -> bool:
    """Return whether a killed writer left the file beside the path that it wrote."""
    return path.name.startswith(".") and path.suffix == ".new"


def sync_folder(folder: Path) -> None:
    """Flush a folder's list of names to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
