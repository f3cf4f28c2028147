"""Assets of tables: those that sources feed, those of uploads and of the performance model, and one per SQL model."""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

import dagster as dg

from pipeline.claims import outputs as claims
from pipeline.llm import inputs as llm
from pipeline.orchestration import automation, freshness, metadata
from pipeline.orchestration.inbox import read_inbox
from pipeline.orchestration.materialize import CHECK, Result, materialize
from pipeline.orchestration.resources import BuildResource
from pipeline.orchestration.source_assets import OWNERS, rows_key
from pipeline.paths import ROOT
from pipeline.performance import inputs as model
from pipeline.schema import RECORDS, Table
from pipeline.tables import build_tables, lineage, load, source_rows
from pipeline.tables.load import Built
from pipeline.uploads import load_accepted
from pipeline.warehouse import sql_models
from pipeline.warehouse.build_records import code_version, version_of
from pipeline.warehouse.code_files import imported_files
from pipeline.warehouse.sql_models import Metric
from sources import discover

CHECKED = """Every row meets the declaration of the table: a unique key, required values, finite and physically possible numbers,
terms of the vocabulary, clean text, references to existing rows, and the table's own conditions."""
METRIC_CODE = (*imported_files("pipeline/tables/load.py"), "pipeline/macros")
TABLE_CODE = (*METRIC_CODE, "pipeline/tables", "pipeline/prices")
Results = Iterator[dg.MaterializeResult[Any] | dg.AssetCheckResult]


def table_assets() -> list[dg.AssetsDefinition]:
    """Return the assets of every table."""
    made = {*lineage.MODEL_READS, *build_tables.UPLOAD_TABLES, *build_tables.BUILD_FACTS}
    of_sources = [*map(_build_fact, build_tables.BUILD_FACTS), *(_source_table(name) for name in RECORDS if name not in made)]
    models = [
        _model_assets("performance_model", model, "pipeline/performance"),
        _model_assets("llm_speed_model", llm, "pipeline/llm"),
        _model_assets("claim_arithmetic", claims, "pipeline/claims"),
    ]
    return [accepted_uploads, _upload_assets(), *models, *of_sources, *map(_metric_asset, sql_models.metrics().values())]


def published_tables() -> list[dg.AssetKey]:
    """Return the keys of every table of the published file."""
    metrics = [name for name, metric in sql_models.metrics().items() if not name.startswith("_")]
    return [dg.AssetKey(name) for name in (*RECORDS, *metrics)]


@dg.asset(
    group_name="benchmarks",
    kinds={"file"},
    owners=OWNERS,
    code_version=code_version("pipeline/uploads/store.py"),
    metadata=metadata.of_definition(load_accepted.fingerprint),
    description="Accepted uploads of benchmark outputs: stored bytes and their sidecars.",
)
def accepted_uploads(context: dg.AssetExecutionContext, build: BuildResource) -> dg.MaterializeResult[Any]:
    if build.ingest:
        read_inbox(context, build)
    spec = context.assets_def.get_asset_spec()
    return materialize(build, spec, lambda: Result(load_accepted.fingerprint(build.workspace.data)))


def _build_fact(name: str) -> dg.AssetsDefinition:
    """A table about the sources themselves: it depends on their declarations, and all but `source` on the rows of each."""
    code = code_version(*TABLE_CODE, "sources")
    if name == "source":
        spec = _declared_spec(name, (), code).replace_attributes(automation_condition=automation.after_new_code())
    else:
        spec = _declared_spec(name, map(rows_key, discover()), code)
    return _table_asset(spec, lambda build: build_tables.BUILD_FACTS[name](build.connection, build.workspace))


def _source_table(name: str) -> dg.AssetsDefinition:
    """A table loaded from the rows of sources."""
    spec = _declared_spec(name, map(rows_key, lineage.feeds(name)), code_version(*TABLE_CODE))
    return _table_asset(spec, lambda build: load.load(build.connection, name, source_rows.row_files(build.workspace, name)))


def _declared_spec(name: str, rows: Iterable[dg.AssetKey], code: str) -> dg.AssetSpec:
    """A declared table, made of these rows; the metadata have its columns and the place of its declaration."""
    record, inputs = RECORDS[name], {*rows, *map(dg.AssetKey, build_tables.table_inputs(name))}
    facts = metadata.of_columns(record.__table__) | metadata.of_definition(record)
    return _table_spec(record.__table__, inputs, "table", code, facts)


