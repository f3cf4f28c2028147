"""A working database with the tables that the performance model reads, loaded from the committed data, and nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from pipeline.performance.model_inputs import ModelInputs
from pipeline.tables import build_tables
from pipeline.tables import load as warehouse_load
from pipeline.warehouse import connection, sql_models
from tests.unit.working_database import load_tables

TABLES = ("gpu_model", "gpu", "gpu_alias", "workload_family", "system_interconnect", "gpu_die", "training_throughput")


def load(out: Path) -> Path:
    """Path of the database."""
    workspace = load_tables(out, TABLES)
    with connection.connect(workspace.database) as con:
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
