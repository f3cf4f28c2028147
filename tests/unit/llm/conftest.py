"""A database with the committed GPUs and language models, and the tables of memory."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from pipeline import paths
from pipeline.schema.provenance import Release, Snapshot
from pipeline.tables import build_tables, load, source_rows
from pipeline.tables.lineage import feeds
from pipeline.warehouse import connection, sql_models
from pipeline.warehouse.workspace import Workspace

STORED = ("gpu_model", "gpu", "_llm_config", "_llm_name", "llm_model_alias")
COMPUTED = ("llm_model", "llm_quantization", "llm_engine", "llm_fit_case", "llm_fit")


@pytest.fixture(scope="session")
def models_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    workspace = Workspace(paths.DATA, tmp_path_factory.mktemp("llm"))
    connection.create(workspace.database)
    feeding = sorted({source_id for name in STORED for source_id in feeds(name)})
    snapshots = [one for source_id in feeding for one in source_rows.read_source(workspace, source_id).snapshots]
    with connection.connect(workspace.database) as con:
        load.insert(con, [Release(as_of=max(one.file.observed_on for one in snapshots))], Release)
        build_tables.build_source(con, workspace)
        load.insert(con, [build_tables.snapshot_row(one) for one in snapshots], Snapshot)
        for name in STORED[:-1]:
            load.load(con, name, source_rows.row_files(workspace, name))
        # no measured sizes: the formula alone
        con.execute("CREATE TABLE llm_weight (llm_model_id VARCHAR, quantization VARCHAR, weight_bytes DOUBLE)")
        for name in COMPUTED:
            built = load.compute(con, sql_models.metrics()[name])
            assert not any(built.violations.values()), built.violations
        load.load(con, STORED[-1], source_rows.row_files(workspace, STORED[-1]))  # references llm_model
    return workspace.database


@pytest.fixture(scope="session")
def models(models_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with connection.connect(models_path, read_only=True) as con:
        yield con
