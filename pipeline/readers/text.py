"""Bytes to text: strict UTF-8 without control, bidirectional, zero-width or other characters that nobody sees."""

import re

from pipeline.readers import RefusedError

# C0 without tab and line ends, DEL, C1, format characters (zero width, bidi, tags), line separators, noncharacters
_INVISIBLE_RANGES = (
    (0x00, 0x08), (0x0B, 0x0C), (0x0E, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x600, 0x605), (0x61C, 0x61C), (0x6DD, 0x6DD),
    (0x70F, 0x70F), (0x8E2, 0x8E2), (0x180E, 0x180E), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0xFDD0, 0xFDEF),
    (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB), (0xFFFE, 0xFFFF), (0x110BD, 0x110BD), (0x110CD, 0x110CD), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE007F), *((plane << 16 | 0xFFFE, plane << 16 | 0xFFFF) for plane in range(1, 17)),
)  # fmt: skip
_CLASS = "".join(rf"\U{low:08x}-\U{high:08x}" for low, high in _INVISIBLE_RANGES)
_INVISIBLE = re.compile(f"[{_CLASS}]")
_INVISIBLE_OR_RETURN = re.compile(f"[{_CLASS}\r]")
# the same characters and the carriage return, in the syntax of DuckDB's regular expressions (RE2)
INVISIBLE_RE2 = "[" + "".join(rf"\x{{{low:X}}}-\x{{{high:X}}}" for low, high in _INVISIBLE_RANGES) + r"\r]"


def decode_utf8(raw: bytes, first_line: int = 1) -> str:
    """Decode strictly. Raises RefusedError ENCODING with the byte and the line, counted from `first_line`."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} (0x{raw[error.start]:02x}) is not UTF-8; save the file as UTF-8"
        raise RefusedError("ENCODING", reason, raw.count(b"\n", 0, error.start) + first_line) from None


def refuse_invisible(text: str, *, first_line: int = 1, allow_return: bool = False) -> None:
    """Raise RefusedError CONTROL_CHAR for the first invisible character; tab and line feed are allowed.

    A carriage return is allowed with `allow_return` only, and ends a line then.
    """
    if text.isprintable():  # faster than the pattern, and true for almost every line
        return
    if match := (_INVISIBLE if allow_return else _INVISIBLE_OR_RETURN).search(text):
        reason = f"the control or invisible character U+{ord(match[0]):04X}; remove it"
        raise RefusedError("CONTROL_CHAR", reason, line_of(text, match.start()) + first_line - 1)


def remove_invisible(text: str) -> str:
    """The text without invisible characters and carriage returns."""
    return _INVISIBLE_OR_RETURN.sub("", text)


def line_of(text: str, place: int) -> int:
    r"""Number of the line, from 1, that the character at `place` is on; lines end with \n, \r\n or \r."""
    return text.count("\n", 0, place) + text.count("\r", 0, place) - text.count("\r\n", 0, place) + 1
