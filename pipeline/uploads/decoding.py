"""Bytes of an upload to the text that a format parses: bounded in lines, columns and nesting, after the rules of the readers."""

import re

from pipeline.readers import RefusedError, strict_json
from pipeline.readers.text import decode_utf8, line_of, refuse_invisible

MAX_LINE_BYTES = 64 * 2**10
MAX_LINES = 50_000
MAX_COLUMNS = 64
MAX_DEPTH = 64
MAX_VALUES = 500_000
MAX_CONTAINERS = 100_000  # objects and lists of a JSON document; each takes some 200 bytes when decoded
_WIDE_BOMS = {b"\xff\xfe\0\0": "UTF-32", b"\0\0\xfe\xff": "UTF-32", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_SAMPLE = 4096
_LONG_LINE = re.compile(rf"(?<![^\r\n])[^\r\n]{{{MAX_LINE_BYTES // 4 + 1}}}")  # in characters; one has up to 4 bytes
_NOT_UTF8 = re.compile(r"[\udc80-\udcff]")  # the surrogates that Python puts in the place of such bytes
_LINE_END = re.compile(r"[\r\n]")
_STRING_OR_BRACKET = re.compile(r'"[^"]*"?|[\[\]{},]')


def decode(raw: bytes, torn: str | None = None) -> str:
    """The text of an upload, with its own line ends; `torn` replaces bytes that are not UTF-8.

    Raises RefusedError ENCODING for such bytes without `torn`, and CONTROL_CHAR, EMPTY, TOO_WIDE, ...
    """
    _refuse_wide(raw)
    text = decode_utf8(raw) if torn is None else _NOT_UTF8.sub(torn, raw.decode("utf-8", errors="surrogateescape"))
    text = text.removeprefix("\ufeff")
    refuse_invisible(text, allow_return=True)
    if not text.strip():
        raise RefusedError("EMPTY", "nothing but blanks; upload the tool's output")
    if strict_json.looks_like_json(text):
        _bound_json(text)
    else:
        _bound_lines(text)
    return text


def _refuse_wide(raw: bytes) -> None:
    if wide := next((name for bom, name in _WIDE_BOMS.items() if raw.startswith(bom)), _wide_without_mark(raw)):
        hint = "save it as UTF-8; in PowerShell: ... | Out-File -Encoding utf8 FILE"
        raise RefusedError("ENCODING", f"{wide} where UTF-8 is read (byte 0); {hint}", 1)


def _wide_without_mark(raw: bytes) -> str:
    """Name UTF-16 without a byte order mark: ASCII in two bytes has a NUL in every second place."""
    even, odd = raw[0:_SAMPLE:2], raw[1:_SAMPLE:2]
    half = max(1, len(odd)) / 2
    return "UTF-16 without its mark" if (even.count(0) > half) != (odd.count(0) > half) else ""


def _bound_lines(text: str) -> None:
    first = re.match(r"[\r\n ]*([^\r\n]*)", text)
    columns = max(first[1].count(mark) for mark in ",;\t") + 1 if first else 0
    if columns > MAX_COLUMNS:
        raise RefusedError("TOO_WIDE", f"{columns:,} columns where {MAX_COLUMNS} are the limit", 1)
    if max(text.count("\n"), text.count("\r")) > MAX_LINES:
        raise RefusedError("SIZE", f"more than {MAX_LINES:,} lines; cut the output to the runs that matter")
    for long in _LONG_LINE.finditer(text):
        most = long.start() + MAX_LINE_BYTES + 1
        end = _LINE_END.search(text, long.end(), most)
        if len(text[long.start() : end.start() if end else most].encode()) > MAX_LINE_BYTES:
            reason = f"a line of more than {MAX_LINE_BYTES // 2**10} KiB; no benchmark prints one"
            raise RefusedError("LINE_TOO_LONG", reason, line_of(text, long.start()))


def _bound_json(text: str) -> None:
    """Limit nesting and the number of objects, lists and values by counting signs: a decoder would recurse."""
    depth = containers = values = 0
    for token in _STRING_OR_BRACKET.finditer(text.replace("\\\\", "").replace('\\"', "")):
        if token[0] in "[{":
            depth, containers = depth + 1, containers + 1
        elif token[0] in "]}":
            depth -= 1
        elif token[0] == ",":
            values += 1
        if depth > MAX_DEPTH:
            raise RefusedError("TOO_DEEP", f"JSON nested more than {MAX_DEPTH} deep; no benchmark writes that")
        if containers > MAX_CONTAINERS or values > MAX_VALUES:
            many = f"more than {MAX_CONTAINERS:,} JSON objects and lists, or {MAX_VALUES:,} values"
            raise RefusedError("SIZE", f"{many}; upload the summary alone")
