"""A working database with the tables that the performance model reads, loaded from the committed data, and nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from pipeline import paths
from pipeline.orchestration import steps
from pipeline.performance.model_inputs import ModelInputs
from pipeline.schema.provenance import Snapshot
from pipeline.warehouse import load as warehouse_load
from pipeline.warehouse import sql_models
from pipeline.warehouse.workspace import Workspace

TABLES = ("gpu", "gpu_alias", "workload_family", "system_interconnect", "gpu_die", "training_throughput")


def load(out: Path) -> Path:
    """Path of the database."""
    workspace = Workspace(paths.DATA, out)
    steps.build_release(workspace)
    steps.build_source(workspace)
    feeding = sorted({source_id for name in TABLES for source_id in steps.feeds(name)})
    pairs = [pair for source_id in feeding for pair in steps.parsed(workspace, source_id)]
    with warehouse_load.connect(workspace.working) as con:
        warehouse_load.insert(con, [steps._snapshot_row(*pair) for pair in pairs], Snapshot)
    for name in TABLES:
        built = steps.build_record(workspace, name)
        assert not any(built.violations.values()), built.violations
    for name in steps.UPLOADED:
        steps.build_uploaded(workspace, name)
    steps.build_metric(workspace, sql_models.metrics()["uploaded_throughput"])
    return workspace.working


def model_inputs(con: duckdb.DuckDBPyConnection) -> ModelInputs:
    """Read the inputs of the model's tables."""
    return ModelInputs.read(con)


@contextmanager
def opened(path: Path) -> Iterator[ModelInputs]:
    """The same of a database file, which is left as it is."""
    with warehouse_load.connect(path, read_only=True) as con:
        yield model_inputs(con)
