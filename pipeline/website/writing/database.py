"""Reading the published database: rows as dictionaries, and the dictionary of its tables and columns."""

import datetime as dt
import inspect
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from pipeline.warehouse.connection import column_names, hide_progress
from pipeline.website.writing.links import Seller

Row = dict[str, Any]
_TABLES = "SELECT table_name AS name, title, description, n_rows AS rows FROM table_dictionary ORDER BY table_name"
_COLUMNS = """
    SELECT table_name AS table, column_name AS name, sql_type, text, coalesce(unit, '') AS unit, allowed_values,
        n_filled AS filled
    FROM column_dictionary ORDER BY table_name, ordinal
"""
_SELLERS = "SELECT provider_id, coalesce(name, provider_id) AS name, offer_url AS url FROM provider ORDER BY provider_id"
Value = TypeVar("Value")


class Rows(list[Row]):
    """The rows of a query, with its text: a page prints the text that ran, so every figure leads back to its rows."""

    def __init__(self, sql: str, rows: Iterable[Row] = ()) -> None:
        super().__init__(rows)
        self.sql = sql


def group_by(rows: Iterable[Row], key: str | Callable[[Row], Hashable]) -> defaultdict[Any, Rows]:
    """Group rows by a column, or by what a function returns. Each group has the text of the query, also one without rows."""
    of = itemgetter(key) if isinstance(key, str) else key
    groups: defaultdict[Any, Rows] = defaultdict(partial(Rows, rows.sql if isinstance(rows, Rows) else ""))
    for row in rows:
        groups[of(row)].append(row)
    return groups


class Database:
    """A read-only connection to the published file."""

    def __init__(self, path: Path) -> None:
        self.connection = hide_progress(duckdb.connect(str(path), read_only=True, config={"threads": 1}))
        self._cache: dict[Hashable, Any] = {}

    def __enter__(self) -> "Database":
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def rows(self, sql: str, *parameters: object) -> Rows:
        """Return the result of a query, without the indentation of the code around it. It runs once: the file does not change."""
        text = inspect.cleandoc(sql)
        names, rows = self.once((text, *map(repr, parameters)), lambda: self._fetch(text, parameters))
        return Rows(text, (dict(zip(names, row, strict=True)) for row in rows))

    def results(self, queries: Mapping[str, str]) -> dict[str, Rows]:
        """Run several queries, by their names."""
        return {name: self.rows(sql) for name, sql in queries.items()}

    def once(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return what `make` returns, called once for this file, since all languages show the same."""
        if key not in self._cache:
            self._cache[key] = make()
        value: Value = self._cache[key]
        return value

    def _fetch(self, sql: str, parameters: Sequence[object]) -> tuple[list[str], list[tuple[Any, ...]]]:
        result = self.connection.execute(sql, list(parameters))
        return column_names(result), result.fetchall()

    @cached_property
    def as_of(self) -> dt.date:
        """The reference date of the data."""
        value = self.rows("SELECT as_of FROM release")[0]["as_of"]
        return value if isinstance(value, dt.date) else dt.date.fromisoformat(str(value))

    @cached_property
    def newest_price(self) -> dt.date | None:
        """The date of the newest price up to the reference date; None if there is none."""
        sql = "SELECT observed_at FROM price, release WHERE observed_at <= as_of ORDER BY observed_at DESC LIMIT 1"
        return next((row["observed_at"] for row in self.rows(sql)), None)

    @cached_property
    def counts(self) -> dict[str, int]:
        """The counts over the whole dataset, from table dataset_figure, by their name."""
        return {row["figure_id"]: row["value"] for row in self.rows("SELECT figure_id, value FROM dataset_figure")}

    @cached_property
    def sellers(self) -> dict[str, Seller]:
        """Name of each provider, and the address of its pricing page, or else of its home page, where one is known."""
        return {row["provider_id"]: Seller(row["name"], row["url"]) for row in self.rows(_SELLERS)}

    @cached_property
    def tables(self) -> list[Row]:
        """Every table of the dictionary: name, title, description, number of rows, and columns; `filled` counts known values."""
        columns = group_by(self.rows(_COLUMNS), "table")
        return [row | {"columns": columns[row["name"]]} for row in self.rows(_TABLES)]

    @cached_property
    def columns(self) -> dict[str, dict[str, Row]]:
        """The columns of each table by their names, in order."""
        return {table["name"]: {column["name"]: column for column in table["columns"]} for table in self.tables}
