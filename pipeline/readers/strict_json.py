"""JSON without a name given twice, NaN, Infinity or endless digits: one document, one per line, or several in a log."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from pipeline.readers import RefusedError
from pipeline.readers.json_positions import RepeatingObject
from pipeline.readers.numbers import MAX_DIGITS

_MAX_KEYS_OF_UPLOADS = 512
_WHOLE = "; upload the file whole"
# an object, or a list whose first value ends as one does: a log may begin with [2026-01-02 03:04:05] or [INFO]
_OPENS = re.compile(r"\s*(\{\s*[\"}]|\[\s*(?:[\[{\"\]]|(?:true|false|null|NaN|-?Infinity|-?\d[\d.eE+-]*)\s*[,\]]))")
_BEGINS = r"[ \t]*(?=(?:\[\s*)?\{\s*\")"
_BEGINS_HERE = re.compile(_BEGINS)
_BEGINS_A_LINE = re.compile("^" + _BEGINS, re.MULTILINE)
_SCALAR = re.compile(r"\s*(-?\d[\d.eE+-]*|true|false|null|\"[^\"\n]*\")\s*")


class Extracted(NamedTuple):
    """A document among other output, its text, and the line on which it begins."""

    document: Any
    text: str
    line: int


def _object(pairs: list[tuple[str, Any]], max_keys: int | None, allow_blanks: bool) -> dict[str, Any]:
    """A decoded object. Real system descriptions repeat their empty form: with `allow_blanks` an empty text is no value."""
    if max_keys and len(pairs) > max_keys:
        raise RefusedError("TOO_WIDE", f"a JSON object of {len(pairs)} fields; {max_keys} are the limit")
    values = dict(pairs)
    if len(values) == len(pairs):
        return values
    values = RepeatingObject(pairs)
    for key, value in pairs:
        if key not in values or (allow_blanks and values[key] == ""):
            values[key] = value
        elif not (allow_blanks and isinstance(value, str) and value in ("", values[key])):
            raise RefusedError("DUP_KEY", f"a JSON object names the field {key[:40]!r} twice")
    return values


def _constant(name: str) -> Any:
    raise RefusedError("PARSE", f"{name} is not JSON; write null")


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise RefusedError("RANGE", f"a whole number of {len(text)} digits")
    return int(text)


def _decoder(max_keys: int | None, *, allow_blanks: bool) -> json.JSONDecoder:
    build = partial(_object, max_keys=max_keys, allow_blanks=allow_blanks)
    return json.JSONDecoder(object_pairs_hook=build, parse_constant=_constant, parse_int=_integer)


_OF_SOURCES = _decoder(None, allow_blanks=False)
_OF_UPLOADS = _decoder(_MAX_KEYS_OF_UPLOADS, allow_blanks=True)


@contextmanager
def _refusals(place: str = "", advice: str = "", line: int | None = None) -> Iterator[None]:
    """Turn errors of the decoder into RefusedError PARSE, with the line where the JSON breaks unless it is given, or TOO_DEEP."""
    try:
        yield
    except json.JSONDecodeError as error:
        raise RefusedError("PARSE", f"broken JSON{place} ({error.msg}){advice}", line or error.lineno) from None
    except RecursionError:
        raise RefusedError("TOO_DEEP", "JSON nested too deep") from None


def parse_json(text: str) -> Any:
    """Parse one document of a source. Raises RefusedError PARSE, DUP_KEY, RANGE or TOO_DEEP."""
    with _refusals():
        return _OF_SOURCES.decode(text)


def parse_json_at(text: str, start: int) -> Any:
    """Parse the document of a source that begins at `start`; other text may follow. Raises RefusedError as `parse_json`."""
    with _refusals():
        return _OF_SOURCES.raw_decode(text, start)[0]


def looks_like_json(text: str) -> bool:
    """Return whether the text begins as an object or a list does, or is a single value."""
    return bool(_OPENS.match(text) or _SCALAR.fullmatch(text))


def parse_upload(text: str) -> Any:
    """Parse the document of an upload; one object per line gives a list. Raises RefusedError as `parse_json`, and TOO_WIDE."""
    with _refusals(advice=_WHOLE):
        try:
            return _OF_UPLOADS.decode(text)
        except json.JSONDecodeError as error:
            lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
            if len(lines) < 2 or not all(line.lstrip().startswith("{") for _, line in lines) or error.lineno > 2:
                raise
    return [_parse_line(number, line) for number, line in lines]


def _parse_line(number: int, line: str) -> Any:
    with _refusals(advice=_WHOLE, line=number):
        return _OF_UPLOADS.decode(line)


def extract_documents(text: str) -> tuple[list[Extracted], str]:
    """Parse the documents that begin at the start of a line, and return them with the other text, its line numbers unchanged.

    Raises RefusedError as `parse_upload`, with the line of a document that begins and is broken.
    """
    documents: list[Extracted] = []
    rest: list[str] = []
    at, line = 0, 1
    while begin := _BEGINS_HERE.match(text, at) or _BEGINS_A_LINE.search(text, at):
        with _refusals(" among other output", "; upload each whole"):
            document, end = _OF_UPLOADS.raw_decode(text, begin.end())
        line += text.count("\n", at, begin.end())
        documents.append(Extracted(document, text[begin.end() : end], line))
        line += text.count("\n", begin.end(), end)
        rest += [text[at : begin.end()], "\n" * text.count("\n", begin.end(), end)]
        at = end
    return documents, "".join([*rest, text[at:]])
