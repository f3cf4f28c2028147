"""A working database with some tables of the committed data and nothing else."""

from collections.abc import Iterable
from pathlib import Path

from pipeline import paths
from pipeline.schema.provenance import Release, Snapshot
from pipeline.tables import build_tables, load, source_rows
from pipeline.tables.lineage import feeds
from pipeline.warehouse import connection
from pipeline.warehouse.workspace import Workspace


def load_tables(out: Path, tables: Iterable[str], later: Iterable[str] = ()) -> Workspace:
    """Load the tables, and the sources and snapshots that feed them and the tables that are loaded later."""
    workspace = Workspace(paths.DATA, out)
    connection.create(workspace.database)
    feeding = sorted({source_id for name in (*tables, *later) for source_id in feeds(name)})
    snapshots = [one for source_id in feeding for one in source_rows.read_source(workspace, source_id).snapshots]
    with connection.connect(workspace.database) as con:
        load.insert(con, [Release(as_of=max(one.file.observed_on for one in snapshots))], Release)
        build_tables.build_source(con, workspace)
        load.insert(con, [build_tables.snapshot_row(one) for one in snapshots], Snapshot)
        for name in tables:
            built = load.load(con, name, source_rows.row_files(workspace, name))
            assert not any(built.violations.values()), built.violations
    return workspace
