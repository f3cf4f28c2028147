"""Stored bytes of each snapshot, as a release publishes them.

`snapshots/<sha256>.txt` is the whole file, where the licence of its source allows to publish it, and no row is of a provider
whose terms forbid it. `snapshots/<sha256>.excerpt.txt` has one line per accepted row: locator, tab, the row's text. It exists
where the whole file may not be published, and where rows are not lines. All names end with .txt: the bytes are those of others,
and no browser runs a text. A file is named after the hash of the stored bytes, so that a reader can check it.
`SHA256SUMS` has the hashes of excerpts too.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from pipeline.fetch import snapshots
from pipeline.tables import source_rows
from pipeline.tables.source_rows import SnapshotRows
from pipeline.warehouse.build_records import NotMaterializedError
from pipeline.warehouse.parsed_cache import ITEMS, row_locator
from pipeline.warehouse.workspace import Workspace
from sources import discover

SNAPSHOTS = "snapshots"
WHOLE, EXCERPT = ".txt", ".excerpt.txt"


def write_snapshots(workspace: Workspace, target: Path) -> None:
    """Write the stored files and excerpts of every source into the folder `target`."""
    target.mkdir(parents=True)
    for source_id, parser in discover().items():
        files = snapshots.stored_files(parser.SOURCE, workspace.data, workspace.accept_loss)
        stored = {(file.path, file.sha256) for file in files}
        for snapshot in source_rows.load_source(workspace, source_id).snapshots:
            file = snapshot.file
            if (file.path, file.sha256) not in stored:
                raise NotMaterializedError(f"{file.path} has changed since it was read; materialize rows/{source_id}")
            _write(target, snapshot, whole=parser.SOURCE.republish and not _has_forbidden(snapshot))


def _write(target: Path, snapshot: SnapshotRows, *, whole: bool) -> None:
    file = snapshot.file
    if whole and isinstance(file.content, Path):
        shutil.copyfile(file.content, target / f"{file.sha256}{WHOLE}")
    texts = _items(snapshot) if whole else _items(snapshot) | _lines(snapshot)
    rows = [f"{locator}\t{text}\n" for locator, text in texts.items()]
    if rows:
        (target / f"{file.sha256}{EXCERPT}").write_text("".join(rows), encoding="utf-8")


def _has_forbidden(snapshot: SnapshotRows) -> bool:
    path = snapshot.parsed.folder / "reject.parquet"
    return path.exists() and "TERMS" in pl.read_parquet(path, columns=["reason_code"])["reason_code"]


def _items(snapshot: SnapshotRows) -> dict[str, str]:
    """Text by locator of the accepted rows that are not lines."""
    path = snapshot.parsed.folder / ITEMS
    if not path.exists():
        return {}
    accepted = set(_accepted(snapshot))
    return {locator: text for locator, text in pl.read_parquet(path).iter_rows() if locator in accepted}


def _lines(snapshot: SnapshotRows) -> dict[str, str]:
    """Text by locator of the first line, which has the names of columns, and of the lines of accepted rows."""
    wanted = {locator for locator in _accepted(snapshot) if locator.startswith("line ")}
    if not wanted:
        return {}
    lines = snapshot.file.raw.decode("utf-8", "replace").split("\n")
    numbered = ((f"line {number}", line.rstrip("\r")) for number, line in enumerate(lines, start=1))
    return {locator: line for locator, line in numbered if locator in wanted or locator == "line 1"}


def _accepted(snapshot: SnapshotRows) -> Iterator[str]:
    for path in sorted(snapshot.parsed.folder.glob("*.parquet")):
        if path.name not in (ITEMS, "reject.parquet"):
            yield from map(row_locator, pl.read_parquet(path, columns=["_locator"])["_locator"])
