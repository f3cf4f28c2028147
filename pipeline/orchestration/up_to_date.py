"""Telling which assets are up to date: those with the code, the inputs and the result of their last materialization.

Steps of a run skip what is up to date, and the command line selects what is not; both ask this module.
"""

from collections.abc import Iterable, Mapping
from graphlib import TopologicalSorter

import dagster as dg
import duckdb

from pipeline.errors import BuildError
from pipeline.fetch import snapshots
from pipeline.fetch.snapshots import SnapshotError
from pipeline.files import hash_file
from pipeline.orchestration.resources import BuildResource, open_database
from pipeline.release import exports
from pipeline.release.publish import EXPECTATIONS
from pipeline.tables import source_rows
from pipeline.uploads import load_accepted
from pipeline.warehouse.build_records import BuildRecord, BuildRecords, NotMaterializedError
from pipeline.warehouse.workspace import Workspace
from pipeline.website.writing import links, npm_packages
from sources import discover


def asset_name(key: dg.AssetKey) -> str:
    """Return the key as records and messages show it, such as rows/ecb."""
    return key.to_user_string()


def stale_assets(specs: Iterable[dg.AssetSpec], build: BuildResource) -> list[dg.AssetKey]:
    """Return the assets to materialize, inputs first: those that are not up to date, and all that depend on them.

    Raises BuildError with a line for each stored file that disagrees with its sidecar.
    """
    workspace = build.make_workspace()
    by_name = {asset_name(spec.key): spec for spec in specs}
    stale: dict[str, None] = {}
    problems: dict[str, None] = {}
    with open_database(workspace) as con:
        inputs = {name: [asset_name(dep.asset_key) for dep in spec.deps] for name, spec in by_name.items()}  # a first site too
        for name in TopologicalSorter({n: set(names) & by_name.keys() for n, names in inputs.items()}).static_order():
            try:
                if stale.keys() & set(inputs[name]) or not _is_current(by_name[name], workspace, con):
                    stale[name] = None
            except SnapshotError as error:
                problems |= dict.fromkeys(str(error).splitlines())
    if problems:
        raise BuildError("\n".join(problems))
    return [by_name[name].key for name in stale]


def _is_current(spec: dg.AssetSpec, workspace: Workspace, con: duckdb.DuckDBPyConnection) -> bool:
    try:
        return current_record(spec, input_versions(spec, workspace), workspace, con) is not None
    except NotMaterializedError:
        return False


def input_versions(spec: dg.AssetSpec, workspace: Workspace) -> dict[str, str]:
    """Return the version of each input of an asset: other assets, stored files and options.

    Raises NotMaterializedError on the first asset that has none, and BuildError where stored files and sidecars disagree.
    """
    name = asset_name(spec.key)
    of_assets = BuildRecords(workspace.records).input_versions(name, _input_names(spec, workspace))
    return of_assets | _versions_besides(name, workspace)


def _input_names(spec: dg.AssetSpec, workspace: Workspace) -> list[str]:
    """Return the assets that an asset is made from. Data are published alone where no site was ever built."""
    names = [asset_name(dep.asset_key) for dep in spec.deps]
    site_exists = BuildRecords(workspace.records).get("site") is not None
    return [name for name in names if name != "site" or site_exists]


def current_record(
    spec: dg.AssetSpec, inputs: Mapping[str, str], workspace: Workspace, con: duckdb.DuckDBPyConnection
) -> BuildRecord | None:
    """Return the record of the last materialization if the asset is up to date, else None."""
    name = asset_name(spec.key)
    record = BuildRecords(workspace.records).get(name)
    if record is None or (record.code_version, record.inputs) != (spec.code_version or "", inputs):
        return None
    return record if _is_present(name, workspace, con) else None


def _versions_besides(name: str, workspace: Workspace) -> dict[str, str]:
    """Versions of inputs that are no assets: stored files, the reference date, row counts, the site's address and packages."""
    kind, _, source_id = name.partition("/")
    if kind in ("snapshots", "rows"):  # rows too: they are read from the files, not from the other asset
        files = snapshots.stored_files(discover()[source_id].SOURCE, workspace.data, workspace.accept_loss)
        return {"files": source_rows.stored_version(files)}
    if name == "accepted_uploads":
        return {"files": load_accepted.fingerprint(workspace.data)}
    if name == "release":
        return {"as_of": str(workspace.as_of or "")}
    if name in ("database", "publication"):  # the release has a copy of the file, but the site does not depend on it
        file = workspace.data / EXPECTATIONS
        return {"expectations": hash_file(file) if file.exists() else ""}
    return site_options() if name == "site" else {}


def site_options() -> dict[str, str]:
    """Versions of what the site depends on besides data and code: public addresses, and the packages for browsers."""
    addresses = {"site_url": links.site_address(), "repository_url": links.repository_address()}
    return addresses | {"packages": npm_packages.packages_version()}


def _is_present(name: str, workspace: Workspace, con: duckdb.DuckDBPyConnection) -> bool:
    """Return True where the result of the asset exists. Snapshots and uploads are stored files, which are always there."""
    kind, _, source_id = name.partition("/")
    if kind == "rows":
        return source_rows.is_intact(workspace, source_id)
    folders = {"database": workspace.staged_data, "site": workspace.staged_site, "publication": workspace.last_release}
    if name in folders:
        return exports.is_intact(folders[name])
    return bool(source_id) or name == "accepted_uploads" or _has_table(con, name)


def _has_table(con: duckdb.DuckDBPyConnection, name: str) -> bool:
    try:
        con.execute(f"FROM ledger.{name} LIMIT 0")
    except duckdb.CatalogException:
        return False
    return True
