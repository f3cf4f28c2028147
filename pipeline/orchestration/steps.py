"""The steps of a build as plain functions over a workspace; `assets` makes a Dagster graph of them."""

import functools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from benchmarks.formats import Run
from pipeline import beside
from pipeline.errors import BuildError
from pipeline.fetch import snapshots
from pipeline.fetch.snapshots import StoredFile
from pipeline.performance import inputs as model
from pipeline.prices import normalize
from pipeline.schema import RECORDS, Record, Table
from pipeline.schema.prices import Price
from pipeline.schema.provenance import Release, Snapshot, SourceProblem, SourceRow
from pipeline.uploads import load_accepted as uploaded
from pipeline.warehouse import engine, exports, load, parsed_cache, publish, sql_models
from pipeline.warehouse.croissant import Tables
from pipeline.warehouse.lineage import feeds
from pipeline.warehouse.load import Built
from pipeline.warehouse.workspace import Workspace
from pipeline.website import build
from sources import Parser, UnparsableError, discover

FETCHED_KINDS = ("prices", "rates")
JUDGED = ("price", "reject", "gpu_label")
UPLOADED: dict[str, Callable[[Run], Sequence[Record]]] = {
    "benchmark_run": lambda run: [run.run],
    "benchmark_device": lambda run: run.devices,
    "measurement": lambda run: run.measurements,
}
T = TypeVar("T")


def _once(read: Callable[[Workspace, str], T]) -> Callable[[Workspace, str], T]:
    """Read of a source the first time, and keep it with the workspace."""

    @functools.wraps(read)
    def kept(workspace: Workspace, source_id: str) -> T:
        workspace.once("read ahead", lambda: workspace.take_over(_outcome(workspace)))
        return workspace.once(f"{read.__name__} {source_id}", lambda: read(workspace, source_id))

    return kept


def begin(data: Path, out: Path, *, sources: bool) -> None:
    """Let another process read the sources of a build: a run takes seconds to start."""
    if sources:
        beside.begin(beside.AHEAD, _read_ahead, data, out)
        beside.begin(beside.AHEAD, model.get_ready)


def _read_ahead(data: Path, out: Path) -> dict[str, Any]:
    workspace = Workspace(data, out)
    with engine.kept():
        for source_id in discover():
            with suppress(BuildError):
                judged(workspace, source_id)
    return workspace.kept


def _outcome(workspace: Workspace) -> dict[str, Any]:
    """What was read ahead; nothing where nothing was, or its process ended: then the steps read."""
    ahead = beside.begun(_read_ahead, workspace.data, workspace.out)
    if ahead is None:
        return {}
    if ahead.exception():
        beside.dismiss(beside.AHEAD)  # whoever asks it next gets a new one
        return {}
    return ahead.result()


@_once
def stored(workspace: Workspace, source_id: str) -> list[StoredFile]:
    """The verified snapshots of a source."""
    return list(snapshots.stored_files(discover()[source_id].SOURCE, workspace.data))


def parsed(workspace: Workspace, source_id: str) -> list[tuple[StoredFile, parsed_cache.ParsedSnapshot]]:
    """The rows of a source's snapshots in the lake, parsed where they were not yet."""
    return [(file, rows) for file, rows in _read(workspace, source_id) if isinstance(rows, parsed_cache.ParsedSnapshot)]


@_once
def _read(workspace: Workspace, source_id: str) -> list[tuple[StoredFile, parsed_cache.ParsedSnapshot | BuildError]]:
    """Each snapshot with its rows, or with why a fetched one cannot be read; a committed one that cannot stops the build."""
    parser, files = discover()[source_id], stored(workspace, source_id)
    return [(file, _parsed(parser, file, workspace.parsed)) for file in files]


def _parsed(parser: Parser, file: StoredFile, folder: Path) -> parsed_cache.ParsedSnapshot | BuildError:
    try:
        return parsed_cache.parse(parser, file, folder)
    except (UnparsableError, parsed_cache.RowsLostError) as error:
        if parser.SOURCE.kind not in FETCHED_KINDS:
            raise
        return error


@_once
def judged(workspace: Workspace, source_id: str) -> list[tuple[StoredFile, parsed_cache.ParsedSnapshot]]:
    """The rows of a source's snapshots with their prices judged; a source without prices comes as it was parsed."""
    source, pairs = discover()[source_id].SOURCE, parsed(workspace, source_id)
    rates = lake_files(workspace, "exchange_rate") if Price in source.yields else []
    normalized = normalize.normalize_prices(source, [rows for _, rows in pairs], rates)
    return [(file, rows) for (file, _), rows in zip(pairs, normalized, strict=True)]


def lake_files(workspace: Workspace, name: str) -> list[Path]:
    """The lake's files of a table, of every source that feeds it."""
    read = judged if name in JUDGED else parsed
    folders = [rows.folder for source_id in feeds(name) for _, rows in read(workspace, source_id)]
    return [file for folder in folders if (file := folder / f"{name}.parquet").exists()]


def build_release(workspace: Workspace) -> Built:
    """An empty working database with the day that the build stands for.

    That is the latest day on which a source that is refreshed was observed: a document that never is does not
    move the clock.
    """
    load.create(workspace.working)
    refreshed = [s for s, parser in discover().items() if parser.SOURCE.stale_after_days is not None]
    observed = [file.observed_on for source_id in refreshed or discover() for file in stored(workspace, source_id)]
    with load.connect(workspace.working) as con:
        return load.insert(con, [Release(as_of=workspace.as_of or max(observed))], Release)


