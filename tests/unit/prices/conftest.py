"""The empty tables that the price history reads."""

from collections.abc import Iterator

import duckdb
import pytest

from pipeline.schema import RECORDS
from pipeline.tables import load
from pipeline.warehouse import connection, sql_models
from tests.unit.prices.price_rows import AS_OF

TABLES = ("release", "source", "snapshot", "source_problem", "observed_day", "price", "provider_fact", "provider_alias", "gpu")


@pytest.fixture(scope="module")
def price_database() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with the tables that the history reads, one row of release and three sources, and the macros."""
    with connection.connect_in_memory() as con:
        for name in TABLES:
            con.execute(load.ddl(RECORDS[name].__table__).replace(" NOT NULL", ""))
        con.execute("INSERT INTO release VALUES (?)", [AS_OF])
        con.execute("INSERT INTO source (source_id, stale_after_days) VALUES ('one', 7), ('two', 7), ('never', 7)")
        con.execute("UPDATE source SET kind = 'prices'")
        con.execute("INSERT INTO snapshot (snapshot_id, source_id, extent) VALUES ('stored', 'one', 'whole')")
        con.execute(f"CREATE TABLE source_day AS {sql_models.metrics()['source_day'].file.body}")  # a macro reads it
        for macro in sql_models.macros().values():
            con.execute(macro.ddl())
        yield con


@pytest.fixture
def price_tables(price_database: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """That database, to which a test may add what it likes: nothing of it stays."""
    price_database.begin()
    yield price_database
    price_database.rollback()
