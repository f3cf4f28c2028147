"""A stored file as a parser sees it, and what a parser may say of its rows."""

import csv
import datetime as dt
import functools
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from pipeline.errors import BuildError
from pipeline.schema import Column, Record

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
_INTEGER = re.compile(r"[+-]?\d+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
R = TypeVar("R", bound=Record)
P = TypeVar("P")
T = TypeVar("T")


class UnparsableError(BuildError):
    """A stored file that cannot be read: says which file, which line and what is wrong."""


class Accepted(NamedTuple):
    """A row to keep, and the place in the file that it was read from. One source row may give several."""

    locator: str
    row: Record


class Rejected(NamedTuple):
    """A row that is not kept: the place, the row as it stood, and why (a code of the contract, and words)."""

    locator: str
    record: str
    reason_code: str
    reason: str


@dataclass(slots=True)
class Document:
    """One stored file. `rows_read` counts the rows handed out, so that a parser cannot lose one unseen.

    `path` is relative to the project's data folder; `observed_on` is the day that the publisher dated the
    file, or else the day that it was retrieved.
    """

    path: str
    raw: bytes
    observed_on: dt.date
    rows_read: int = field(default=0, init=False)

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]

    def error(self, line: int, problem: str) -> UnparsableError:
        return UnparsableError(f"{self.path} line {line}: {problem}")

    def parser_of(self, parsers: Mapping[str, P]) -> P:
        """The one of a source's parsers that is for a file of this name."""
        if self.name not in parsers:
            raise self.error(1, f"this folder holds {', '.join(sorted(parsers))}; move or rename the file")
        return parsers[self.name]

    def text(self) -> str:
        """The file as text; strict UTF-8, no control, bidirectional or zero-width character, lines ended by \\n."""
        try:
            text = self.raw.decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            raise self.error(self.raw[: error.start].count(b"\n") + 1, "not UTF-8; save the file as UTF-8") from None
        if bad := _CONTROL.search(text):
            line = text[: bad.start()].count("\n") + 1
            raise self.error(line, f"holds the invisible character U+{ord(bad[0]):04X}; remove it")
        return text

    def csv(self, columns: tuple[str, ...]) -> Iterator["Line"]:
        """Rows of a CSV file whose header must name exactly `columns`, in any order."""
        reader = csv.reader(io.StringIO(self.text(), newline=""), strict=True)
        header = self._header(reader, columns)
        while (cells := self._next(reader)) is not None:
            if len(cells) != len(header):
                raise self.error(reader.line_num, f"{len(cells)} fields where the header names {len(header)}")
            self.rows_read += 1
            yield Line(self, reader.line_num, dict(zip(header, cells, strict=True)))

    def selected(self, columns: tuple[str, ...], optional: tuple[str, ...] = (), skip: int = 0) -> Iterator["Line"]:
        """Rows of a CSV file of somebody else's, reduced to the named columns; an absent optional one reads as blank.

        `skip` lines stand before the header. Read line by line, for files too large to hold as text too.
        """
        reader = csv.reader(self._lines(), strict=True)
        for _ in range(skip):
            self._next(reader)
        header = self._next(reader) or []
        places = {name: header.index(name) for name in (*columns, *optional) if name in header}
        if missing := [name for name in columns if name not in places]:
            raise self.error(reader.line_num, f"the header lacks {missing}; the layout has changed or this is another file")
        absent = dict.fromkeys(set(optional) - set(places), "")
        wanted = tuple(places.items())
        while (cells := self._next(reader)) is not None:
            if len(cells) != len(header):
                raise self.error(reader.line_num, f"{len(cells)} fields where the header names {len(header)}")
            self.rows_read += 1
            fields = {name: cells[place] for name, place in wanted}
            yield Line(self, reader.line_num, fields | absent if absent else fields)
        if not self.rows_read:
            raise self.error(reader.line_num, "no row follows the header; the table is empty or cut off")

    def _lines(self) -> Iterator[str]:
        """Lines under the rules of `text`, one at a time; both ways to end a line are taken."""
        for number, raw in enumerate(io.BytesIO(self.raw), start=1):
            try:
                line = raw.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                raise self.error(number, "not UTF-8") from None
            if not line.isprintable() and (bad := _CONTROL.search(line)):  # the first is faster and takes almost all
                raise self.error(number, f"holds the invisible character U+{ord(bad[0]):04X}")
            yield line + "\n"

    def json(self) -> Any:
        """The file as JSON; a name given twice, NaN and Infinity are refused."""
        try:
            return json.loads(self.text(), object_pairs_hook=self._object, parse_constant=self._no_constant)
        except json.JSONDecodeError as error:
            raise self.error(error.lineno, f"broken JSON ({error.msg})") from None
        except RecursionError:
            raise self.error(1, "JSON nested too deep") from None

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise self.error(1, "a JSON object names a field twice")
        return found

    def _no_constant(self, name: str) -> Any:
        raise self.error(1, f"{name} is no number")

    def rows(self, items: Iterable[T], name: str = "item") -> Iterator[tuple[str, T]]:
        """Items of a file that is no CSV, each counted as a row and given a locator (`item 0`, `item 1`, ...)."""
        for number, item in enumerate(items):
            self.rows_read += 1
            yield f"{name} {number}", item

    def _next(self, reader: Any) -> list[str] | None:
        try:
            return next(reader, None)
        except csv.Error as error:
            raise self.error(reader.line_num, f"broken CSV ({error}); check the quotes") from None

    def _header(self, reader: Any, columns: tuple[str, ...]) -> list[str]:
        header = self._next(reader) or []
        missing, unknown = set(columns) - set(header), set(header) - set(columns)
        if missing or unknown or len(set(header)) != len(header):
            raise self.error(
                1, f"header differs: missing {sorted(missing)}, unknown {sorted(unknown)}; expected {','.join(columns)}"
            )
        return header

    def records(self, kind: type[R], **constant: Any) -> Iterator[Accepted]:
        """Rows of a CSV file whose header is the fields of `kind` that are neither constant nor filled later."""
        wanted = tuple(c for c in kind.__table__.columns if not c.col.filled and c.name not in constant)
        for line in self.csv(tuple(c.name for c in wanted)):
            yield Accepted(line.locator, kind(**{c.name: line.value(c) for c in wanted}, **constant))


