"""Assets of the release: the database file with its exports, the site, and the publication of both.

Each writes into a folder of its own, which the next one reads; nothing passes between them in memory.
"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dagster as dg

from pipeline.orchestration import automation, metadata
from pipeline.orchestration.materialize import Result, materialize
from pipeline.orchestration.resources import BuildResource, scratch_folder
from pipeline.orchestration.source_assets import OWNERS
from pipeline.warehouse.build_records import NotMaterializedError, code_version, version_of
from pipeline.warehouse.release import exports, gate, publish, stored_bytes, unchanged
from pipeline.warehouse.workspace import Workspace
from pipeline.website import build as site_build
from pipeline.website import npm_packages

# headers of metrics and macros become comments and the dictionary of the file
DATA_CODE = ("pipeline/warehouse", "pipeline/schema", "pipeline/metrics", "pipeline/macros", "CITATION.cff", "DATA-LICENSE.md")
SITE_CODE = ("pipeline/website", "pipeline/warehouse/release/dataset.py", "pipeline/metrics/value", "site")
Outcome = dg.MaterializeResult[Any]


def publication_assets(tables: Sequence[dg.AssetKey]) -> list[dg.AssetsDefinition]:
    """Return the assets that make a release of the published tables."""
    return [_database_asset(tables), site, publication]


def _database_asset(tables: Sequence[dg.AssetKey]) -> dg.AssetsDefinition:
    @dg.asset(
        deps=sorted(tables),
        group_name="publication",
        kinds={"duckdb", "parquet", "csv"},
        owners=OWNERS,
        code_version=code_version(*DATA_CODE),
        automation_condition=automation.after_changes(),
        description="The database file, written from the working tables and checked again, and its exports. It loses no data.",
    )
    def database(context: dg.AssetExecutionContext, build: BuildResource) -> Outcome:
        return materialize(build, context.assets_def.get_asset_spec(), lambda: _write_data(build))

    return database


def _write_data(build: BuildResource) -> Result:
    """Write the database and its exports aside, then put them in place of the staged ones.

    Raises CheckFailedError where rows are missing; the staged files are there nonetheless, for `make expected`.
    """
    workspace = build.workspace
    with scratch_folder(workspace.work / "data.new") as folder:
        ((as_of,),) = build.connection.execute("SELECT as_of FROM release").fetchall()
        last = workspace.last_release / publish.DATABASE
        declared = publish.write_database(build.connection, folder / publish.DATABASE, last)
        tables = publish.verified(folder / publish.DATABASE, declared)
        unchanged.keep_unchanged(folder / publish.DATABASE, last)
        exports.write_exports(folder, tables, as_of)
        stored_bytes.write_snapshots(workspace, folder / stored_bytes.SNAPSHOTS)
        version = version_of((folder / "SHA256SUMS").read_bytes())
        if (workspace.data / publish.EXPECTATIONS).exists():
            shutil.copyfile(workspace.data / publish.EXPECTATIONS, folder / publish.EXPECTATIONS)
        _replace(workspace.staged_data, folder)
    gate.refuse_losses(workspace, workspace.staged_data / publish.DATABASE)
    return Result(version, metadata.of_database(tables))


@dg.asset(
    deps=["database"],
    group_name="publication",
    kinds={"markdown", "altair"},
    owners=OWNERS,
    code_version=code_version(*SITE_CODE),
    automation_condition=automation.after_changes(),
    description="The static site over the staged data.",
)
def site(context: dg.AssetExecutionContext, build: BuildResource) -> Outcome:
    return materialize(build, context.assets_def.get_asset_spec(), lambda: _write_site(build), site_options())


def site_options() -> dict[str, str]:
    """Versions of what the site depends on besides data and code: its public address, and the packages for browsers."""
    return {"site_url": os.environ.get("GPULEDGER_SITE_URL", ""), "packages": npm_packages.packages_version()}


def _write_site(build: BuildResource) -> Result:
    workspace = build.workspace
    _refuse_damaged_data(workspace, "site")
    with scratch_folder(workspace.work / "site.new") as folder:
        site_build.build_site(workspace.staged_data, folder / "site", workspace.site_cache)
        _replace(workspace.staged_site, folder / "site")
    record = build.records.get("database")
    version = version_of(record and record.data_version, code_version(*SITE_CODE), site_options())
    return Result(version, {"pages": sum(1 for _ in workspace.staged_site.rglob("*.html"))})


@dg.asset(
    deps=["database", site],
    group_name="publication",
    kinds={"file"},
    owners=OWNERS,
    code_version=code_version("pipeline/warehouse/release/publish.py"),
    automation_condition=automation.after_changes(),
    description="The release that users see: the staged data and the staged site, swapped in as one.",
)
def publication(context: dg.AssetExecutionContext, build: BuildResource) -> Outcome:
    spec = context.assets_def.get_asset_spec()
    built_site = build.records.get("site")
    without_site = spec.replace_attributes(deps=["database"])  # data are published alone where no site was ever built
    return materialize(build, spec if built_site else without_site, lambda: _publish(build))


def _refuse_damaged_data(workspace: Workspace, asset: str) -> None:
    if not (workspace.staged_data / publish.DATABASE).exists():
        raise NotMaterializedError(f"{asset}: its input database is not materialized; materialize database first")
    if not exports.is_intact(workspace.staged_data):
        raise NotMaterializedError(
            f"{asset}: files of its input database are damaged; run `gpuledger build`, which writes them anew"
        )


def _publish(build: BuildResource) -> Result:
    workspace = build.workspace
    _refuse_damaged_data(workspace, "publication")
    with scratch_folder(workspace.work / "release.new") as folder:
        publish.assemble_release(workspace.staged_data, workspace.staged_site, folder)
        release = publish.publish(folder, workspace.out)
    return Result(version_of(release.name), {"release": release.name, "path": str(release)})


def _replace(folder: Path, finished: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    finished.rename(folder)
