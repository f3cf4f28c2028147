"""The command that runs one source's parser and the judging steps over a local file, and stores nothing."""

import datetime as dt
import hashlib
import json
import tempfile
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from pipeline import paths
from pipeline.cli.output import Format, err, fail, write
from pipeline.errors import BuildError
from pipeline.fetch.snapshots import StoredFile
from pipeline.prices import normalize
from pipeline.warehouse import parsed_cache
from pipeline.warehouse.workspace import Workspace
from sources import Parser, discover

SHOWN = (
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
REJECT = ("locator", "reason_code", "reason", "record")


def parse(
    source: Annotated[str, typer.Argument(help="Source whose parser reads the file.")],
    file: Annotated[Path, typer.Argument(help="A file in the source's own format.")],
    as_json: Annotated[bool, typer.Option("--json", help="Everything, as one JSON object.")] = False,
    observed_at: Annotated[
        dt.datetime | None,
        typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="Day that the file stands for; today without it."),
    ] = None,
) -> None:
    """What a source's parser makes of a file: rows kept with card and price, rows rejected with the reason. Stores nothing.

    Example: gpuledger parse azure_retail page.json --observed-at 2026-08-20 --json
    """
    if source not in discover():
        fail(f"no source {source!r}; known are {', '.join(discover())}")
    if not file.is_file():
        fail(f"{file}: no such file")
    try:
        found = _judged(discover()[source], file, observed_at or dt.datetime.now(dt.UTC).replace(tzinfo=None))
    except BuildError as error:
        fail(str(error))
    if as_json:
        print(json.dumps(found, indent=1, ensure_ascii=False, default=str))
        return
    write(SHOWN, [[row.get(name) for name in SHOWN] for row in found["accepted"]], Format.table)
    write(REJECT, [[row[name] for name in REJECT] for row in found["rejected"]], Format.table)
    err.print(f"{found['rows_read']} rows read, {len(found['accepted'])} prices kept, {len(found['rejected'])} rejected")


def _judged(parser: Parser, file: Path, observed_at: dt.datetime) -> dict[str, Any]:
    """The answer of the contract: rows_read, accepted prices and rejects of one file."""
    raw = file.read_bytes()
    sha256 = hashlib.sha256(raw).hexdigest()
    stored = StoredFile(parser.SOURCE.source_id, str(file), raw, len(raw), sha256, None, observed_at, None)
    from pipeline.orchestration import steps  # noqa: PLC0415 - the whole build takes a second to import; other commands do without

    with tempfile.TemporaryDirectory() as folder:
        rates = steps.lake_files(Workspace(paths.DATA, Path(folder)), "exchange_rate")
        rows = normalize.judge(parser.SOURCE, parsed_cache.parse(parser, stored, Path(folder) / "lake"), rates)
        accepted, rejected = (_rows(rows.folder / f"{name}.parquet") for name in ("price", "reject"))
    return {
        "rows_read": rows.rows_read,
        "accepted": accepted,
        "rejected": [{name: row[name] for name in REJECT} for row in rejected],
    }


def _rows(file: Path) -> list[dict[str, Any]]:
    """Rows of a judged file, with the place columns named as in table price."""
    if not file.exists():
        return []
    named = {f"_{name}": name for name in ("source_id", "snapshot_id", "locator")}
    kept = pl.read_parquet(file).drop("label_code", "label_reason", "_path", strict=False)
    return kept.rename({old: new for old, new in named.items() if new not in kept.columns}, strict=False).to_dicts()
