"""The model's tables, computed once from the committed data."""

from pathlib import Path

import duckdb
import pytest

from pipeline.performance import outputs
from pipeline.schema import performance
from pipeline.schema.core import tables_in
from pipeline.warehouse import load
from tests.pipeline.performance import ledger

RECORDS = tables_in(performance)


@pytest.fixture(scope="session")
def ledger_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ledger.load(tmp_path_factory.mktemp("performance"))


@pytest.fixture(scope="session")
def broken(ledger_path: Path) -> dict[str, list[str]]:
    """Fills every table of the model in that database; what breaks a check of its declaration, by table and check."""
    found = {}
    with load.connect(ledger_path) as con:
        basis = ledger.basis(con)
        for name, rows in outputs.ROWS.items():
            built = load.insert(con, rows(basis), RECORDS[name])
            found |= {f"{name}.{check}": rows for check, rows in built.broken.items() if rows}
    return found


@pytest.fixture
def con(ledger_path: Path, broken: dict[str, list[str]]):
    """A read-only connection to it."""
    with load.connect(ledger_path, read_only=True) as connection:
        yield connection


@pytest.fixture
def one(con: duckdb.DuckDBPyConnection):
    """The only row of a query."""
    return lambda sql: con.execute(sql).fetchall()[0]
