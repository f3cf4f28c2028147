"""A database with the committed GPUs and language models, and the tables of memory."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from pipeline.tables import load, source_rows
from pipeline.warehouse import connection, sql_models
from tests.unit.working_database import load_tables

STORED = ("gpu_model", "gpu", "_llm_config", "_llm_name")
ALIASES = "llm_model_alias"  # its rows refer to a computed table
COMPUTED = ("llm_model", "llm_quantization", "llm_model_type", "llm_engine", "llm_fit_case", "llm_fit")


@pytest.fixture(scope="session")
def models_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    workspace = load_tables(tmp_path_factory.mktemp("llm"), STORED, later=[ALIASES])
    with connection.connect(workspace.database) as con:
        # no measured sizes: the formula alone
        con.execute("CREATE TABLE llm_weight (llm_model_id VARCHAR, quantization VARCHAR, weight_bytes DOUBLE)")
        for name in COMPUTED:
            if name == "llm_model_type":
                load.load(con, ALIASES, source_rows.row_files(workspace, ALIASES))
            built = load.compute(con, sql_models.metrics()[name])
            assert not any(built.violations.values()), built.violations
    return workspace.database


@pytest.fixture(scope="session")
def models(models_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with connection.connect(models_path, read_only=True) as con:
        yield con
