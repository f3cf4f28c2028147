"""Parse and normalize a single file outside a build: a download before it is stored, or a local file."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pipeline.fetch import snapshots
from pipeline.fetch.snapshots import SnapshotError, StoredFile
from pipeline.prices import normalize
from pipeline.prices.normalize import REFERENCES
from pipeline.schema import RECORDS, Record
from pipeline.schema.prices import Price
from pipeline.warehouse import parsed_cache
from pipeline.warehouse.parsed_cache import ParsedSnapshot, RowsLostError
from pipeline.warehouse.workspace import Workspace
from sources import Parser, UnparsableError, discover


def read_file(parser: Parser, file: StoredFile, workspace: Workspace) -> ParsedSnapshot:
    """Return the rows of a file as a build would accept them, with its prices normalized.

    Exchange rates, machines and facts about providers come from the workspace's data folder; its cache receives the parsed rows.
    Raises BuildError where the file cannot be read.
    """
    rows = parsed_cache.parse(parser, file, workspace.parsed)
    if Price not in parser.SOURCE.yields:
        return rows
    return normalize.normalize_prices(parser.SOURCE, [rows], reference_files(workspace))[0]


def reference_files(workspace: Workspace) -> dict[str, list[Path]]:
    """List by table the parsed files that prices are normalized with, of the stored snapshots; unreadable ones are left out."""
    return {table: list(_stored_rows(RECORDS[table], table, workspace)) for table in REFERENCES}


def _stored_rows(row: type[Record], table: str, workspace: Workspace) -> Iterator[Path]:
    for parser in discover().values():
        if row not in parser.SOURCE.yields:
            continue
        with suppress(SnapshotError):
            for stored in snapshots.stored_files(parser.SOURCE, workspace.data):
                with suppress(UnparsableError, RowsLostError):
                    file = parsed_cache.parse(parser, stored, workspace.parsed).folder / f"{table}.parquet"
                    if file.exists():
                        yield file
