"""Text and line of each number of a JSON document, so that a figure of it can be shown as printed and found in its file.

A number in quotes counts as one. The values stay floats, integers and texts; only their attributes are new.
"""

import re
from collections.abc import Iterator
from typing import Any, TypeVar

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true|false|null', re.DOTALL)
_NUMBER = re.compile(r"[+-]?[\d.][\d.eE+-]*")
_Token = tuple[str, int]


class PrintedFloat(float):
    """A number with a fraction or an exponent, its text, and its line."""

    __slots__ = ("line", "text")
    text: str
    line: int

    def __repr__(self) -> str:
        return self.text

    __str__ = __repr__


class RepeatingObject(dict[str, Any]):
    """An object whose text names a field twice, and all of its fields in their order."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__()
        self.pairs = pairs


class PrintedInt(int):
    """A whole number and its line."""

    line: int


class PrintedText(str):
    """A number in quotes and its line."""

    __slots__ = ("line",)
    line: int


_Printed = TypeVar("_Printed", PrintedFloat, PrintedInt, PrintedText)


def with_positions(document: Any, text: str, first_line: int = 1) -> Any:
    """Return the document with text and line of its numbers; `text` is the document's own, and begins on `first_line`.

    A list of the documents of a text with one per line has its positions too.
    """
    tokens = _tokens(text, first_line)
    return _located(document, tokens)


def line_of_value(value: Any) -> int | None:
    """Line of a number in its document; None if it is unknown."""
    return getattr(value, "line", None)


def printed(value: float | str) -> str:
    """Text of a number as its document prints it, still with its line."""
    if isinstance(value, str):
        return value
    text = PrintedText(repr(value))
    line = line_of_value(value)
    return _at(text, line) if line else str(text)


def _tokens(text: str, line: int) -> Iterator[_Token]:
    at = 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        yield match[0], line


def _located(value: Any, tokens: Iterator[_Token]) -> Any:
    """Copy a value, with the tokens of its text."""
    if isinstance(value, RepeatingObject):
        found = [(key, _located(item, tokens)) for key, item in value.pairs if next(tokens)]
        return {key: next(item for name, item in found if name == key and item == value[key]) for key in value}
    if isinstance(value, dict):
        return {key: _located(item, tokens) for key, item in value.items() if next(tokens)}
    if isinstance(value, list):
        return [_located(item, tokens) for item in value]
    return _located_scalar(value, *next(tokens))


def _located_scalar(value: Any, text: str, line: int) -> Any:
    if isinstance(value, str):
        return _at(PrintedText(value), line) if _NUMBER.fullmatch(value) else value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return _at(PrintedInt(value), line)
    number = _at(PrintedFloat(value), line)
    number.text = text
    return number


def _at(value: _Printed, line: int) -> _Printed:
    value.line = line
    return value
