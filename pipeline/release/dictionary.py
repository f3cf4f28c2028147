"""The dictionary of the published database as tables: what every table, column and function means.

The rows are those declarations that the COMMENTs are written from, so pages, exports and analysts read them without parsing text.
"""

from collections.abc import Iterable, Sequence

import duckdb

from pipeline.schema import Col, Column, Table
from pipeline.warehouse.sql_models import macros

Value = str | int | None
Counts = dict[str, tuple[int, ...]]  # by table: its rows, then the rows in which each column is known


def _table(name: str, title: str, description: str, key: tuple[str, ...], /, **columns: tuple[str, str]) -> Table:
    declared = tuple(Column(n, sql_type, "empty" in text, Col(text)) for n, (sql_type, text) in columns.items())
    return Table(name, title, description, "provenance", key, declared)


TABLE = _table(
    "table_dictionary",
    "Dictionary of tables",
    "One row per published table.",
    ("table_name",),
    table_name=("VARCHAR", "Table"),
    title=("VARCHAR", "What it is, in a few words"),
    description=("VARCHAR", "What a row is, and how it comes about"),
    table_group=("VARCHAR", "Subject of the table"),
    n_rows=("BIGINT", "Rows"),
)
COLUMN = _table(
    "column_dictionary",
    "Dictionary of columns",
    "One row per column of a published table.",
    ("table_name", "column_name"),
    table_name=("VARCHAR", "Table"),
    column_name=("VARCHAR", "Column"),
    ordinal=("BIGINT", "Place of the column in its table, from 1"),
    sql_type=("VARCHAR", "Type of its values"),
    unit=("VARCHAR", "Unit of its values; empty = none"),
    text=("VARCHAR", "What it means"),
    n_filled=("BIGINT", "Rows in which it is known"),
)
FUNCTION = _table(
    "function_dictionary",
    "Dictionary of functions",
    "One row per function of the database.",
    ("function_name",),
    function_name=("VARCHAR", "Function"),
    is_table_function=("BOOLEAN", "Whether it returns a table"),
    title=("VARCHAR", "What it is, in a few words"),
    description=("VARCHAR", "What it computes"),
    returns_unit=("VARCHAR", "Unit of the result; empty = none"),
    returns=("VARCHAR", "What the result is"),
)
PARAMETER = _table(
    "parameter_dictionary",
    "Dictionary of the parameters of functions",
    "One row per parameter of a function of the database.",
    ("function_name", "parameter"),
    function_name=("VARCHAR", "Function"),
    parameter=("VARCHAR", "Parameter"),
    ordinal=("BIGINT", "Place of the parameter in a call, from 1"),
    unit=("VARCHAR", "Unit of its values; empty = none"),
    text=("VARCHAR", "What it means"),
)
TABLES = {table.name: table for table in (TABLE, COLUMN, FUNCTION, PARAMETER)}


def insert(con: duckdb.DuckDBPyConnection, tables: Iterable[Table]) -> None:
    """Fill the dictionary tables of the connection's default database, which has the given other tables and their rows."""
    described = sorted((*tables, *TABLES.values()), key=lambda table: table.name)
    functions, parameters = list(_functions()), list(_parameters())
    counts = {table.name: _counts(con, table) for table in described if table.name not in TABLES}
    counts |= {FUNCTION.name: _counts_of(FUNCTION, functions), PARAMETER.name: _counts_of(PARAMETER, parameters)}
    counts |= {TABLE.name: (len(described),) * (1 + len(TABLE.columns)), COLUMN.name: _with_units(described)}
    _write(con, TABLE, [(t.name, t.title, t.description, t.group, counts[t.name][0]) for t in described])
    _write(con, COLUMN, list(_columns(described, counts)))
    _write(con, FUNCTION, functions)
    _write(con, PARAMETER, parameters)


def _counts(con: duckdb.DuckDBPyConnection, table: Table) -> tuple[int, ...]:
    known = ", ".join(f'count("{column.name}")' for column in table.columns)
    return con.execute(f"SELECT count(*), {known} FROM {table.name}").fetchall()[0]


def _counts_of(table: Table, rows: Sequence[tuple[Value, ...]]) -> tuple[int, ...]:
    return (len(rows), *(sum(row[at] is not None for row in rows) for at in range(len(table.columns))))


def _with_units(tables: list[Table]) -> tuple[int, ...]:
    """Return the counts of the dictionary of columns, in which the unit alone may be unknown."""
    units = [column.col.unit for table in tables for column in table.columns]
    return (len(units), *(sum(map(bool, units)) if column.name == "unit" else len(units) for column in COLUMN.columns))


def _columns(tables: list[Table], counts: Counts) -> Iterable[tuple[Value, ...]]:
    for table in tables:
        for at, column in enumerate(table.columns, start=1):
            filled = counts[table.name][at]
            yield table.name, column.name, at, column.sql_type, column.col.unit or None, column.col.text, filled


def _functions() -> Iterable[tuple[Value, ...]]:
    for name, macro in sorted(macros().items()):
        unit, returns = macro.returns
        yield name, macro.kind == "MACRO TABLE", macro.file.one("title"), macro.file.one("description"), unit or None, returns


def _parameters() -> Iterable[tuple[Value, ...]]:
    for name, macro in sorted(macros().items()):
        for at, (parameter, col) in enumerate(macro.parameters.items(), start=1):
            yield name, parameter, at, col.unit or None, col.text


def _write(con: duckdb.DuckDBPyConnection, table: Table, rows: Sequence[tuple[Value, ...]]) -> None:
    values = ", ".join(f"unnest(?::{column.sql_type}[])" for column in table.columns)
    con.execute(f"INSERT INTO {table.name} SELECT {values}", [list(column) for column in zip(*rows, strict=True)])
