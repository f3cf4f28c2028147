"""Reading the published database: rows as dictionaries, and what its comments say of tables and columns."""

import datetime as dt
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import duckdb

Row = dict[str, Any]
_COMMENT = re.compile(r"(?P<text>.*?)(?: \[(?P<unit>[^\[\]]*)\])?", re.DOTALL)
_COLUMNS = """
    SELECT table_name, column_name, data_type, comment FROM duckdb_columns()
    WHERE table_name IN (SELECT table_name FROM duckdb_tables() WHERE NOT internal) AND NOT internal
    ORDER BY table_name, column_index
"""
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class ColumnText:
    """One column as the dictionary shows it. `filled` counts the rows in which it is known."""

    table: str
    name: str
    sql_type: str
    text: str
    unit: str
    filled: int


@dataclass(frozen=True, slots=True)
class TableText:
    """One table as the dictionary shows it."""

    name: str
    text: str
    rows: int
    columns: list[ColumnText]


class Database:
    """A read-only connection to the published file."""

    def __init__(self, path: Path) -> None:
        self.connection = duckdb.connect(str(path), read_only=True, config={"threads": 1})
        self._made: dict[Hashable, Any] = {}

    def __enter__(self) -> "Database":
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def rows(self, sql: str, *parameters: object) -> list[Row]:
        """The result of a statement, one dictionary per row. It is asked once: the file does not change."""
        names, rows = self.once((sql, *map(repr, parameters)), lambda: self._fetched(sql, parameters))
        return [dict(zip(names, row, strict=True)) for row in rows]

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` gives, made once for this file: every language shows the same."""
        if key not in self._made:
            self._made[key] = make()
        made: Made = self._made[key]
        return made

    def _fetched(self, sql: str, parameters: Sequence[object]) -> tuple[list[str], list[tuple[Any, ...]]]:
        result = self.connection.execute(sql, list(parameters))
        return [column[0] for column in result.description or []], result.fetchall()

    @cached_property
    def as_of(self) -> dt.date:
        """The day that the data stand for."""
        found = self.rows("SELECT as_of FROM release")[0]["as_of"]
        return found if isinstance(found, dt.date) else dt.date.fromisoformat(str(found))

    @cached_property
    def tables(self) -> list[TableText]:
        """Every table with its columns, what they mean and how far they are filled."""
        described = self.rows("SELECT table_name AS name, comment FROM duckdb_tables() WHERE NOT internal ORDER BY table_name")
        declared: dict[str, list[Row]] = {row["name"]: [] for row in described}
        for row in self.rows(_COLUMNS):
            declared[row["table_name"]].append(row)
        return [self._table(row["name"], row["comment"] or "", declared[row["name"]]) for row in described]

    def units(self, table: str) -> dict[str, str]:
        """The unit of each column of a table."""
        return self._units[table]

    def texts(self, table: str) -> dict[str, str]:
        """What each column of a table means."""
        return self._texts[table]

    @cached_property
    def _units(self) -> dict[str, dict[str, str]]:
        return {table.name: {column.name: column.unit for column in table.columns} for table in self.tables}

    @cached_property
    def _texts(self) -> dict[str, dict[str, str]]:
        return {table.name: {column.name: column.text for column in table.columns} for table in self.tables}

    def _table(self, name: str, text: str, declared: list[Row]) -> TableText:
        counts = ", ".join(f'count("{row["column_name"]}")' for row in declared)
        filled = self.connection.execute(f'SELECT count(*), {counts} FROM "{name}"').fetchone() or ()
        columns = [_column(name, row, count) for row, count in zip(declared, filled[1:], strict=True)]
        return TableText(name, text, filled[0], columns)


def _column(table: str, row: Row, filled: int) -> ColumnText:
    parts = _COMMENT.fullmatch(row["comment"] or "")
    text, unit = (parts["text"], parts["unit"] or "") if parts else ("", "")
    return ColumnText(table, row["column_name"], row["data_type"], text, unit, filled)
