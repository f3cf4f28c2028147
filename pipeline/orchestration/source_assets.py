"""Assets of sources: stored snapshots, daily lists, and the rows of each source. One step per source."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

import dagster as dg

from pipeline.fetch import snapshots
from pipeline.fetch.refresh import Status, fetch_source
from pipeline.fetch.session import FetchSession
from pipeline.orchestration import automation, metadata
from pipeline.orchestration.materialize import Result, materialize, one_line_errors
from pipeline.orchestration.resources import BuildResource
from pipeline.prices import normalize
from pipeline.prices.file_rows import read_file
from pipeline.schema.prices import Price
from pipeline.tables import source_rows
from pipeline.warehouse import parsed_cache
from pipeline.warehouse.build_records import code_version, version_of
from sources import Parser, Source, discover, file_of

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
            yield materialize(build, rows, lambda: _make_rows(build, source_id))

    return source


def _snapshot_spec(source_id: str, parser: Parser) -> dg.AssetSpec:
    source = parser.SOURCE
    is_fetched = source.automated_access == "allowed"
    days = source.stale_after_days if is_fetched else None
    fetched = " A run downloads new files first if it sets `fetch: true` for resource `build`, as the job `fetch` does."
    return dg.AssetSpec(
        snapshot_key(source_id),
        group_name="snapshots",
        kinds={"file"},
        owners=OWNERS,
        freshness_policy=dg.FreshnessPolicy.time_window(fail_window=dt.timedelta(days=days)) if days else None,
        automation_condition=automation.after_daily_list(daily_key(source_id)) if source.daily_from else None,
        metadata=metadata.of_source(source) | metadata.of_code(file_of(parser)),
        description=f"{source.title}: stored files, verified against their hashes.{fetched if is_fetched else ''}",
    )


def _rows_spec(source_id: str, parser: Parser) -> dg.AssetSpec:
    source = parser.SOURCE
    note = " GPU labels resolved, prices in USD, rejected rows with their reason." if Price in source.yields else ""
    return dg.AssetSpec(
        rows_key(source_id),
        deps=[snapshot_key(source_id), *(rows_key(other) for other in sorted(source_rows.inputs_of(source_id)))],
        group_name="rows",
        kinds={"polars", "parquet"},
        owners=OWNERS,
        code_version=version_of(code_version(*parsed_cache.parser_files(parser)), normalize.code()),
        automation_condition=automation.after_fetch(fetched_keys()),
        metadata=metadata.of_code(file_of(parser)),
        description=f"Rows of {source_id}, parsed from its snapshots.{note}",
    )


def _materialize_snapshot(
    context: dg.AssetExecutionContext, build: BuildResource, spec: dg.AssetSpec, parser: Parser
) -> dg.MaterializeResult[Any]:
    """Fetch if the run says so, then verify the stored files. The version is that of bytes and sidecars."""
    if build.fetch and parser.SOURCE.automated_access != "not_applicable":
        _fetch(context, build, parser)
    result = materialize(build, spec, lambda: _verify_files(build, parser.SOURCE))
    if parser.SOURCE.daily_from:
        _log_stored_days(context, build, parser.SOURCE)
    return result


def _verify_files(build: BuildResource, source: Source) -> Result:
    files = list(snapshots.stored_files(source, build.workspace.data, build.workspace.accept_loss))
    return Result(source_rows.stored_version(files), metadata.of_files(files))


def _log_stored_days(context: dg.AssetExecutionContext, build: BuildResource, source: Source) -> None:
    """Report the lists of days that are stored although no run of this history fetched them: the UI shows others as missing."""
    key = daily_key(source.source_id)
    files = snapshots.stored_files(source, build.workspace.data, build.workspace.accept_loss)
    dated = ((file.published_at.date(), file.url) for file in files if file.published_at)
    stored = {day.isoformat() for day, url in dated if url == source.daily_url.format(day=day)}
    for day in sorted(stored - context.instance.get_materialized_partitions(key)):
        context.log_event(dg.AssetMaterialization(key, "stored before", partition=day))


def _fetch(context: dg.AssetExecutionContext, build: BuildResource, parser: Parser, day: dt.date | None = None) -> None:
    """Fetch one source. Raises dg.Failure where it fails; what is stored stays as it is."""
    with one_line_errors(parser.SOURCE.source_id):
        workspace = build.workspace
    session = FetchSession(
        count_accepted=lambda one, file: read_file(one, file, workspace).rows_accepted,
        data=workspace.data,
        web=build.web,
        accept_terms=build.accept_terms,
    )
    outcome = fetch_source(parser, session, day)
    if outcome.status in (Status.failed, Status.refused):
        raise dg.Failure(description=outcome.reason, metadata={"status": outcome.status.value})
    context.log.info(outcome.reason)


def _daily_asset(source_id: str, parser: Parser) -> dg.AssetsDefinition:
    """Lists of single days, one partition per day: a backfill fetches the days that are missing.

    The snapshots do not depend on them: else everything upstream of a table would need a day, and fetch it.
    """
    first = parser.SOURCE.daily_from

    @dg.asset(
        key=daily_key(source_id),
        group_name="daily_lists",
        kinds={"file"},
        owners=OWNERS,
        metadata=metadata.of_code(file_of(parser)),
        partitions_def=dg.DailyPartitionsDefinition(start_date=str(first), end_offset=1),
        description=f"{parser.SOURCE.title}: the list of one day, downloaded and stored among snapshots/{source_id}.",
    )
    def daily_list(context: dg.AssetExecutionContext, build: BuildResource) -> dg.MaterializeResult[Any]:
        day = dt.date.fromisoformat(context.partition_key)
        _fetch(context, build, parser, day)
        return dg.MaterializeResult(metadata={"date": day.isoformat()})

    return daily_list


def _make_rows(build: BuildResource, source_id: str) -> Result:
    rows = source_rows.read_source(build.workspace, source_id)
    return Result(rows.data_version, metadata.of_rows(rows))
