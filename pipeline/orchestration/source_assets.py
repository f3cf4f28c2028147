"""Assets of sources: stored snapshots, daily lists, and the rows of each source. One step per source."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg

from pipeline.fetch.refresh import Status, fetch_source
from pipeline.fetch.session import FetchSession
from pipeline.orchestration import automation, metadata
from pipeline.orchestration.materialize import Result, asset_name, materialize, one_line_errors
from pipeline.orchestration.resources import BuildResource
from pipeline.paths import ROOT
from pipeline.prices.file_rows import read_file
from pipeline.schema.prices import Price
from pipeline.warehouse import source_rows
from pipeline.warehouse.build_records import code_version
from sources import Parser, discover

ROW_CODE = (
    "pipeline/readers",
    "pipeline/schema",
    "pipeline/gpu_identity",
    "pipeline/prices",
    "pipeline/warehouse/parsed_cache.py",
)
OWNERS = ["team:gpuledger"]
Results = Iterator[dg.MaterializeResult[Any]]


def snapshot_key(source_id: str) -> dg.AssetKey:
    """Key of the stored bytes of a source."""
    return dg.AssetKey(["snapshots", source_id])


def rows_key(source_id: str) -> dg.AssetKey:
    """Key of the rows of a source."""
    return dg.AssetKey(["rows", source_id])


def daily_key(source_id: str) -> dg.AssetKey:
    """Key of the lists that a source publishes by day."""
    return dg.AssetKey(["daily", source_id])


def fetched_keys() -> list[dg.AssetKey]:
    """Keys of the snapshots that may be fetched by a program without further consent."""
    return [snapshot_key(source_id) for source_id, parser in discover().items() if parser.SOURCE.automated_access == "allowed"]


def source_assets() -> list[dg.AssetsDefinition]:
    """Return the assets of every source."""
    daily = [_daily_asset(source_id, parser) for source_id, parser in discover().items() if parser.SOURCE.daily_from]
    return [*daily, *(_source_asset(source_id, parser) for source_id, parser in discover().items())]


def _source_asset(source_id: str, parser: Parser) -> dg.AssetsDefinition:
    snapshot, rows = _snapshot_spec(source_id, parser), _rows_spec(source_id, parser)

    @dg.multi_asset(name=f"source_{source_id.replace('-', '_')}", specs=[snapshot, rows], can_subset=True)
    def source(context: dg.AssetExecutionContext, build: BuildResource) -> Results:
        selected = context.selected_asset_keys
        if snapshot.key in selected:
            yield _materialize_snapshot(context, build, snapshot, parser)
        if rows.key in selected:
            yield materialize(build, rows, lambda: _read_rows(build, source_id))

    return source


def _snapshot_spec(source_id: str, parser: Parser) -> dg.AssetSpec:
    source = parser.SOURCE
    days = source.stale_after_days
    fetched = " The job `fetch` downloads new files first." if source.automated_access == "allowed" else ""
    return dg.AssetSpec(
        snapshot_key(source_id),
        deps=[daily_key(source_id)] if source.daily_from else [],
        group_name="snapshots",
        kinds={"file"},
        owners=OWNERS,
        freshness_policy=dg.FreshnessPolicy.time_window(fail_window=dt.timedelta(days=days)) if days else None,
        automation_condition=automation.after_daily_list() if source.daily_from else None,
        metadata=metadata.of_source(source),
        description=f"{source.title}: stored files, verified against their hashes.{fetched}",
    )


def _rows_spec(source_id: str, parser: Parser) -> dg.AssetSpec:
    source = parser.SOURCE
    module = Path(parser.parse.__code__.co_filename)
    note = " GPU labels resolved, prices in USD, rejected rows with their reason." if Price in source.yields else ""
    return dg.AssetSpec(
        rows_key(source_id),
        deps=[snapshot_key(source_id), *(rows_key(other) for other in sorted(source_rows.inputs_of(source_id)))],
        group_name="rows",
        kinds={"polars", "parquet"},
        owners=OWNERS,
        code_version=code_version("sources/__init__.py", "sources/document.py", str(module.relative_to(ROOT)), *ROW_CODE),
        automation_condition=automation.after_fetch(fetched_keys()),
        metadata=metadata.of_code(module),
        description=f"Rows of {source_id}, parsed from its snapshots.{note}",
    )


def _materialize_snapshot(
    context: dg.AssetExecutionContext, build: BuildResource, spec: dg.AssetSpec, parser: Parser
) -> dg.MaterializeResult[Any]:
    """Fetch if the run says so, then verify the stored files. The version is that of bytes and sidecars."""
    if build.fetch and parser.SOURCE.automated_access != "not_applicable":
        _fetch(context, build, parser)
    source_id = parser.SOURCE.source_id
    undated = spec.replace_attributes(deps=[])  # a daily list is a way to fetch, not an input of the stored bytes
    with one_line_errors(asset_name(spec.key)):
        files = source_rows.stored_files(build.workspace, source_id)
    version = source_rows.stored_version(files)
    return materialize(build, undated, lambda: Result(version, metadata.of_files(files)), {"files": version})


def _fetch(context: dg.AssetExecutionContext, build: BuildResource, parser: Parser, day: dt.date | None = None) -> None:
    """Fetch one source. Raises dg.Failure where it fails; what is stored stays as it is."""
    session = FetchSession(
        count_accepted=lambda one, file: read_file(one, file, build.workspace).rows_accepted,
        data=build.workspace.data,
        web=build.web,
        accept_terms=build.accept_terms,
    )
    outcome = fetch_source(parser, session, day)
    if outcome.status in (Status.failed, Status.refused):
        raise dg.Failure(description=outcome.reason, metadata={"status": outcome.status.value})
    context.log.info(outcome.reason)


def _daily_asset(source_id: str, parser: Parser) -> dg.AssetsDefinition:
    """Lists of single days, one partition per day: a backfill fetches the days that are missing."""
    first = parser.SOURCE.daily_from

    @dg.asset(
        key=daily_key(source_id),
        group_name="snapshots",
        kinds={"file"},
        owners=OWNERS,
        partitions_def=dg.DailyPartitionsDefinition(start_date=str(first), end_offset=1),
        description=f"{parser.SOURCE.title}: the list of one day, downloaded and stored.",
    )
    def daily_list(context: dg.AssetExecutionContext, build: BuildResource) -> dg.MaterializeResult[Any]:
        day = dt.date.fromisoformat(context.partition_key)
        _fetch(context, build, parser, day)
        return dg.MaterializeResult(metadata={"date": day.isoformat()})

    return daily_list


def _read_rows(build: BuildResource, source_id: str) -> Result:
    rows = source_rows.read_source(build.workspace, source_id)
    return Result(rows.data_version, metadata.of_rows(rows))
