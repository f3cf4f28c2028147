"""Checks before anything is decoded: a regular file of bounded size, read once, whose first bytes are not binary.

Everything that needs decoded text belongs in `decoding`, which runs in the child process.
"""

import os
import re
import stat
import zlib
from pathlib import Path
from typing import BinaryIO

from pipeline.readers import RefusedError

MAX_BYTES = 4 * 2**20
MAX_RATIO = 500  # deflate ends at 1032; text of benchmark tools stays below 100
HEAD_BYTES = 4096
_CHUNK = 2**16
_MAGIC = {
    "a Parquet file": (b"PAR1",),
    "a zip archive": (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"),
    "a program": (b"\x7fELF",),
    "a picture": (b"\x89PNG", b"GIF8", b"\xff\xd8\xff"),
    "a media file": (b"RIFF",),
    "a PDF": (b"%PDF",),
    "a SQLite database": (b"SQLite format 3\0",),
    "a bzip2 archive": (b"BZh",),
    "an xz archive": (b"\xfd7zXZ\0",),
    "a 7z archive": (b"7z\xbc\xaf",),
    "a zstd archive": (b"\x28\xb5\x2f\xfd",),
    "a rar archive": (b"Rar!",),
    "an Arrow file": (b"ARROW1",),
    "an ORC file": (b"ORC",),
    "an Avro file": (b"Obj\x01",),
    "an old Office document": (b"\xd0\xcf\x11\xe0",),
    "a NumPy array": (b"\x93NUMPY",),
    "an HDF5 file": (b"\x89HDF",),
    "a model file": (b"GGUF",),
    "an RTF document": (b"{\\rtf",),
}
_PAGE = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.{0,500}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_DONE = ".done"


def read_file(path: Path) -> bytes:
    """Read a small regular file. Raises RefusedError CONTENT_TYPE (a link, a pipe), SIZE, TRUNCATED, UNREADABLE."""
    try:
        with _open(path) as file:
            before = os.fstat(file.fileno())
            if before.st_size > MAX_BYTES:
                raise _too_large(before.st_size)
            raw = read_stream(file)
            after = os.fstat(file.fileno())
    except OSError as error:
        raise RefusedError("UNREADABLE", f"cannot be read: {error.strerror}; correct that and try again") from None
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise RefusedError("TRUNCATED", "the file changed while it was read; try again when its writer is done")
    return raw


def read_stream(stream: BinaryIO) -> bytes:
    """Read a pipe to its end. Raises RefusedError SIZE."""
    raw = stream.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise _too_large(len(raw))
    return raw


def read_head(path: Path) -> bytes:
    """The first bytes; none if the path is not a readable regular file."""
    try:
        with _open(path) as file:
            return file.read(HEAD_BYTES)
    except (RefusedError, OSError):
        return b""


def is_settled(path: Path, now: float, quiet_s: float) -> bool:
    """Return whether a file's writer is done: there is a marker NAME.done, or no change for `quiet_s` seconds."""
    return marker(path).exists() or now - path.lstat().st_mtime >= quiet_s


def marker(path: Path) -> Path:
    """Path of the empty file NAME.done, with which a writer marks NAME as complete."""
    return path.with_name(path.name + _DONE)


def is_marker(path: Path) -> bool:
    """Return whether the path is the marker of another file in the folder."""
    return path.suffix == _DONE and os.path.lexists(path.with_suffix(""))


def refuse_binary(raw: bytes) -> None:
    """Raise RefusedError EMPTY, CONTENT_TYPE, RATIO, SIZE or PARSE if the bytes do not begin like a text."""
    if not raw:
        raise RefusedError("EMPTY", "the file is empty; if its upload is under way, try again when it is done")
    if raw.startswith(b"\x1f\x8b"):
        raise _refusal_of_gzip(raw)
    if kind := _binary(raw):
        raise RefusedError("CONTENT_TYPE", f"this is {kind}; upload the tool's output as text, CSV, JSON, XML or Markdown")


def _open(path: Path) -> BinaryIO:
    """Open without following a link or waiting for a FIFO's writer."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise _not_regular()
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _not_regular()
    return os.fdopen(descriptor, "rb")


def _not_regular() -> RefusedError:
    return RefusedError("CONTENT_TYPE", "not a regular file (a link, folder, pipe or device); give the file itself")


def _too_large(size: int) -> RefusedError:
    more = f"{size:,} bytes" if size > MAX_BYTES + 1 else "more"
    return RefusedError("SIZE", f"{more} where {MAX_BYTES:,} are the limit; cut the output to the runs that matter")


def _binary(raw: bytes) -> str:
    if kind := next((kind for kind, beginnings in _MAGIC.items() if raw.startswith(beginnings)), None):
        return kind
    if raw[8:12] == b"DUCK":
        return "a DuckDB database"
    if raw.startswith(b"MZ") and b"\0" in raw[:64]:
        return "a program"
    if raw[257:262] == b"ustar":
        return "a tar archive"
    return "a web page" if _PAGE.match(raw[:HEAD_BYTES]) else ""


def _refusal_of_gzip(raw: bytes) -> RefusedError:
    """The reason to refuse a gzip. It is unpacked in steps to learn its size, and the content is discarded."""
    decoder, left, unpacked = zlib.decompressobj(wbits=31), raw, 0
    try:
        while left and not decoder.eof and unpacked <= MAX_BYTES:
            unpacked += len(decoder.decompress(left, _CHUNK))
            left = decoder.unconsumed_tail
    except zlib.error:
        return RefusedError("PARSE", "a damaged gzip; unpack it and upload the text")
    if unpacked > MAX_RATIO * (len(raw) - len(left)):
        return RefusedError("RATIO", f"a gzip that grows more than {MAX_RATIO}-fold; upload the text itself")
    if unpacked > MAX_BYTES:
        return RefusedError("SIZE", f"a gzip of more than {MAX_BYTES:,} bytes; unpack it and cut the output")
    if not decoder.eof:
        return RefusedError("PARSE", "a gzip that is cut short; upload the text itself")
    return RefusedError("CONTENT_TYPE", "a gzip archive; unpack it and upload the text")
