"""Assets of the release: the database file with its exports, the site, and the publication of both.

Each writes into a folder of its own, which the next one reads; nothing passes between them in memory.
"""

import shutil
from pathlib import Path
from typing import Any

import dagster as dg

from pipeline.errors import BuildError
from pipeline.files import replace_folder, scratch_folder
from pipeline.orchestration import automation, metadata
from pipeline.orchestration.materialize import Result, materialize
from pipeline.orchestration.resources import BuildResource
from pipeline.orchestration.source_assets import OWNERS
from pipeline.orchestration.table_assets import published_tables
from pipeline.orchestration.up_to_date import site_options
from pipeline.release import exports, gate, publish, stored_bytes
from pipeline.warehouse.build_records import NotMaterializedError, code_version, version_of
from pipeline.warehouse.code_files import imported_files
from pipeline.warehouse.workspace import Workspace
from pipeline.website import build as site_build

# headers of metrics and macros become comments and the dictionary of the file
DATA_FILES = ("pipeline/metrics", "pipeline/macros", "pipeline/warehouse", "pipeline/tables", "CITATION.cff", "DATA-LICENSE.md")
# templates, the statement that ranks GPUs, and what the page of changes prints
SITE_FILES = ("pipeline/website", "pipeline/metrics/value", "site", "CHANGELOG.md")
Outcome = dg.MaterializeResult[Any]


def data_code() -> str:
    """Version of the code of asset `database`: the modules that write a release, all that they import, and other files."""
    return code_version(*imported_files("pipeline/release"), *DATA_FILES)


def site_code() -> str:
    """Version of the code of asset `site`, likewise."""
    return code_version(*imported_files("pipeline/website"), *SITE_FILES)


@dg.asset(
    deps=sorted(published_tables()),
    group_name="publication",
    kinds={"duckdb", "parquet", "csv"},
    owners=OWNERS,
    code_version=data_code(),
    metadata=metadata.of_definition(publish.write_database),
    automation_condition=automation.after_changes(),
    description="The database file, written from the working tables and checked again, and its exports. It loses no data.",
)
def database(context: dg.AssetExecutionContext, build: BuildResource) -> Outcome:
    return materialize(build, context.assets_def.get_asset_spec(), lambda: _write_data(build))


def _write_data(build: BuildResource) -> Result:
    """Write the database and its exports aside, then put them in place of the staged ones.

    Raises CheckFailedError where rows are missing; the staged files are there nonetheless, for `make expected`.
    """
    workspace = build.workspace
    _refuse_damaged_release(workspace.last_release)
    with replace_folder(workspace.staged_data) as folder:
        ((as_of,),) = build.connection.execute("SELECT as_of FROM release").fetchall()
        last = workspace.last_release / publish.DATABASE
        declared = publish.write_database(build.connection, folder / publish.DATABASE, last)
        tables = publish.verified(folder / publish.DATABASE, declared)
        publish.keep_unchanged(folder / publish.DATABASE, last)
        exports.write_exports(folder, tables, as_of)
        stored_bytes.write_snapshots(workspace, folder / stored_bytes.SNAPSHOTS)
        exports.write_checksums(folder / stored_bytes.SNAPSHOTS)
        version = version_of((folder / exports.CHECKSUMS).read_bytes())
        if (workspace.data / publish.EXPECTATIONS).exists():
            shutil.copyfile(workspace.data / publish.EXPECTATIONS, folder / publish.EXPECTATIONS)
    gate.refuse_losses(workspace, workspace.staged_data / publish.DATABASE)
    return Result(version, metadata.of_database(tables))


def _refuse_damaged_release(last: Path) -> None:
    """Raise BuildError if the database of the last release is damaged: without it, the new one has no history of releases."""
    if (last / exports.CHECKSUMS).exists() and not exports.is_intact(last, publish.DATABASE):
        problem = f"{last / publish.DATABASE} differs from its hash, so this build cannot be compared with it"
        raise BuildError(f"{problem}; restore the file, or delete {last} to begin a new history of releases")


@dg.asset(
    deps=[database],
    group_name="publication",
    kinds={"markdown", "altair"},
    owners=OWNERS,
    code_version=site_code(),
    metadata=metadata.of_definition(site_build.build_site),
    automation_condition=automation.after_changes(),
    description="The static site over the staged data.",
)
def site(context: dg.AssetExecutionContext, build: BuildResource) -> Outcome:
    return materialize(build, context.assets_def.get_asset_spec(), lambda: _write_site(build))


def _write_site(build: BuildResource) -> Result:
    workspace = build.workspace
    _refuse_damaged_data(workspace, "site")
    with replace_folder(workspace.staged_site) as folder:
        site_build.build_site(workspace.staged_data, folder, workspace.site_cache)
        exports.write_checksums(folder)
    record = build.records.get("database")
    version = version_of(record and record.data_version, site_code(), site_options())
    return Result(version, {"pages": sum(1 for _ in workspace.staged_site.rglob("*.html"))})


@dg.asset(
    deps=[database, site],
    group_name="publication",
    kinds={"file"},
    owners=OWNERS,
    code_version=code_version(*imported_files("pipeline/release/publish.py")),
    metadata=metadata.of_definition(publish.publish),
    automation_condition=automation.after_changes(),
    description="The release that users see: the staged data and the staged site, swapped in as one.",
)
def publication(context: dg.AssetExecutionContext, build: BuildResource) -> Outcome:
    return materialize(build, context.assets_def.get_asset_spec(), lambda: _publish(build))


def _refuse_damaged_data(workspace: Workspace, asset: str) -> None:
    if not (workspace.staged_data / publish.DATABASE).exists():
        raise NotMaterializedError(f"{asset}: its input database is not materialized; materialize database first")
    _refuse_damaged(workspace.staged_data, asset, "database")


def _refuse_damaged(folder: Path, asset: str, source: str) -> None:
    if not exports.is_intact(folder):
        raise NotMaterializedError(
            f"{asset}: files of its input {source} are damaged; run `gpuledger build`, which writes them anew"
        )


def _publish(build: BuildResource) -> Result:
    workspace = build.workspace
    _refuse_damaged_data(workspace, "publication")
    if workspace.staged_site.exists():
        _refuse_damaged(workspace.staged_site, "publication", "site")
    with scratch_folder(workspace.work / "release.new") as folder:
        publish.assemble_release(workspace.staged_data, workspace.staged_site, folder)
        release = publish.publish(folder, workspace.out)
    return Result(version_of(release.name), {"release": release.name, "path": str(release)})
