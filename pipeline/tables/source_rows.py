"""Rows of one source: its snapshots verified, parsed and, where they hold prices, normalized.

A manifest per source, after its hash, names the snapshots and the folders with their rows. Tables load what manifests name and
nothing else.
"""

import dataclasses
import datetime as dt
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import seal_hint
from pipeline.fetch import snapshots
from pipeline.fetch.snapshots import StoredFile
from pipeline.files import read_hashed, with_hash, write_atomically
from pipeline.prices.normalize import REFERENCES, normalize_prices
from pipeline.schema.prices import Price
from pipeline.tables.lineage import feeds
from pipeline.warehouse import cached_folder, parsed_cache
from pipeline.warehouse.build_records import NotMaterializedError, version_of
from pipeline.warehouse.parsed_cache import ParsedSnapshot, RowsLostError
from pipeline.warehouse.workspace import Workspace
from sources import UnparsableError, discover

FETCHED_KINDS = ("prices", "rates")
NORMALIZED_TABLES = ("price", "reject", "gpu_label")


@dataclass(frozen=True, slots=True)
class SnapshotRows:
    """One snapshot, its parsed rows, and the same with prices normalized (no others where it has none)."""

    file: StoredFile
    parsed: ParsedSnapshot
    rows: ParsedSnapshot

    def file_of(self, table: str) -> Path:
        """Path of the rows of a table; a snapshot without such rows has no such file."""
        folder = self.rows.folder if table in NORMALIZED_TABLES else self.parsed.folder
        return folder / f"{table}.parquet"

    @property
    def version_facts(self) -> tuple[object, ...]:
        """Everything that tables take from the snapshot; the names of its folders contain hashes of parser and rules."""
        return (*self.file.version_facts, self.parsed.folder.name, self.rows.folder.name)


@dataclass(frozen=True, slots=True)
class SourceRows:
    """The rows of a source by snapshot, and the fetched files that cannot be read with the reason."""

    snapshots: list[SnapshotRows]
    problems: dict[str, str]

    @property
    def data_version(self) -> str:
        """Version of the result: it changes with bytes, sidecars, parsers and rules, not with the place of the build folder."""
        return version_of([one.version_facts for one in self.snapshots], self.problems)


def inputs_of(source_id: str) -> set[str]:
    """Sources whose rows must be there before the rows of this one can be made.

    Prices are normalized with names of GPUs, rates, machines and facts about providers.
    """
    if Price not in discover()[source_id].SOURCE.yields:
        return set()
    return {"gpuledger-names", *(feeding for table in REFERENCES for feeding in feeds(table))} - {source_id}


def stored_version(files: Iterable[StoredFile]) -> str:
    """Version of a source's stored bytes and sidecars."""
    return version_of([file.version_facts for file in files])


def read_source(workspace: Workspace, source_id: str) -> SourceRows:
    """Make the rows of a source, write its manifest, and delete the cached rows of earlier bytes, parsers and rules.

    A fetched file that cannot be read is a problem of the result; a committed one raises UnparsableError.
    """
    parser = discover()[source_id]
    parsed: dict[StoredFile, ParsedSnapshot] = {}
    problems: dict[str, str] = {}
    for file in snapshots.stored_files(parser.SOURCE, workspace.data, workspace.accept_loss):
        try:
            parsed[file] = parsed_cache.parse(parser, file, workspace.parsed)
        except (UnparsableError, RowsLostError) as error:
            if parser.SOURCE.kind in FETCHED_KINDS:
                problems[file.path] = str(error)
            elif isinstance(error, UnparsableError):
                raise UnparsableError(f"{error}{seal_hint(file.path)}") from error
            else:
                raise
    rows = list(parsed.values())
    if Price in parser.SOURCE.yields:
        rows = normalize_prices(parser.SOURCE, rows, {table: row_files(workspace, table) for table in REFERENCES})
    result = SourceRows([SnapshotRows(*pair, one) for pair, one in zip(parsed.items(), rows, strict=True)], problems)
    _write_manifest(workspace, source_id, result)
    used = [folder for one in result.snapshots for folder in (one.parsed.folder, one.rows.folder)]
    cached_folder.prune(workspace.parsed / source_id, used)
    return result


def load_source(workspace: Workspace, source_id: str) -> SourceRows:
    """Return the rows of a source as they were last made.

    Raises NotMaterializedError where they never were, or where a file of theirs is no longer what was written.
    """
    manifest = read_hashed(_manifest(workspace, source_id))
    if not manifest or not (result := _from_json(workspace, json.loads(manifest))):
        raise NotMaterializedError(
            f"rows/{source_id} is not materialized, or its files were changed; materialize rows/{source_id}"
        )
    return result


def is_intact(workspace: Workspace, source_id: str) -> bool:
    """True if the rows of a source are unchanged, byte for byte."""
    try:
        return bool(load_source(workspace, source_id))
    except NotMaterializedError:
        return False


def row_files(workspace: Workspace, table: str) -> list[Path]:
    """Parquet files with rows of a table, of every source that feeds it. Raises NotMaterializedError."""
    loaded = (snapshot for source_id in feeds(table) for snapshot in load_source(workspace, source_id).snapshots)
    return [file for snapshot in loaded if (file := snapshot.file_of(table)).exists()]


def all_snapshots(workspace: Workspace) -> Iterator[SnapshotRows]:
    """Every snapshot of every source, in the order of their names. Raises NotMaterializedError."""
    for source_id in discover():
        yield from load_source(workspace, source_id).snapshots


def _manifest(workspace: Workspace, source_id: str) -> Path:
    return workspace.source_rows / f"{source_id}.json"


def _write_manifest(workspace: Workspace, source_id: str, result: SourceRows) -> None:
    document = {"snapshots": [_to_json(workspace, one) for one in result.snapshots], "problems": result.problems}
    text = json.dumps(document, indent=1, default=dt.datetime.isoformat)
    workspace.source_rows.mkdir(parents=True, exist_ok=True)
    write_atomically(_manifest(workspace, source_id), with_hash(text.encode()))


def _to_json(workspace: Workspace, snapshot: SnapshotRows) -> dict[str, Any]:
    facts = {name: value for name, value in dataclasses.asdict(snapshot.file).items() if name != "content"}
    folders = {"parsed": snapshot.parsed.folder, "rows": snapshot.rows.folder}
    return facts | {name: folder.relative_to(workspace.parsed).as_posix() for name, folder in folders.items()}


def _from_json(workspace: Workspace, manifest: dict[str, Any]) -> SourceRows | None:
    """Rebuild the rows; None unless every folder is intact."""
    found = []
    for facts in manifest["snapshots"]:
        parsed, rows = (parsed_cache.open_cached(workspace.parsed / facts.pop(name)) for name in ("parsed", "rows"))
        if parsed is None or rows is None:
            return None
        times = {name: facts[name] and dt.datetime.fromisoformat(facts[name]) for name in ("retrieved_at", "published_at")}
        content = workspace.data / facts["path"].removeprefix("data/")
        found.append(SnapshotRows(StoredFile(**(facts | times), content=content), parsed, rows))
    return SourceRows(found, manifest["problems"])
