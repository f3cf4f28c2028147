"""Parse and normalize a single file outside a build: a download before it is stored, or a local file."""

from contextlib import suppress
from pathlib import Path

from pipeline.fetch import snapshots
from pipeline.fetch.snapshots import StoredFile
from pipeline.prices import normalize
from pipeline.schema.prices import Price
from pipeline.schema.rates import ExchangeRate
from pipeline.warehouse import parsed_cache
from pipeline.warehouse.parsed_cache import ParsedSnapshot, RowsLostError
from pipeline.warehouse.workspace import Workspace
from sources import Parser, UnparsableError, discover


def read_file(parser: Parser, file: StoredFile, workspace: Workspace) -> ParsedSnapshot:
    """Return the rows of a file as a build would accept them, with its prices normalized.

    Exchange rates come from the workspace's data folder; its cache receives the parsed rows.
    Raises BuildError where the file cannot be read.
    """
    rows = parsed_cache.parse(parser, file, workspace.parsed)
    if Price not in parser.SOURCE.yields:
        return rows
    return normalize.normalize_prices(parser.SOURCE, [rows], exchange_rate_files(workspace))[0]


def exchange_rate_files(workspace: Workspace) -> list[Path]:
    """List the parsed exchange rates of the stored snapshots, one Parquet file each; unreadable snapshots are left out."""
    sources = [parser for parser in discover().values() if ExchangeRate in parser.SOURCE.yields]
    files = []
    for parser in sources:
        for stored in snapshots.stored_files(parser.SOURCE, workspace.data):
            with suppress(UnparsableError, RowsLostError):
                files.append(parsed_cache.parse(parser, stored, workspace.parsed).folder / "exchange_rate.parquet")
    return [file for file in files if file.exists()]
