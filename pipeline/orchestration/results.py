"""Presence of results: a record does not prove that the files or the table of an asset are still there."""

import duckdb

from pipeline.warehouse import source_rows
from pipeline.warehouse.release import exports
from pipeline.warehouse.workspace import Workspace


def is_present(workspace: Workspace, con: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Return True where the result of the asset exists. Snapshots and uploads are stored files, which are always there."""
    kind, _, source_id = name.partition("/")
    if kind == "rows":
        return source_rows.is_intact(workspace, source_id)
    if name == "site":
        return workspace.staged_site.exists()
    releases = {"database": workspace.staged_data, "publication": workspace.last_release}
    if name in releases:
        return exports.is_intact(releases[name])
    return bool(source_id) or name == "accepted_uploads" or _has_table(con, name)


def _has_table(con: duckdb.DuckDBPyConnection, name: str) -> bool:
    query = "SELECT 1 FROM duckdb_tables() WHERE database_name = 'ledger' AND table_name = ?"
    return bool(con.execute(query, [name]).fetchall())
