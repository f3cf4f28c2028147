"""The lake: parsed rows of every snapshot as Parquet, cached by the bytes and the code that read them.

A cached folder is never changed; a new snapshot or an edited parser makes a new one. Rows are in the
source's own words here; `store` harmonises them on the way into DuckDB.
"""

import functools
import hashlib
import inspect
import itertools
import json
import multiprocessing
import operator
import os
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import polars as pl

from pipeline import beside
from pipeline.errors import BuildError
from pipeline.fetch.snapshots import StoredFile
from pipeline.schema import RECORDS, Record
from pipeline.schema.provenance import Reject
from sources import Accepted, Document, Parser, Rejected, UnparsableError, discover

POLARS_TYPES: dict[str, Any] = {
    "VARCHAR": pl.String,
    "BIGINT": pl.Int64,
    "DOUBLE": pl.Float64,
    "BOOLEAN": pl.Boolean,
    "DATE": pl.Date,
    "TIMESTAMP": pl.Datetime("us"),
}
PLACE = ("_source_id", "_snapshot_id", "_path", "_locator")
COUNTS = "counts.json"
RULE_VERSION = 1
BATCH_ROWS = 10_000
LARGE_BYTES = 20_000_000


class RowsLostError(BuildError):
    """A parser was handed rows that it neither kept nor rejected."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """One parsed snapshot: its folder in the lake and how many of its rows were kept."""

    folder: Path
    rows_read: int
    rows_accepted: int
    rows_rejected: int


def parse(parser: Parser, stored: StoredFile, lake: Path) -> Parsed:
    """Rows of one snapshot as Parquet files, one a table, from the cache where they are there already.

    Raises UnparsableError where the file cannot be read and RowsLostError where a row went missing.
    """
    folder = folder_of(parser, stored, lake)
    if not (folder / COUNTS).exists():
        _parse_into(folder, parser, stored)
    counts = json.loads((folder / COUNTS).read_text())
    return Parsed(folder, **counts)


def folder_of(parser: Parser, stored: StoredFile, lake: Path) -> Path:
    """Where the rows of a snapshot lie, once it is parsed."""
    return lake / stored.source_id / f"{stored.sha256[:16]}-{_code_hash(parser, stored)}"


def parse_together(source_id: str, files: Sequence[StoredFile], lake: Path) -> None:
    """Parse large files that are not in the cache yet on two cores; what cannot be read is left for `parse` to tell."""
    parser = discover()[source_id]
    new = [file for file in files if not (folder_of(parser, file, lake) / COUNTS).exists()]
    if len(new) > 1 and sum(file.size for file in new) > LARGE_BYTES:
        with ProcessPoolExecutor(
            2, mp_context=multiprocessing.get_context("spawn"), initializer=beside.started, initargs=(0,)
        ) as pool:
            list(pool.map(_parse_quietly, repeat(source_id), new, repeat(lake)))


def _parse_quietly(source_id: str, file: StoredFile, lake: Path) -> None:
    with suppress(BuildError):
        parse(discover()[source_id], file, lake)


def _parse_into(folder: Path, parser: Parser, stored: StoredFile) -> None:
    document = stored.document()
    frames: dict[str, list[pl.DataFrame]] = defaultdict(list)
    accepted, rejected = set[str](), set[str]()
    items = _told(parser.parse(document), document)
    while batch := list(itertools.islice(items, BATCH_ROWS)):
        for item in batch:
            (rejected if isinstance(item, Rejected) else accepted).add(_row_of(item.locator))
        for table, frame in _frames(parser, batch, stored):
            frames[table].append(frame)
    counts = _counts(document, accepted, rejected)
    scratch = folder.with_name(f"{folder.name}.{os.getpid()}")
    scratch.mkdir(parents=True, exist_ok=True)
    for table, parts in frames.items():
        pl.concat(parts).write_parquet(scratch / f"{table}.parquet")
    (scratch / COUNTS).write_text(json.dumps(counts))
    shutil.rmtree(folder, ignore_errors=True)
    scratch.rename(folder)


def _declared_table(parser: Parser, row: Record) -> str:
    if type(row) not in parser.SOURCE.yields:
        raise TypeError(f"{parser.SOURCE.source_id} yields {type(row).__name__}; name it in SOURCE.yields")
    return row.__table__.name


def _told(items: Iterator[Accepted | Rejected], document: Document) -> Iterator[Accepted | Rejected]:
    """What a parser did not expect, as a file that cannot be read: a source that changes its form fails alone."""
    try:
        yield from items
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise UnparsableError(
            f"{document.path}: the parser met what it does not know ({type(error).__name__}: {error})"
        ) from error


def _frames(parser: Parser, batch: list[Accepted | Rejected], stored: StoredFile) -> Iterator[tuple[str, pl.DataFrame]]:
    """The batch as one frame per table; in frames a row takes a tenth of the memory that it takes as an object."""
    kept: dict[str, list[Accepted]] = defaultdict(list)
    for item in batch:
        if isinstance(item, Rejected):
            row = Reject(snapshot_id=stored.sha256, rule_version=RULE_VERSION, **item._asdict())
            kept["reject"].append(Accepted(item.locator, row))
        else:
            kept[_declared_table(parser, item.row)].append(item)
    for table, items in kept.items():
        yield table, _frame(RECORDS[table], items, stored)


def _counts(document: Document, accepted: set[str], rejected: set[str]) -> dict[str, int]:
    """Rows of the file, not records made of them: one row of a file may give records of several tables."""
    lost = rejected - accepted
    if document.rows_read != len(accepted) + len(lost):
        raise RowsLostError(
            f"{document.path}: {document.rows_read} rows read, but {len(accepted)} accepted and "
            f"{len(lost)} rejected; the parser must yield every row that it is handed"
        )
    return {"rows_read": document.rows_read, "rows_accepted": len(accepted), "rows_rejected": len(lost)}


def _row_of(locator: str) -> str:
    return locator.partition(",")[0]


def _frame(kind: type[Record], items: list[Accepted], stored: StoredFile) -> pl.DataFrame:
    given = [column for column in kind.__table__.columns if not column.col.filled]
    rows = [item.row for item in items]
    data: dict[str, Any] = {c.name: list(map(operator.attrgetter(c.name), rows)) for c in given}
    schema: dict[str, Any] = {c.name: POLARS_TYPES[c.sql_type] for c in given}
    place = {
        "_source_id": [stored.source_id] * len(items),
        "_snapshot_id": [stored.sha256] * len(items),
        "_path": [stored.path] * len(items),
        "_locator": [item.locator for item in items],
    }
    return pl.DataFrame(data | place, schema=schema | dict.fromkeys(PLACE, pl.String))


def _code_hash(parser: Parser, stored: StoredFile) -> str:
    """Hash of what decides how the bytes are read: the reader's code, and the name and day of the file."""
    reader = _reader_hash(parser.parse.__module__, parser.SOURCE.parser_version, parser.SOURCE.yields)
    return hashlib.sha256(f"{reader}\0{stored.path}\0{stored.observed_on}".encode()).hexdigest()[:12]


@functools.cache
def _reader_hash(module: str, version: int, yields: tuple[type[Record], ...]) -> str:
    """Hash of the parser's module, of what it uses of `sources`, and of the tables that it gives."""
    own = sys.modules[module]
    used = {getattr(value, "__module__", None) or "" for value in vars(own).values()}
    modules = [own, *(sys.modules[name] for name in sorted(used) if name.startswith("sources."))]
    parts = [inspect.getsource(one) for one in modules] + [repr((version, RULE_VERSION, [record.__table__ for record in yields]))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
