"""Tables that sources, uploads and the performance model feed. Those that SQL computes belong in `pipeline.metrics`."""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import duckdb
import polars as pl

from pipeline.errors import BuildError
from pipeline.fetch import snapshots
from pipeline.prices import queries
from pipeline.schema import RECORDS, Record
from pipeline.schema.provenance import Release, Snapshot, SourceProblem, SourceRow
from pipeline.tables import load, source_rows
from pipeline.tables.lineage import MODEL_READS
from pipeline.tables.load import Built
from pipeline.tables.source_rows import SnapshotRows
from pipeline.uploads import load_accepted
from pipeline.uploads.load_accepted import LoadedUpload
from pipeline.warehouse.workspace import Workspace
from sources import Parser, Source, discover

Connection = duckdb.DuckDBPyConnection

UPLOAD_TABLES: dict[str, Callable[[LoadedUpload], Sequence[Record]]] = {
    "upload": lambda upload: [upload.row],
    "benchmark_run": lambda upload: [run.run for run in upload.runs],
    "benchmark_device": lambda upload: [device for run in upload.runs for device in run.devices],
    "measurement": lambda upload: [figure for run in upload.runs for figure in run.measurements],
}


def build_release(con: Connection, workspace: Workspace) -> Built:
    """Build `release`: the reference date, which is the latest observation of a source that is refreshed, or `as_of`."""
    loaded = (source_rows.load_source(workspace, source).snapshots for source in _refreshed())
    observed = _require_days(workspace.data, (one.file.observed_on for found in loaded for one in found))
    return load.insert(con, [Release(as_of=workspace.as_of or max(observed))], Release)


def first_day(data: Path) -> dt.date:
    """Return the day of the first observation of a source that is refreshed. Raises SnapshotError on a wrong sidecar."""
    records = (record for source in _refreshed().values() for record in snapshots.list_snapshots(source, data))
    return min(_require_days(data, (record.observed_on for record in records)))


def _require_days(data: Path, days: Iterable[dt.date]) -> list[dt.date]:
    """Return the days of observations. Raises BuildError where no refreshed source has a stored file."""
    if found := list(days):
        return found
    raise BuildError(f"{data / 'raw'}: no stored file of a source that is refreshed; restore them, or run `gpuledger fetch`")


def _refreshed() -> dict[str, Source]:
    """Sources that are refreshed, or all where none is."""
    known = {source_id: parser.SOURCE for source_id, parser in discover().items()}
    return {source_id: source for source_id, source in known.items() if source.stale_after_days is not None} or known


def build_source(con: Connection, _workspace: Workspace) -> Built:
    """Build `source` from the declarations of the modules."""
    return load.insert(con, [_source_row(parser) for parser in discover().values()], SourceRow)


def build_source_problem(con: Connection, workspace: Workspace) -> Built:
    """Build `source_problem`: fetched files that cannot be read."""
    problems = ((source_id, source_rows.load_source(workspace, source_id).problems) for source_id in discover())
    rows = [SourceProblem(source_id=s, path=path, problem=text) for s, found in problems for path, text in found.items()]
    return load.insert(con, rows, SourceProblem)


def build_snapshot(con: Connection, workspace: Workspace) -> Built:
    """Build `snapshot`: one row per stored file, with its counts of rows. Raises BuildError on equal files."""
    rows = [snapshot_row(one) for one in source_rows.all_snapshots(workspace)]
    paths: dict[str, str] = {}
    for row in rows:
        if (first := paths.setdefault(row.snapshot_id, row.path)) != row.path:
            raise BuildError(
                f"{row.path}: the same bytes as {first}, whose rows would count twice; "
                "remove one of the two files and its sidecar, then run `gpuledger build` again"
            )
    return load.insert(con, rows, Snapshot)


BUILD_FACTS: dict[str, Callable[[Connection, Workspace], Built]] = {
    "release": build_release,
    "source": build_source,
    "source_problem": build_source_problem,
    "snapshot": build_snapshot,
}


def build_upload_tables(con: Connection, workspace: Workspace) -> dict[str, Built]:
    """Build the benchmark tables from every accepted upload, by table name."""
    loaded = list(load_accepted.uploads(workspace.data, workspace.parsed / "uploads"))
    tables = UPLOAD_TABLES.items()
    return {
        name: load.insert(con, [row for upload in loaded for row in rows_of(upload)], RECORDS[name]) for name, rows_of in tables
    }


def build_computed(
    con: Connection, every_table: Callable[[Connection], Mapping[str, pl.DataFrame | Sequence[Record]]]
) -> dict[str, Built]:
    """Build the tables that Python computes from others in the database, by table name."""
    return {name: load.insert(con, rows, RECORDS[name]) for name, rows in every_table(con).items()}


def table_inputs(name: str) -> set[str]:
    """Tables that must be there before a declared table can be built: for its values, its labels and most references."""
    return set(_table_inputs(RECORDS[name])) - {name}


def _table_inputs(record: type[Record]) -> Iterator[str]:
    table = record.__table__
    yield from MODEL_READS.get(table.name, ())
    yield "source"  # loading adds the version of the parser, which that table has
    yield from queries.tables_read(table.name)
    # not `snapshot`, which the finished file is checked for: each new file would load every table again
    yield from {column.col.references.partition(".")[0] for column in table.columns} - {"", "snapshot"}
    if "raw_gpu_name" in table.column_names:
        yield "gpu_alias"


def _source_row(parser: Parser) -> SourceRow:
    facts = {name: getattr(parser.SOURCE, name) for name in SourceRow.__table__.column_names}
    return SourceRow(**facts | {"own_list_of": parser.SOURCE.own_list_of or None})


def snapshot_row(snapshot: SnapshotRows) -> Snapshot:
    """Return the row of a snapshot in table `snapshot`."""
    file, rows = snapshot.file, snapshot.rows
    names = ("source_id", "path", "url", "retrieved_at", "published_at", "origin", "extent")
    facts = {name: getattr(file, name) for name in names}
    counts = {name: getattr(rows, name) for name in ("rows_read", "rows_accepted", "rows_rejected")}
    return Snapshot(snapshot_id=file.sha256, bytes=file.size, **facts, **counts)