@functools.lru_cache(maxsize=100_000)  # the same few figures stand in very many rows
def _number(text: str) -> float | None:
    """The number that a text is, where it is a finite one."""
    return value if _NUMBER.fullmatch(text) and math.isfinite(value := float(text)) else None


class Line(NamedTuple):
    """One row of a CSV file with typed access to its fields; a blank field is None."""

    document: Document
    line_number: int
    fields: dict[str, str]

    @property
    def locator(self) -> str:
        return f"line {self.line_number}"

    def fail(self, name: str, wanted: str) -> UnparsableError:
        return self.document.error(self.line_number, f"{name} = {self.fields[name]!r} is not {wanted}; correct the value")

    def reject(self, code: str, reason: str) -> Rejected:
        return Rejected(self.locator, ",".join(self.fields.values()), code, reason)

    def text(self, name: str) -> str:
        text = self.fields[name]
        if not text or text.isspace():
            raise self.fail(name, "a text")
        return text

    def text_or_none(self, name: str) -> str | None:
        return self.fields[name] or None

    def number(self, name: str) -> float:
        if (value := _number(self.fields[name])) is None:
            raise self.fail(name, "a number")
        return value

    def number_or_none(self, name: str) -> float | None:
        return self.number(name) if self.fields[name] else None

    def integer(self, name: str) -> int:
        if not _INTEGER.fullmatch(self.fields[name]):
            raise self.fail(name, "a whole number")
        return int(self.fields[name])

    def value(self, column: Column) -> Any:
        """The field as the type that the column declares."""
        if not self.fields[column.name] and column.nullable:
            return None
        return _READERS[column.sql_type](self, column.name)

    def day(self, name: str) -> dt.date:
        try:
            return dt.date.fromisoformat(self.fields[name])
        except ValueError:
            raise self.fail(name, "a date like 2026-11-20") from None

    def yes_no(self, name: str) -> bool:
        if self.fields[name] not in ("yes", "no"):
            raise self.fail(name, "yes or no")
        return self.fields[name] == "yes"


_READERS: dict[str, Callable[[Line, str], Any]] = {
    "VARCHAR": Line.text,
    "DOUBLE": Line.number,
    "BIGINT": Line.integer,
    "DATE": Line.day,
    "BOOLEAN": Line.yes_no,
}
