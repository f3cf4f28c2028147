"""JSON as an upload may hold it: one document or one per line, no key twice, no NaN, bounded depth and width."""

import json
import re
from typing import Any

from benchmarks.formats.core import MOST_DIGITS, RefusedError

MOST_KEYS = 512
_OPENS = re.compile(r"\s*(\{\s*[\"}]|\[\s*[\[{\"\]\-\dtfnNI])")
_BEGINS = r"[ \t]*(?=(?:\[\s*)?\{\s*\")"
_BEGINS_HERE = re.compile(_BEGINS)
_BEGINS_A_LINE = re.compile("^" + _BEGINS, re.MULTILINE)
_SCALAR = re.compile(r"\s*(-?\d[\d.eE+-]*|true|false|null|\"[^\"\n]*\")\s*")


def looks_like_json(text: str) -> bool:
    return bool(_OPENS.match(text) or _SCALAR.fullmatch(text))


def document(text: str) -> Any:
    """The decoded document; a file with one object per line gives a list. Raises RefusedError."""
    try:
        return _decode(text)
    except json.JSONDecodeError as error:
        lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
        if len(lines) < 2 or not all(line.lstrip().startswith("{") for _, line in lines) or error.lineno > 2:
            raise RefusedError("PARSE", f"broken JSON ({error.msg}); upload the file whole", error.lineno) from None
    return [_line(number, line) for number, line in lines]


def documents(text: str) -> tuple[list[Any], str]:
    """The documents with which lines of a text begin, and the text without them, its lines numbered as before.

    Raises RefusedError: PARSE with its line for one that begins and is broken.
    """
    found: list[Any] = []
    rest: list[str] = []
    at = 0
    while begin := _BEGINS_HERE.match(text, at) or _BEGINS_A_LINE.search(text, at):
        decoded, end = _decode_at(text, begin.end())
        found.append(decoded)
        rest += [text[at : begin.end()], "\n" * text.count("\n", begin.end(), end)]
        at = end
    return found, "".join([*rest, text[at:]])


def _decode_at(text: str, start: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise RefusedError("PARSE", f"broken JSON among other output ({error.msg}); upload each whole", error.lineno) from None
    except RecursionError:
        raise _too_deep() from None


def _line(number: int, line: str) -> Any:
    try:
        return _decode(line)
    except json.JSONDecodeError as error:
        raise RefusedError("PARSE", f"broken JSON ({error.msg}); upload the file whole", number) from None


def _decode(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise _too_deep() from None


def _too_deep() -> RefusedError:
    return RefusedError("TOO_DEEP", "JSON nested deeper than any benchmark writes")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MOST_KEYS:
        raise RefusedError("TOO_WIDE", f"a JSON object of {len(pairs)} fields; {MOST_KEYS} are the limit")
    found: dict[str, Any] = {}
    for key, value in pairs:
        if found.get(key, "") == "":  # an empty text says nothing: real system descriptions repeat their empty form
            found[key] = value
        elif not isinstance(value, str) or value not in ("", found[key]):
            raise RefusedError("DUP_KEY", f"a JSON object names the field {key[:40]!r} twice")
    return found


def _constant(name: str) -> Any:
    raise RefusedError("PARSE", f"{name} is not JSON; write null")


def _integer(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise RefusedError("RANGE", f"a whole number of {len(text)} digits")
    return int(text)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer)
