"""Parsed rows of every snapshot as Parquet files, one folder a snapshot, one file a table.

The name of a folder is a hash of the snapshot's bytes, its path and date, and the parser's code. A folder is verified
against its manifest before each use and parsed again if it differs. Rows are in the source's own words here;
`load` resolves names and `pipeline.prices` normalizes prices.
"""

import functools
import hashlib
import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pipeline.errors import BuildError
from pipeline.fetch.snapshots import StoredFile
from pipeline.paths import ROOT
from pipeline.schema import Record
from pipeline.schema.provenance import Reject
from pipeline.warehouse import cached_folder
from pipeline.warehouse.build_records import code_version, version_of
from pipeline.warehouse.code_files import imported_files
from pipeline.warehouse.frames import columns_of, write_parquet
from sources import Accepted, Document, Parser, Rejected, UnparsableError, file_of

ITEMS = "stored_item.parquet"
RULE_VERSION = 1
BATCH_ROWS = 10_000
PARSER_PACKAGES = ("sources", "pipeline.readers")


class RowsLostError(BuildError):
    """A parser neither accepted nor rejected some of the rows that it was given."""


@dataclass(frozen=True, slots=True)
class ParsedSnapshot:
    """The folder with the rows of one snapshot, and how many rows were read, accepted and rejected."""

    folder: Path
    rows_read: int
    rows_accepted: int
    rows_rejected: int


def parse(parser: Parser, stored: StoredFile, cache: Path) -> ParsedSnapshot:
    """Return the rows of one snapshot as Parquet files below `cache`, parsed unless an intact copy is there.

    Raises UnparsableError if the file cannot be read and RowsLostError if a row is neither accepted nor rejected.
    """
    folder = cache / stored.source_id / f"{stored.sha256[:16]}-{_code_hash(parser, stored)}"
    if intact := open_cached(folder):
        return intact
    document, frames = stored.document(), defaultdict[str, list[pl.DataFrame]](list)
    yielded = wrap_parser_errors(parser.parse(document), document)
    while batch := list(itertools.islice(yielded, BATCH_ROWS)):  # a row in a frame needs a tenth of the memory of a row object
        by_kind = defaultdict[type[Record], list[tuple[str, Record]]](list)
        for item in batch:
            row = _row(parser, item, stored)
            by_kind[type(row)].append((item.locator, row))
        for kind, located in by_kind.items():
            frames[kind.__table__.name].append(_frame(kind, located, stored))
    tables = {table: pl.concat(parts) for table, parts in frames.items()}
    counts = _count_rows(document, tables)
    with cached_folder.written(folder, counts) as scratch:
        for table, rows in tables.items():
            write_parquet(rows, scratch / f"{table}.parquet")
        if items := document.items:
            write_parquet(pl.DataFrame({"locator": list(items), "text": list(items.values())}), scratch / ITEMS)
    return ParsedSnapshot(folder, **counts)


def open_cached(folder: Path) -> ParsedSnapshot | None:
    """Return the snapshot in the folder, or None unless every byte is what was written."""
    counts = cached_folder.read_counts(folder)
    return ParsedSnapshot(folder, **counts) if counts else None


def _row(parser: Parser, item: Accepted | Rejected, stored: StoredFile) -> Record:
    """Return the row that is stored for an item of the parser: the accepted one, or one of table `reject`."""
    if isinstance(item, Rejected):
        return Reject(snapshot_id=stored.sha256, rule_version=RULE_VERSION, **item._asdict())
    if type(item.row) not in parser.SOURCE.yields:
        raise TypeError(f"{parser.SOURCE.source_id} yields {type(item.row).__name__}; name it in SOURCE.yields")
    return item.row


def wrap_parser_errors(items: Iterator[Accepted | Rejected], document: Document) -> Iterator[Accepted | Rejected]:
    """Convert unexpected exceptions of a parser to UnparsableError, so that one source cannot stop the others."""
    try:
        yield from items
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise UnparsableError(
            f"{document.path}: the parser failed on unexpected content in row {document.rows_read} "
            f"({type(error).__name__}: {error}); if the row is right, adapt the parser in sources/"
        ) from error


def _count_rows(document: Document, tables: dict[str, pl.DataFrame]) -> dict[str, int]:
    """Count rows of the file, not records: one row of a file may yield records of several tables."""
    accepted, rejected = set[str](), set[str]()
    for table, rows in tables.items():
        (rejected if table == Reject.__table__.name else accepted).update(map(row_locator, rows["_locator"]))
    only_rejected = rejected - accepted
    if document.rows_read != len(accepted) + len(only_rejected):
        raise RowsLostError(
            f"{document.path}: {document.rows_read} rows read, but {len(accepted)} accepted and "
            f"{len(only_rejected)} rejected; the parser must yield every row that it is handed"
        )
    return {"rows_read": document.rows_read, "rows_accepted": len(accepted), "rows_rejected": len(only_rejected)}


def row_locator(locator: str) -> str:
    """Return the place of the row in its file; one row may give several prices, whose locators name the part too."""
    return locator.partition(",")[0]


def _frame(kind: type[Record], located: list[tuple[str, Record]], stored: StoredFile) -> pl.DataFrame:
    locators, rows = zip(*located, strict=True)
    parsed = [column.name for column in kind.__table__.columns if not column.col.filled]
    return columns_of(rows, kind).select(
        *parsed,
        _source_id=pl.lit(stored.source_id),
        _snapshot_id=pl.lit(stored.sha256),
        _path=pl.lit(stored.path),
        _locator=pl.lit(pl.Series(locators)),
    )


def parser_files(parser: Parser) -> Sequence[str]:
    """Return the files of the parser and of all modules that it uses, relative to the project's folder."""
    return _files_of(file_of(parser))


def _code_hash(parser: Parser, stored: StoredFile) -> str:
    """Hash of the parser's code and of the path and date of the file, which parsers read too."""
    code = _parser_hash(file_of(parser), parser.SOURCE.parser_version, parser.SOURCE.yields)
    return hashlib.sha256(f"{code}\0{stored.path}\0{stored.observed_on}".encode()).hexdigest()[:12]


@functools.cache
def _parser_hash(module: Path, version: int, yields: tuple[type[Record], ...]) -> str:
    """Hash of the parser's module, of the modules that it uses, and of the declarations of the tables that it yields."""
    return version_of(code_version(*_files_of(module)), version, RULE_VERSION, [record.__table__ for record in yields])


def _files_of(module: Path) -> Sequence[str]:
    return imported_files(str(module.relative_to(ROOT)), packages=PARSER_PACKAGES)
