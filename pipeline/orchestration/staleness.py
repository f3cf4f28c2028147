"""Decides which assets of a build are not up to date, without running Dagster steps."""

from collections.abc import Iterable, Mapping
from graphlib import TopologicalSorter

import dagster as dg

from pipeline.orchestration.materialize import asset_name
from pipeline.orchestration.publication_assets import site_options
from pipeline.orchestration.resources import BuildResource, open_database
from pipeline.orchestration.results import is_present
from pipeline.uploads import load_accepted
from pipeline.warehouse import source_rows
from pipeline.warehouse.build_records import BuildRecords
from pipeline.warehouse.workspace import Workspace
from sources import discover


def stale_assets(specs: Iterable[dg.AssetSpec], build: BuildResource) -> list[dg.AssetKey]:
    """Return the assets to materialize, inputs first: those whose code, inputs or result changed, and all that depend on them."""
    workspace = build.make_workspace()
    by_name = {asset_name(spec.key): spec for spec in specs}
    extra = _extra_inputs(build, workspace)
    stale: dict[str, None] = {}
    with open_database(workspace) as con:
        for name in TopologicalSorter({n: set(_inputs(spec)) & by_name.keys() for n, spec in by_name.items()}).static_order():
            current = _is_current(by_name[name], workspace, extra.get(name, {})) and is_present(workspace, con, name)
            if not current or any(one in stale for one in _inputs(by_name[name])):
                stale[name] = None
    return [by_name[name].key for name in stale]


def _inputs(spec: dg.AssetSpec) -> list[str]:
    return [asset_name(dep.asset_key) for dep in spec.deps if dep.asset_key.path[0] != "daily"]


def _is_current(spec: dg.AssetSpec, workspace: Workspace, extra: Mapping[str, str]) -> bool:
    records = BuildRecords(workspace.records)
    record = records.get(asset_name(spec.key))
    if record is None or record.code_version != (spec.code_version or ""):
        return False
    versions = {name: found.data_version for name in _inputs(spec) if (found := records.get(name))}
    return record.inputs == versions | dict(extra)


def _extra_inputs(build: BuildResource, workspace: Workspace) -> dict[str, dict[str, str]]:
    """Versions of inputs that are no assets: stored files and options."""
    stored = {s: source_rows.stored_version(source_rows.stored_files(workspace, s)) for s in discover()}
    return {
        **{f"snapshots/{source_id}": {"files": version} for source_id, version in stored.items()},
        "accepted_uploads": {"files": load_accepted.fingerprint(workspace.data)},
        "release": {"as_of": build.as_of},
        "site": site_options(),
    }