def build_source(workspace: Workspace) -> Built:
    with load.connect(workspace.working) as con:
        return load.insert(con, [_source_row(parser) for parser in discover().values()], SourceRow)


def build_source_problem(workspace: Workspace) -> Built:
    """What could not be read of the fetched sources; the rest of each stands."""
    read = ((source_id, pair) for source_id in discover() for pair in _read(workspace, source_id))
    rows = [
        SourceProblem(source_id=s, path=file.path, problem=str(rows)) for s, (file, rows) in read if isinstance(rows, BuildError)
    ]
    with load.connect(workspace.working) as con:
        return load.insert(con, rows, SourceProblem)


def build_snapshot(workspace: Workspace) -> Built:
    rows = [_snapshot_row(*pair) for source_id in discover() for pair in judged(workspace, source_id)]
    with load.connect(workspace.working) as con:
        return load.insert(con, rows, Snapshot)


def build_record(workspace: Workspace, name: str) -> Built:
    """A table that sources feed, harmonised from the lake."""
    files = lake_files(workspace, name)
    with load.connect(workspace.working) as con:
        return load.load(con, name, files)


def uploads(workspace: Workspace) -> list[Run]:
    """The runs of every accepted upload."""
    return workspace.once("uploads", lambda: list(uploaded.runs(workspace.data, workspace.out / "parsed" / "uploads")))


def build_uploaded(workspace: Workspace, name: str) -> Built:
    """A table of benchmarks."""
    with load.connect(workspace.working) as con:
        return load.insert(con, [row for run in uploads(workspace) for row in UPLOADED[name](run)], RECORDS[name])


def begin_model(workspace: Workspace) -> "Future[dict[str, pl.DataFrame]]":
    """Have another process compute the tables of the performance model, beside the metrics that do without them."""
    return workspace.once("model", lambda: _begun_model(workspace))


def _begun_model(workspace: Workspace) -> "Future[dict[str, pl.DataFrame]]":
    with load.connect(workspace.working) as con:
        return beside.promise(beside.AHEAD, model.every_table, model.measured(con), model.specs(con))


def build_model(workspace: Workspace, name: str) -> Built:
    """A table of the performance model."""
    rows = beside.result(begin_model(workspace))[name]
    with load.connect(workspace.working) as con:
        return load.insert(con, rows, RECORDS[name])


def build_metric(workspace: Workspace, metric: sql_models.Metric) -> Built:
    """A table that SQL computes, after those of its helpers that no other metric of this run has asked for."""
    with load.connect(workspace.working) as con:
        compute = functools.partial(load.compute, con)
        helpers = [workspace.once(f"table {one.name}", functools.partial(compute, one)) for one in sql_models.helpers(metric)]
        return functools.reduce(load.with_helper, helpers, compute(metric))


def build_database(workspace: Workspace) -> Tables:
    """The file to publish, with every check run again on it, and its exports."""
    beside.dismiss(beside.AHEAD)
    with load.connect(workspace.working) as con:
        (as_of,) = con.execute("SELECT as_of FROM release").fetchall()[0]
    written = publish.write_database(workspace.working, database := workspace.release / publish.DATABASE)
    tables = publish.verified(database, written)
    exports.write_exports(workspace.release, tables, as_of)
    return tables


def build_site(workspace: Workspace) -> Path:
    """The site over the data of this build, or over the published data where this build makes none."""
    publish.carry_over(workspace.release, workspace.out, publish.DATA_NAMES)
    if not (workspace.release / publish.DATABASE).exists():
        raise BuildError(f"no data is published in {workspace.out} yet; run `gpuledger build` without --only first")
    build.build_site(workspace.release, site := workspace.release / "site", workspace.site_cache)
    return site


def build_publication(workspace: Workspace) -> Path:
    publish.carry_over(workspace.release, workspace.out, publish.DATA_NAMES + publish.SITE_NAMES)
    return publish.publish(workspace.release, workspace.out)


def reads(record: type[Record]) -> Iterator[str]:
    """Tables that must be there before a record table can be loaded."""
    table: Table = record.__table__
    yield from model.READS.get(table.name, ())
    order = ("release", "source", "snapshot")  # each needs the one before
    yield from order[: order.index(table.name)][-1:] if table.name in order else order[-1:]
    yield from (column.col.references.partition(".")[0] for column in table.columns if column.col.references)
    if "raw_gpu_name" in table.column_names:
        yield "gpu_alias"


def _source_row(parser: Parser) -> SourceRow:
    source = parser.SOURCE
    return SourceRow(
        source_id=source.source_id,
        title=source.title,
        kind=source.kind,
        url=source.url,
        terms_url=source.terms_url,
        licence=source.licence,
        attribution=source.attribution,
        automated_access=source.automated_access,
        parser_version=source.parser_version,
        stale_after_days=source.stale_after_days,
    )


def _snapshot_row(file: StoredFile, rows: parsed_cache.ParsedSnapshot) -> Snapshot:
    return Snapshot(
        snapshot_id=file.sha256,
        source_id=file.source_id,
        path=file.path,
        url=file.url,
        retrieved_at=file.retrieved_at,
        published_at=file.published_at,
        bytes=file.size,
        rows_read=rows.rows_read,
        rows_accepted=rows.rows_accepted,
        rows_rejected=rows.rows_rejected,
    )
