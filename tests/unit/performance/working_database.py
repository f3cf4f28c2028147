"""A working database with the tables that the performance model reads, loaded from the committed data, and nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from pipeline import paths
from pipeline.performance.model_inputs import ModelInputs
from pipeline.schema.provenance import Release, Snapshot
from pipeline.tables import build_tables, source_rows
from pipeline.tables import load as warehouse_load
from pipeline.tables.lineage import feeds
from pipeline.warehouse import connection, sql_models
from pipeline.warehouse.workspace import Workspace

TABLES = ("gpu_model", "gpu", "gpu_alias", "workload_family", "system_interconnect", "gpu_die", "training_throughput")


def load(out: Path) -> Path:
    """Path of the database."""
    workspace = Workspace(paths.DATA, out)
    connection.create(workspace.database)
    feeding = sorted({source_id for name in TABLES for source_id in feeds(name)})
    snapshots = [one for source_id in feeding for one in source_rows.read_source(workspace, source_id).snapshots]
    with connection.connect(workspace.database) as con:
        warehouse_load.insert(con, [Release(as_of=max(one.file.observed_on for one in snapshots))], Release)
        build_tables.build_source(con, workspace)
        warehouse_load.insert(con, [build_tables.snapshot_row(one) for one in snapshots], Snapshot)
        for name in TABLES:
            built = warehouse_load.load(con, name, source_rows.row_files(workspace, name))
            assert not any(built.violations.values()), built.violations
        build_tables.build_upload_tables(con, workspace)
        warehouse_load.compute(con, sql_models.metrics()["uploaded_throughput"])
    return workspace.database


def model_inputs(con: duckdb.DuckDBPyConnection) -> ModelInputs:
    """Read the inputs of the model's tables."""
    return ModelInputs.read(con)


@contextmanager
def opened(path: Path) -> Iterator[ModelInputs]:
    """The same of a database file, which is left as it is."""
    with connection.connect(path, read_only=True) as con:
        yield model_inputs(con)
