"""What is settled before anything is decoded: a regular file of bounded size, read once, whose first bytes are not binary.

Decoding and what depends on it belongs in `text`, which runs in the child process.
"""

import os
import re
import stat
import zlib
from pathlib import Path
from typing import BinaryIO

from pipeline.readers import RefusedError

MOST_BYTES = 4 * 2**20
MOST_RATIO = 500  # deflate ends at 1032; text of benchmark tools stays below 100
HEAD_BYTES = 4096
_CHUNK = 2**16
_MAGIC = {
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a zip archive",
    b"PK\x05\x06": "a zip archive",
    b"PK\x07\x08": "a zip archive",
    b"\x7fELF": "a program",
    b"\x89PNG": "a picture",
    b"GIF8": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"RIFF": "a media file",
    b"%PDF": "a PDF",
    b"SQLite format 3\0": "a SQLite database",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ\0": "an xz archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"Rar!": "a rar archive",
    b"ARROW1": "an Arrow file",
    b"ORC": "an ORC file",
    b"Obj\x01": "an Avro file",
    b"\xd0\xcf\x11\xe0": "an old Office document",
    b"\x93NUMPY": "a NumPy array",
    b"\x89HDF": "an HDF5 file",
    b"GGUF": "a model file",
    b"{\\rtf": "an RTF document",
}
_PAGE = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.{0,500}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_DONE = ".done"


def take(path: Path) -> bytes:
    """The bytes of a small regular file. Raises RefusedError CONTENT_TYPE (a link, a pipe), SIZE, TRUNCATED, UNREADABLE."""
    try:
        return _whole(path)
    except OSError as error:
        raise _unreadable(error) from None


def _whole(path: Path) -> bytes:
    with _opened(path) as file:
        before = os.fstat(file.fileno())
        if before.st_size > MOST_BYTES:
            raise _too_large(before.st_size)
        raw = take_stream(file)
        after = os.fstat(file.fileno())
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise RefusedError("TRUNCATED", "the file changed while it was read; try again when its writer is done")
    return raw


def take_stream(stream: BinaryIO) -> bytes:
    """The bytes of a pipe. Raises RefusedError SIZE."""
    raw = stream.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise _too_large(len(raw))
    return raw


def head(path: Path) -> bytes:
    """The first bytes, or none where the path is no regular file that can be read."""
    try:
        with _opened(path) as file:
            return file.read(HEAD_BYTES)
    except (RefusedError, OSError):
        return b""


def is_settled(path: Path, now: float, quiet_s: float) -> bool:
    """Whether a file's writer is done: a marker NAME.done lies beside it, or it has not changed for `quiet_s` seconds."""
    return marker(path).exists() or now - path.lstat().st_mtime >= quiet_s


def marker(path: Path) -> Path:
    """The file by which a writer says that another one is whole."""
    return path.with_name(path.name + _DONE)


def is_marker(path: Path) -> bool:
    """Whether the path is the marker of a file beside it."""
    return path.suffix == _DONE and os.path.lexists(path.with_suffix(""))


def check(raw: bytes) -> None:
    """Raises RefusedError EMPTY, CONTENT_TYPE, RATIO, SIZE or PARSE where the bytes begin like anything but a text."""
    if not raw:
        raise RefusedError("EMPTY", "the file holds no byte; if its upload is under way, try again when it is done")
    if raw.startswith(b"\x1f\x8b"):
        raise _of_gzip(raw)
    if what := _binary(raw):
        raise RefusedError("CONTENT_TYPE", f"this is {what}; upload the tool's output as text, CSV, JSON, XML or Markdown")


def _opened(path: Path) -> BinaryIO:
    """Open without following a link and without waiting for a FIFO's writer."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise _not_regular()
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise _unreadable(error) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _not_regular()
    return os.fdopen(descriptor, "rb")


def _unreadable(error: OSError) -> RefusedError:
    return RefusedError("UNREADABLE", f"cannot be read: {error.strerror}; mend that and try again")


def _not_regular() -> RefusedError:
    return RefusedError("CONTENT_TYPE", "not a regular file (a link, folder, pipe or device); give the file itself")


def _too_large(size: int) -> RefusedError:
    more = f"{size:,} bytes" if size > MOST_BYTES + 1 else "more"
    return RefusedError("SIZE", f"{more} where {MOST_BYTES:,} are the limit; cut the output to the runs that matter")


def _binary(raw: bytes) -> str:
    for magic, what in _MAGIC.items():
        if raw.startswith(magic):
            return what
    if raw[8:12] == b"DUCK":
        return "a DuckDB database"
    if raw.startswith(b"MZ") and b"\0" in raw[:64]:
        return "a program"
    if raw[257:262] == b"ustar":
        return "a tar archive"
    return "a web page" if _PAGE.match(raw[:HEAD_BYTES]) else ""


def _of_gzip(raw: bytes) -> RefusedError:
    """Why a gzip is refused: what it grows to is counted in steps, and nothing of it is kept."""
    decoder, left, grown = zlib.decompressobj(wbits=31), raw, 0
    try:
        while left and not decoder.eof and grown <= MOST_BYTES:
            grown += len(decoder.decompress(left, _CHUNK))
            left = decoder.unconsumed_tail
    except zlib.error:
        return RefusedError("PARSE", "a damaged gzip; unpack it and upload the text")
    if grown > MOST_RATIO * (len(raw) - len(left)):
        return RefusedError("RATIO", f"a gzip that grows more than {MOST_RATIO}-fold; upload the text itself")
    if grown > MOST_BYTES:
        return RefusedError("SIZE", f"a gzip of more than {MOST_BYTES:,} bytes; unpack it and cut the output")
    if not decoder.eof:
        return RefusedError("PARSE", "a gzip that is cut short; upload the text itself")
    return RefusedError("CONTENT_TYPE", "a gzip archive; unpack it and upload the text")
