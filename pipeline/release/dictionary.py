"""The dictionary of the published database as tables: what every table, column and function means.

The rows are those declarations that the COMMENTs are written from, so pages, exports and analysts read them without parsing text.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated

import duckdb

from pipeline.schema import Col, Record, Table, record
from pipeline.tables import load
from pipeline.warehouse.sql_models import macros


@record("table_dictionary", title="Dictionary of tables", group="provenance", key=("table_name",))
class TableEntry(Record):
    """One row per published table."""

    table_name: Annotated[str, Col("Table")]
    title: Annotated[str, Col("What it is, in a few words")]
    description: Annotated[str, Col("What a row is, and how it comes about")]
    table_group: Annotated[str, Col("Subject of the table")]
    n_rows: Annotated[int, Col("Rows")]


@record("column_dictionary", title="Dictionary of columns", group="provenance", key=("table_name", "column_name"))
class ColumnEntry(Record):
    """One row per column of a published table."""

    table_name: Annotated[str, Col("Table")]
    column_name: Annotated[str, Col("Column")]
    ordinal: Annotated[int, Col("Place of the column in its table, from 1")]
    sql_type: Annotated[str, Col("Type of its values")]
    unit: Annotated[str | None, Col("Unit of its values; empty = none")]
    text: Annotated[str, Col("What it means")]
    allowed_values: Annotated[str | None, Col("Values of a closed vocabulary, comma-separated; empty = none is declared")]
    n_filled: Annotated[int, Col("Rows in which it is known")]


@record("function_dictionary", title="Dictionary of functions", group="provenance", key=("function_name",))
class FunctionEntry(Record):
    """One row per function of the database."""

    function_name: Annotated[str, Col("Function")]
    is_table_function: Annotated[bool, Col("Whether it returns a table")]
    title: Annotated[str, Col("What it is, in a few words")]
    description: Annotated[str, Col("What it computes")]
    returns_unit: Annotated[str | None, Col("Unit of the result; empty = none")]
    returns: Annotated[str, Col("What the result is")]


@record(
    "parameter_dictionary",
    title="Dictionary of the parameters of functions",
    group="provenance",
    key=("function_name", "parameter"),
)
class ParameterEntry(Record):
    """One row per parameter of a function of the database."""

    function_name: Annotated[str, Col("Function")]
    parameter: Annotated[str, Col("Parameter")]
    ordinal: Annotated[int, Col("Place of the parameter in a call, from 1")]
    unit: Annotated[str | None, Col("Unit of its values; empty = none")]
    text: Annotated[str, Col("What it means")]


TABLES = {kind.__table__.name: kind.__table__ for kind in (TableEntry, ColumnEntry, FunctionEntry, ParameterEntry)}


def fill(con: duckdb.DuckDBPyConnection, tables: Iterable[Table]) -> None:
    """Make the dictionary tables in the connection's default database, which has the given other tables and their rows."""
    described = sorted((*tables, *TABLES.values()), key=lambda table: table.name)
    load.insert(con, list(_tables(described)), TableEntry)
    load.insert(con, list(_columns(described)), ColumnEntry)
    load.insert(con, list(_functions()), FunctionEntry)
    load.insert(con, list(_parameters()), ParameterEntry)
    for table in described:
        _count(con, table)


def _count(con: duckdb.DuckDBPyConnection, table: Table) -> None:
    """Add to the dictionary how many rows a table has, and in how many each column is known."""
    known = ", ".join(f'count("{name}")' for name in table.column_names)
    n_rows, *n_filled = con.execute(f"SELECT count(*), {known} FROM {table.name}").fetchall()[0]
    con.execute("UPDATE table_dictionary SET n_rows = ? WHERE table_name = ?", [n_rows, table.name])
    con.execute("UPDATE column_dictionary SET n_filled = ?[ordinal] WHERE table_name = ?", [n_filled, table.name])


def _tables(tables: list[Table]) -> Iterator[TableEntry]:
    """Yield the entries of tables, whose rows are not counted yet."""
    for table in tables:
        yield TableEntry(
            table_name=table.name, title=table.title, description=table.description, table_group=table.group, n_rows=0
        )


def _columns(tables: list[Table]) -> Iterator[ColumnEntry]:
    """Yield the entries of columns, whose values are not counted yet."""
    for table in tables:
        for at, column in enumerate(table.columns, start=1):
            yield ColumnEntry(
                table_name=table.name,
                column_name=column.name,
                ordinal=at,
                sql_type=column.sql_type,
                unit=column.col.unit or None,
                text=column.col.text,
                allowed_values=column.col.values_text or None,
                n_filled=0,
            )


def _functions() -> Iterator[FunctionEntry]:
    for name, macro in sorted(macros().items()):
        unit, returns = macro.returns
        yield FunctionEntry(
            function_name=name,
            is_table_function=macro.kind == "MACRO TABLE",
            title=macro.file.one("title"),
            description=macro.file.one("description"),
            returns_unit=unit or None,
            returns=returns,
        )


def _parameters() -> Iterator[ParameterEntry]:
    for name, macro in sorted(macros().items()):
        for at, (parameter, col) in enumerate(macro.parameters.items(), start=1):
            yield ParameterEntry(function_name=name, parameter=parameter, ordinal=at, unit=col.unit or None, text=col.text)
