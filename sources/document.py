"""A stored file for a parser to read, and the rows that a parser yields."""

import datetime as dt
import functools
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from pipeline.errors import BuildError
from pipeline.readers import RefusedError, numbers, strict_csv, strict_json
from pipeline.readers.text import decode_utf8, refuse_invisible
from pipeline.schema import Column, Record

R = TypeVar("R", bound=Record)
P = TypeVar("P")
T = TypeVar("T")


class UnparsableError(BuildError):
    """A stored file that cannot be read; the message names the file, the line and the problem."""


class Accepted(NamedTuple):
    """A row, and its place in the file. One row of the file may give several."""

    locator: str
    row: Record


class Rejected(NamedTuple):
    """A refused row: its place, the row as written, and the reason (a code of the contract, and words)."""

    locator: str
    record: str
    reason_code: str
    reason: str


@dataclass(slots=True)
class Document:
    """One stored file. `rows_read` counts the rows handed to the parser, so that it cannot lose one unnoticed.

    `path` is relative to the project's data folder. `observed_on` is the publisher's date of the file, else that of retrieval.
    `items` has the text of each row that is not a line of the file, by locator: pages show it as the row's excerpt.
    """

    path: str
    raw: bytes
    observed_on: dt.date
    rows_read: int = field(default=0, init=False)
    items: dict[str, str] = field(default_factory=dict, init=False)

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]

    def error(self, line: int, problem: str) -> UnparsableError:
        return UnparsableError(f"{self.path} line {line}: {problem}")

    def parser_of(self, parsers: Mapping[str, P]) -> P:
        """Return the parser for a file of this name, from a source's parsers by name."""
        if self.name not in parsers:
            raise self.error(1, f"this source reads {', '.join(sorted(parsers))}; rename the file")
        return parsers[self.name]

    def text(self) -> str:
        """The file as text: strict UTF-8 without invisible characters, lines ended by \\n."""
        with self._refusals():
            text = decode_utf8(self.raw).replace("\r\n", "\n")
            refuse_invisible(text)
        return text

    def csv(self, columns: tuple[str, ...], *, filled: bool = False) -> Iterator["Line"]:
        """Rows of a CSV file whose header must name exactly `columns`, in any order; of a `filled` file at least one."""
        rows = self.csv_rows()
        number, header = next(rows, (1, []))
        if faults := _header_faults(header, columns):
            raise self.error(number, f"the header {faults}; if the layout is new, adapt the parser")
        for number, cells in rows:
            self.rows_read += 1
            yield Line(self, number, dict(zip(header, cells, strict=True)))
        if filled:
            self._refuse_empty(number)

    def selected(self, columns: tuple[str, ...], optional: tuple[str, ...] = (), skip: int = 0) -> Iterator["Line"]:
        """Rows of a publisher's CSV file, reduced to the named columns; an absent optional column reads as blank.

        `skip` lines come before the header. The file is read line by line, so it may be larger than memory allows as text.
        """
        rows = self.csv_rows(skip=skip)
        number, header = next(rows, (1, []))
        places = {name: header.index(name) for name in (*columns, *optional) if name in header}
        if missing := [name for name in columns if name not in places]:
            raise self.error(number, f"the header lacks {', '.join(missing)}; the layout has changed or this is another file")
        absent = dict.fromkeys(set(optional) - set(places), "")
        columns_read = tuple(places.items())
        for number, cells in rows:
            self.rows_read += 1
            fields = {name: cells[place] for name, place in columns_read}
            yield Line(self, number, fields | absent if absent else fields)
        self._refuse_empty(number)

    def _refuse_empty(self, line: int) -> None:
        if not self.rows_read:
            raise self.error(line, "no row follows the header; the table is empty or cut off")

    def csv_rows(self, *, skip: int = 0, skip_spaces: bool = False) -> Iterator[tuple[int, list[str]]]:
        """Line number and cells of each row, the header first; the rules are those of `strict_csv.read_rows`."""
        with self._refusals():
            yield from strict_csv.read_rows(self._lines(), skip=skip, skip_spaces=skip_spaces)

    def _lines(self) -> Iterator[str]:
        """Lines under the rules of `text`, one at a time."""
        for number, raw in enumerate(io.BytesIO(self.raw), start=1):
            line = decode_utf8(raw, number).rstrip("\r\n")
            refuse_invisible(line, first_line=number)
            yield line + "\n"

    def json(self) -> Any:
        """The file as JSON; a name given twice, NaN and Infinity are refused."""
        with self._refusals():
            return strict_json.parse_json(self.text())

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Turn what a reader refuses into an UnparsableError with the path."""
        try:
            yield
        except RefusedError as refused:
            raise self.error(refused.line or 1, refused.reason) from None

    def rows(self, items: Iterable[T], name: str = "item") -> Iterator[tuple[str, T]]:
        """Items of a file that is not CSV, each counted as a row, with a locator (`item 0`, `item 1`, ...)."""
        for number, item in enumerate(items):
            self.rows_read += 1
            locator = f"{name} {number}"
            self.items[locator] = _to_json(_plain(item))
            yield locator, item

    def records(self, kind: type[R], **constant: Any) -> Iterator[Accepted]:
        """Rows of a CSV file whose header is the fields of `kind` that are neither constant nor filled in later."""
        for line in self.csv(tuple(c.name for c in kind.__table__.columns if not c.col.filled and c.name not in constant)):
            yield Accepted(line.locator, line.record(kind, **constant))


def _header_faults(header: list[str], columns: tuple[str, ...]) -> str:
    """Return how the header differs from the columns that it must name, each once; "" if it does not."""
    if not header:
        return "is missing: the line is empty"
    named = dict.fromkeys(header)
    faults = {
        "lacks": [name for name in columns if name not in named],
        "has the unknown": [name[:40] or '""' for name in named if name not in columns],
        "repeats": [name for name in named if name in columns and header.count(name) > 1],
    }
    return " and ".join(f"{verb} {', '.join(names)}" for verb, names in faults.items() if names)


Parse = Callable[[Document], Iterator[Accepted | Rejected]]


def rows_of(kind: type[Record], /, dated: str | None = None, **constant: Any) -> Parse:
    """Return a parser of files whose columns are the fields of `kind`, as `records` reads them; `dated` has the file's date."""
    return lambda document: document.records(kind, **constant, **({dated: document.observed_on} if dated else {}))


