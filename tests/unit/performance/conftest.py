"""The model's tables, as the build computed them from the committed data."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from pipeline.warehouse import connection


@pytest.fixture(scope="session")
def con(built: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A read-only connection to the working database, which has the tables that are not published, too."""
    with connection.connect(built / "work" / "gpuledger.duckdb", read_only=True) as database:
        yield database


@pytest.fixture
def only_row(con: duckdb.DuckDBPyConnection):
    """The only row of a query."""
    return lambda sql: con.execute(sql).fetchall()[0]
