"""The command `parse`: run one source's parser and the price rules on a local file, without storing anything."""

import datetime as dt
import hashlib
import json
import tempfile
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from pipeline import paths
from pipeline.cli.output import DateOption, display_path, err, fail, write_rows
from pipeline.errors import BuildError
from pipeline.fetch.refresh import unknown_source
from pipeline.fetch.snapshots import StoredFile
from pipeline.schema.prices import Price
from pipeline.warehouse.workspace import Workspace
from sources import Parser, discover

PRICE_COLUMNS = (
    "locator",
    "provider",
    "instance_type",
    "raw_gpu_name",
    "gpu_id",
    "gpu_count",
    "billing",
    "price_raw",
    "usd_per_gpu_hour",
    "usd_per_gpu",
)
REJECT_COLUMNS = ("locator", "reason_code", "reason", "record")


def parse(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Source whose parser reads the file.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file in the source's own format.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as one JSON object.")] = False,
    observed_at: Annotated[dt.date | None, DateOption(help="Publication date of the file (default: today).")] = None,
) -> None:
    """Try the parser of a source on a file, and store nothing.

    Prints accepted prices with GPU and USD, and rejected rows with the reason. A row can contain several prices, so rows and prices are counted separately.

    Example: gpuledger parse azure_retail page.json --observed-at 2026-08-20 --json
    """
    if source not in discover():
        fail(unknown_source(source, discover()))
    try:
        start = dt.datetime.combine(observed_at, dt.time()) if observed_at else dt.datetime.now(dt.UTC).replace(tzinfo=None)
        result = _read(discover()[source], file, start)
    except BuildError as error:
        fail(str(error))
    if as_json:
        print(json.dumps(result, indent=1, ensure_ascii=False, default=str))
        return
    write_rows(PRICE_COLUMNS, [[row.get(name) for name in PRICE_COLUMNS] for row in result["accepted"]], "table")
    write_rows(REJECT_COLUMNS, [[row[name] for name in REJECT_COLUMNS] for row in result["rejected"]], "table")
    err.print(_summary(result, has_prices=Price in discover()[source].SOURCE.yields))


def _read(parser: Parser, file: Path, observed_at: dt.datetime) -> dict[str, Any]:
    """Return counts of rows and prices, the accepted prices and the rejects of one file."""
    try:
        raw = file.read_bytes()
    except OSError as error:
        fail(f"{display_path(file)}: {error.strerror}; give a file that you may read")
    if not raw:
        fail(f"{display_path(file)}: the file is empty; download it again")
    sha256 = hashlib.sha256(raw).hexdigest()
    stored = StoredFile(
        parser.SOURCE.source_id, str(file), raw, len(raw), sha256, None, observed_at, None, "transcribed", "whole"
    )
    from pipeline.prices.file_rows import read_file  # noqa: PLC0415 - the price rules are slow to import; other commands do without

    with tempfile.TemporaryDirectory() as folder:
        rows = read_file(parser, stored, Workspace(paths.DATA, Path(folder)))
        accepted, rejected = (_read_table(rows.folder / f"{name}.parquet") for name in ("price", "reject"))
    return {
        "rows_read": rows.rows_read,
        "rows_accepted": rows.rows_accepted,
        "rows_rejected": rows.rows_rejected,
        "n_prices": len(accepted),
        "n_rejects": len(rejected),
        "accepted": accepted,
        "rejected": [{name: row[name] for name in REJECT_COLUMNS} for row in rejected],
    }


def _summary(result: dict[str, Any], *, has_prices: bool) -> str:
    """Format the counts. Rejects outnumber rejected rows where a row has an accepted and a rejected price."""
    rows = f"{_count(result['rows_read'], 'row')} read: {result['rows_accepted']} accepted, {result['rows_rejected']} rejected"
    if not has_prices:
        return rows
    partial = result["n_rejects"] - result["rows_rejected"]
    return f"{rows}; {_count(result['n_prices'], 'price')}" + (f", {partial} more rejected" if partial > 0 else "")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _read_table(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file of the cache, with the columns named as in the published table."""
    if not file.exists():
        return []
    published_names = {f"_{name}": name for name in ("source_id", "snapshot_id", "locator")}
    frame = pl.read_parquet(file).drop("label_code", "label_reason", "_path", strict=False)
    return frame.rename({old: new for old, new in published_names.items() if new not in frame.columns}, strict=False).to_dicts()