def lines_of(columns: tuple[str, ...], row: Callable[["Line"], Record], *, exactly: bool = True) -> Parse:
    """Return a parser that makes a row of each line, of CSV files with exactly these columns or with others beside them."""

    def parse(document: Document) -> Iterator[Accepted]:
        lines = document.csv(columns) if exactly else document.selected(columns)
        return (Accepted(line.locator, row(line)) for line in lines)

    return parse


def by_file_name(parsers: Mapping[str, Parse]) -> Parse:
    return lambda document: document.parser_of(parsers)(document)


def _plain(item: Any) -> Any:
    """Return what an item says: the fields of an object, the markup of an element, the parts of a tuple."""
    for name in ("fields", "html"):
        if hasattr(item, name):
            return getattr(item, name)
    return [_plain(part) for part in item] if isinstance(item, tuple) else item


_to_json = json.JSONEncoder(ensure_ascii=False, default=str).encode
_parse_number = functools.lru_cache(maxsize=100_000)(numbers.parse_number)  # files repeat the same few figures


def part_locator(locator: str, part: str) -> str:
    """Return the locator of one of several prices in a row."""
    return f"{locator}, {part}" if part else locator


class Line(NamedTuple):
    """One row of a CSV file with typed access to its fields; a blank field is None."""

    document: Document
    line_number: int
    fields: dict[str, str]

    @property
    def locator(self) -> str:
        return f"line {self.line_number}"

    def fail(self, name: str, expected: str) -> UnparsableError:
        return self.document.error(self.line_number, f"{name} = {self.fields[name]!r} is not {expected}")

    def reject(self, code: str, reason: str, part: str = "") -> Rejected:
        """Reject the row, or one price of it named by `part`."""
        return Rejected(part_locator(self.locator, part), ",".join(self.fields.values()), code, reason)

    def text(self, name: str) -> str:
        text = self.fields[name]
        if not text or text.isspace():
            raise self.fail(name, "a text")
        return text

    def text_or_none(self, name: str) -> str | None:
        return self.fields[name] or None

    def one_of(self, name: str, meanings: Mapping[str, T]) -> T:
        """Return the meaning of the field's text. Raises UnparsableError for a text that has none."""
        if self.text(name) not in meanings:
            raise self.fail(name, f"one of {', '.join(meanings)}")
        return meanings[self.text(name)]

    def number(self, name: str) -> float:
        try:
            return _parse_number(self.fields[name])
        except RefusedError:
            raise self.fail(name, "a number") from None

    def number_or_none(self, name: str) -> float | None:
        return self.number(name) if self.fields[name] else None

    def integer(self, name: str) -> int:
        try:
            return numbers.parse_integer(self.fields[name], signed=True)
        except RefusedError:
            raise self.fail(name, "a whole number") from None

    def integer_or_none(self, name: str) -> int | None:
        return self.integer(name) if self.fields[name] else None

    def value(self, column: Column) -> Any:
        """The field as the type that the column declares."""
        if not self.fields[column.name] and column.nullable:
            return None
        return _READERS[column.sql_type](self, column.name)

    def record(self, kind: type[R], /, **others: Any) -> R:
        """Return a row with the fields that the file has under their declared names, and `others`."""
        own = (c for c in kind.__table__.columns if c.name in self.fields and c.name not in others and not c.col.filled)
        return kind(**{c.name: self.value(c) for c in own}, **others)

    def day(self, name: str) -> dt.date:
        try:
            return dt.date.fromisoformat(self.fields[name])
        except ValueError:
            raise self.fail(name, "a date like 2026-11-20") from None

    def day_of(self, name: str) -> dt.date:
        """Day of a time like 2026-08-21T20:47:09Z."""
        try:
            return dt.datetime.fromisoformat(self.fields[name]).date()
        except ValueError:
            raise self.fail(name, "a time like 2026-11-20T12:00:00") from None

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
