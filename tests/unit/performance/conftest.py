"""The model's tables, computed once from the committed data."""

from pathlib import Path

import duckdb
import pytest

from pipeline.performance import outputs
from pipeline.schema import performance
from pipeline.schema.core import tables_in
from pipeline.tables import load
from pipeline.warehouse import connection
from tests.unit.performance import working_database

RECORDS = tables_in(performance)


@pytest.fixture(scope="session")
def working_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return working_database.load(tmp_path_factory.mktemp("performance"))


@pytest.fixture(scope="session")
def broken(working_path: Path) -> dict[str, list[str]]:
    """Fills every table of the model in that database; what breaks a check of its declaration, by table and check."""
    found = {}
    with connection.connect(working_path) as con:
        for name, rows in outputs.every_table(working_database.model_inputs(con)).items():
            built = load.insert(con, rows, RECORDS[name])
            found |= {f"{name}.{check}": rows for check, rows in built.violations.items() if rows}
    return found


@pytest.fixture
def con(working_path: Path, broken: dict[str, list[str]]):
    """A read-only connection to it."""
    with connection.connect(working_path, read_only=True) as database:
        yield database


@pytest.fixture
def only_row(con: duckdb.DuckDBPyConnection):
    """The only row of a query."""
    return lambda sql: con.execute(sql).fetchall()[0]