def _table_asset(spec: dg.AssetSpec, make: Callable[[BuildResource], Built]) -> dg.AssetsDefinition:
    """One table, made in one step. The table of the health of sources has their checks of freshness, too."""
    name = spec.key.path[-1]
    of_sources = name == freshness.TABLE
    checks = [_check_spec(name), *(freshness.check_specs() if of_sources else ())]

    @dg.multi_asset(name=name, specs=[spec], check_specs=checks)
    def table(build: BuildResource) -> Results:
        yield materialize(build, spec, lambda: _result(build, make(build)))
        if of_sources:
            yield from freshness.check_results(build.connection)

    return table


def _metric_asset(metric: Metric) -> dg.AssetsDefinition:
    key = tuple(part.strip() for part in metric.file.one("unique").split(","))
    table = Table(metric.name, metric.file.one("title"), metric.file.one("description"), metric.group, key, ())
    inputs = {dg.AssetKey(name) for name in metric.reads or ("source",)}
    code = version_of(code_version(str(metric.file.path.relative_to(ROOT))), code_version(*METRIC_CODE))
    spec = _table_spec(table, inputs, "sql", code, metadata.of_code(metric.file.path))
    return _table_asset(spec, lambda build: load.compute(build.connection, metric))


def _upload_assets() -> dg.AssetsDefinition:
    """Tables of all accepted uploads, made in one step: a file gives rows of each."""
    rows = (accepted_uploads.key, rows_key("gpuledger-names"), dg.AssetKey("gpu"))
    code = code_version(*imported_files("pipeline/uploads", "benchmarks/formats"), "pipeline/uploads", *TABLE_CODE)
    specs = [_declared_spec(name, rows, code) for name in build_tables.UPLOAD_TABLES]
    return _multi_table_asset("uploads", specs, lambda build: build_tables.build_upload_tables(build.connection, build.workspace))


def _model_assets(step: str, module: ModuleType, folder: str) -> dg.AssetsDefinition:
    """Tables that the package of the module `inputs` computes from others, made in one step: they share its work."""
    specs = [
        _table_spec(
            RECORDS[name].__table__,
            {dg.AssetKey(other) for other in build_tables.table_inputs(name) if other not in module.READS},
            "numpy",
            code_version(*imported_files(folder), *TABLE_CODE),
            metadata.of_columns(RECORDS[name].__table__) | metadata.of_code(ROOT / folder / "outputs.py"),
        )
        for name in module.READS
    ]
    return _multi_table_asset(step, specs, lambda build: build_tables.build_computed(build.connection, module.every_table))


def _multi_table_asset(
    step: str, specs: list[dg.AssetSpec], build_all: Callable[[BuildResource], Mapping[str, Built]]
) -> dg.AssetsDefinition:
    """Several tables from one computation, which runs at most once per step and only if a table is not up to date."""

    @dg.multi_asset(name=step, specs=specs, check_specs=[_check_spec(spec.key.path[-1]) for spec in specs], can_subset=True)
    def tables(context: dg.AssetExecutionContext, build: BuildResource) -> Results:
        compute = functools.cache(lambda: build_all(build))
        for spec in specs:
            if spec.key in context.selected_asset_keys:
                name = spec.key.path[-1]
                yield materialize(build, spec, functools.partial(lambda one: _result(build, compute()[one]), name))

    return tables


def _table_spec(table: Table, inputs: Iterable[dg.AssetKey], kind: str, code: str, facts: Mapping[str, Any]) -> dg.AssetSpec:
    return dg.AssetSpec(
        table.name,
        deps=sorted(inputs),
        group_name=table.group,
        kinds={"duckdb", kind},
        owners=OWNERS,
        code_version=code,
        automation_condition=automation.after_changes(),
        metadata={"checked": True, **metadata.to_dagster(facts)},
        description=f"{table.title}. {table.description}",
    )


def _check_spec(name: str) -> dg.AssetCheckSpec:
    """One check for all that a table declares; its metadata count the rows that break each rule."""
    return dg.AssetCheckSpec(CHECK, asset=name, description=CHECKED, blocking=True)


def _result(build: BuildResource, built: Built) -> Result:
    """Result of a table; its data version is a hash of its rows in any order."""
    name = built.table.name
    rows = build.connection.execute(f"SELECT count(*), bit_xor(hash({name})), sum(hash({name})) FROM {name}").fetchall()
    return Result(version_of(rows), metadata.of_table(built), built.violations)
