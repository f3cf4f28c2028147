"""The Dagster graph: every step of a build as an asset, every blocking check as an asset check.

The work itself is done by plain functions in `steps`; nothing else in the project imports Dagster but
`definitions` and `cli`.
"""

import datetime as dt
import functools
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
from pydantic import PrivateAttr

from pipeline import beside, paths
from pipeline.errors import BuildError
from pipeline.fetch import lock
from pipeline.orchestration import metadata, progress, steps
from pipeline.performance import inputs as model
from pipeline.schema import RECORDS, Table
from pipeline.schema.prices import Price
from pipeline.warehouse import engine, load, sql_models
from pipeline.warehouse.lineage import feeds
from pipeline.warehouse.workspace import Workspace
from sources import discover

BUILD_FACTS: dict[str, Callable[[Workspace], load.Built]] = {
    "release": steps.build_release,
    "source": steps.build_source,
    "source_problem": steps.build_source_problem,
    "snapshot": steps.build_snapshot,
}

CHECK = "as_declared"
CHECKED = """The key names one row; what must be there is; numbers are finite and physically possible; vocabularies are kept;
texts are clean; what other tables are referred to by is there; the conditions that the table declares hold on every row."""


class Workbench(dg.ConfigurableResource):
    """The workspace of a run, and the lock on it: held from the first step to the last."""

    data: str = str(paths.DATA)
    out: str = str(paths.BUILD)
    as_of: str = ""
    site: bool = True
    _workspace: Workspace = PrivateAttr()

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator["Workbench"]:
        day = None if not self.as_of else dt.date.fromisoformat(self.as_of)
        self._workspace = Workspace(Path(self.data), Path(self.out), day, self.site)
        with lock.hold(Path(self.out)), engine.kept(), beside.kept():
            shutil.rmtree(self._workspace.release, ignore_errors=True)
            yield self

    def workspace(self) -> Workspace:
        """The same for every step of a run."""
        return self._workspace


def all_assets() -> list[dg.AssetsDefinition]:
    """Every asset of the build, in no particular order: Dagster reads the order from the dependencies."""
    records = [_record_asset(name) for name in RECORDS]
    metrics = [_metric_asset(metric) for name, metric in sql_models.metrics().items() if not name.startswith("_")]
    tables = [*records, *metrics]
    database = _database_asset([asset.key for asset in tables])
    return [_sources_assets(), uploads, performance_model, *tables, database, site, publication]


@contextmanager
def _step(name: str) -> Iterator[None]:
    """Turn what a person can mend into a step failure without a stack trace, and tell the listener of the end."""
    try:
        yield
    except BuildError as error:
        raise dg.Failure(description=str(error), allow_retries=False) from None
    progress.listener.get()(name)


def _sources_assets() -> dg.AssetsDefinition:
    """The stored bytes of each source and the rows in them, made in one step, all or some: steps are dear."""

    @dg.multi_asset(name="sources", specs=[spec for one in discover() for spec in _source_specs(one)], can_subset=True)
    def sources(context: dg.AssetExecutionContext, workbench: Workbench) -> Iterator[dg.MaterializeResult]:
        workspace = workbench.workspace()
        problems = dict[str, None]()  # what is wrong with names or rates is wrong with every price
        chosen = (one for one in discover() if _rows_key(one) in context.selected_asset_keys)
        for source_id in sorted(chosen, key=lambda one: one not in _judged_by()):
            try:
                files, read = steps.stored(workspace, source_id), steps.judged(workspace, source_id)
            except BuildError as error:
                problems[str(error)] = None
                continue
            yield dg.MaterializeResult(_stored_key(source_id), metadata=_metadata(metadata.of_files(files)))
            yield dg.MaterializeResult(_rows_key(source_id), metadata=_metadata(metadata.of_rows(read)))
            progress.listener.get()(source_id)
        if problems:
            raise dg.Failure(description="\n".join(problems), allow_retries=False)

    return sources


def _judged_by() -> set[str]:
    """The sources that prices of all others are judged by: names of cards and rates of currencies."""
    return {"gpuledger-names", *feeds("exchange_rate")}


def _source_specs(source_id: str) -> Iterator[dg.AssetSpec]:
    source = discover()[source_id].SOURCE
    judged = Price in source.yields
    needed = _judged_by() - {source_id} if judged else set()
    yield dg.AssetSpec(
        _stored_key(source_id),
        group_name="snapshots",
        kinds={"file"},
        description=f"{source.title}: the stored bytes, each compared with the hash in its sidecar.",
    )
    yield dg.AssetSpec(
        _rows_key(source_id),
        deps=[_stored_key(source_id), *(_rows_key(other) for other in sorted(needed))],
        group_name="rows",
        kinds={"polars", "parquet"},
        description=f"Rows of {source_id} in the source's own words"
        + ("; the card that each label means, prices in USD, and what is rejected and why." if judged else "."),
    )


def _stored_key(source_id: str) -> dg.AssetKey:
    return dg.AssetKey(["snapshots", source_id])


def is_stored(key: dg.AssetKey) -> bool:
    """Whether the asset is the stored bytes of a source."""
    return key.path[0] == "snapshots" and len(key.path) > 1


def _rows_key(source_id: str) -> dg.AssetKey:
    return dg.AssetKey(["rows", source_id])


def _record_asset(name: str) -> dg.AssetsDefinition:
    table = RECORDS[name].__table__
    build = BUILD_FACTS.get(name) or functools.partial(_builder(name), name=name)
    return _table_asset(table, _record_deps(name), build)


