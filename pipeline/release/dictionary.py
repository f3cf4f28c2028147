"""The dictionary of the published database as tables: what every table, column and function means.

The rows are those declarations that the COMMENTs are written from, so pages, exports and analysts read them without parsing text.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

import duckdb

from pipeline.schema import Col, Record, Table, record
from pipeline.tables import load
from pipeline.warehouse.sql_models import macros

Counts = dict[str, tuple[int, ...]]  # by table: its rows, then the rows in which each column is known


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
    others = list(tables)
    described = sorted((*others, *TABLES.values()), key=lambda table: table.name)
    entries = [
        TableEntry(table_name=table.name, title=table.title, description=table.description, table_group=table.group, n_rows=0)
        for table in described
    ]
    columns = list(_columns(described))
    rows: dict[type[Record], Sequence[Record]] = {
        TableEntry: entries, ColumnEntry: columns, FunctionEntry: list(_functions()), ParameterEntry: list(_parameters())
    }  # fmt: skip
    counts = {table.name: _counts(con, table) for table in others}
    counts |= {kind.__table__.name: _counts_of(kind, found) for kind, found in rows.items()}
    for entry in entries:
        entry.n_rows = counts[entry.table_name][0]
    for column in columns:
        column.n_filled = counts[column.table_name][column.ordinal]
    for kind, found in rows.items():
        load.insert(con, found, kind)


def _counts(con: duckdb.DuckDBPyConnection, table: Table) -> tuple[int, ...]:
    known = ", ".join(f'count("{column.name}")' for column in table.columns)
    return con.execute(f"SELECT count(*), {known} FROM {table.name}").fetchall()[0]


def _counts_of(kind: type[Record], rows: Sequence[Record]) -> tuple[int, ...]:
    return (len(rows), *(sum(getattr(row, name) is not None for row in rows) for name in kind.__table__.column_names))


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