def _builder(name: str) -> Callable[..., load.Built]:
    if name in steps.UPLOADED:
        return steps.build_uploaded
    return steps.build_model if name in model.READS else steps.build_record


MODEL_READS = frozenset(name for read in model.READS.values() for name in read) - set(model.READS)


def _priority(name: str) -> dict[str, str]:
    """First what the performance model rests on, last its tables: it is computed beside the others."""
    urgent = name in _with_all_read(MODEL_READS)
    return {"dagster/priority": "-1" if name in model.READS else str(int(urgent))}


@functools.cache
def _with_all_read(names: frozenset[str]) -> frozenset[str]:
    """The tables with those that they are built from, and so on."""
    metrics = sql_models.metrics()
    read = frozenset(one for name in names for one in (metrics[name].reads if name in metrics else steps.reads(RECORDS[name])))
    return names if read <= names else _with_all_read(names | read)


@dg.asset(
    name="performance_model",
    deps=sorted(MODEL_READS),
    op_tags={"dagster/priority": "1"},
    group_name="performance",
    kinds={"numpy"},
    description="The fits and predictions of the performance model, handed to a process that computes them beside other tables.",
)
def performance_model(workbench: Workbench) -> None:
    with _step("performance_model"):
        steps.begin_model(workbench.workspace())


def _record_deps(name: str) -> set[dg.AssetKey]:
    tables = {dg.AssetKey(table) for table in steps.reads(RECORDS[name])} - {dg.AssetKey(name)}
    if name in model.READS:
        return {performance_model.key} | tables
    if name in steps.UPLOADED:
        return {dg.AssetKey("uploads")} | tables
    return {_rows_key(source_id) for source_id in (discover() if name in BUILD_FACTS else feeds(name))} | tables


def _metric_asset(metric: sql_models.Metric) -> dg.AssetsDefinition:
    """A published metric; its helpers are made in its step, since nobody else sees them."""
    key = tuple(part.strip() for part in metric.file.one("unique").split(","))
    title, text = metric.file.one("title"), metric.file.one("description")
    table = Table(metric.name, title, text, metric.group, key, ())
    helpers = sql_models.helpers(metric)
    read = {name for one in (metric, *helpers) for name in one.reads} - {one.name for one in helpers}
    deps = {dg.AssetKey(name) for name in read or {"snapshot"}}
    return _table_asset(table, deps, lambda workspace: steps.build_metric(workspace, metric))


def _table_asset(table: Table, deps: set[dg.AssetKey], build: Callable[[Workspace], load.Built]) -> dg.AssetsDefinition:
    """One check for all that a table declares: each of its own would cost more than it shows."""

    @dg.asset(
        key=table.name,
        deps=sorted(deps),
        group_name=table.group,
        kinds={"duckdb", "table" if table.name in RECORDS else "sql"},
        description=f"{table.title}. {table.description}",
        op_tags=_priority(table.name),
        check_specs=[dg.AssetCheckSpec(CHECK, asset=table.name, description=CHECKED, blocking=True)],
    )
    def built_table(workbench: Workbench) -> dg.MaterializeResult:
        workspace = workbench.workspace()
        with _step(table.name):
            built = build(workspace)
        return dg.MaterializeResult(metadata=_metadata(metadata.of_table(built)), check_results=[_result(built)])

    return built_table


def _result(built: load.Built) -> dg.AssetCheckResult:
    """What breaks the table, one line for each row; as metadata, how many rows break each check."""
    lines = [line for found in built.violations.values() for line in found]
    return dg.AssetCheckResult(
        check_name=CHECK,
        passed=not lines,
        description="\n".join(lines) or None,
        metadata={check: len(found) for check, found in built.violations.items()},
        severity=dg.AssetCheckSeverity.ERROR,
    )


def _database_asset(tables: list[dg.AssetKey]) -> dg.AssetsDefinition:
    @dg.asset(
        deps=tables,
        group_name="publication",
        kinds={"duckdb", "parquet", "csv"},
        description="The file to publish, written anew from the working tables, checked again, and exported.",
    )
    def database(workbench: Workbench) -> dg.MaterializeResult:
        with _step("database and exports"):
            tables = steps.build_database(workbench.workspace())
        return dg.MaterializeResult(metadata=_metadata(metadata.of_database(tables)))

    return database


def _metadata(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts as Dagster metadata; a Markdown table under `preview` is shown as one."""
    return {name: dg.MetadataValue.md(value) if name == "preview" else value for name, value in facts.items()}


@dg.asset(
    deps=[_rows_key("gpuledger-names")],
    group_name="benchmarks",
    kinds={"file"},
    description="Accepted uploads of benchmark outputs, each read anew in a process with limits.",
)
def uploads(workbench: Workbench) -> dg.MaterializeResult:
    with _step("uploads"):
        runs = steps.uploads(workbench.workspace())
    return dg.MaterializeResult(metadata={"dagster/row_count": len(runs)})


@dg.asset(
    deps=["database"],
    group_name="publication",
    kinds={"markdown", "altair"},
    description="The static site over the data of this build.",
)
def site(workbench: Workbench) -> dg.MaterializeResult:
    with _step("site"):
        folder = steps.build_site(workbench.workspace())
    return dg.MaterializeResult(metadata={"pages": sum(1 for _ in folder.rglob("*.html"))})


@dg.asset(
    deps=["database", site],
    group_name="publication",
    kinds={"file"},
    description="The release that everyone sees, swapped in as one.",
)
def publication(workbench: Workbench) -> dg.MaterializeResult:
    with _step("publication"):
        release = steps.build_publication(workbench.workspace())
    return dg.MaterializeResult(metadata={"release": release.name})
