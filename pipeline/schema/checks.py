"""Blocking checks, derived from a table's declaration: each is an SQL predicate that is true for a violating row.

Running the queries belongs in `pipeline.warehouse.violations`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pipeline.readers.text import INVISIBLE_RE2
from pipeline.schema.core import Column, Table


@dataclass(frozen=True, slots=True)
class Check:
    """One property of a table, in SQL: `predicate` is true for a row that violates it, `shown` describes the violation.

    `remedy` is what to do about it, where that is not to correct the row.
    """

    name: str
    description: str
    predicate: str
    shown: str
    remedy: str = ""


def checks(table: Table, conditions: tuple[str, ...] = ()) -> Iterator[Check]:
    """Yield the checks of a table; `conditions` are further SQL conditions that must not be false on any row."""
    columns = table.columns
    yield _key(table)
    required, numbers = [c for c in columns if not c.nullable], [c for c in columns if c.col.between or c.sql_type == "DOUBLE"]
    yield _combine(
        "not_null", "columns that must have a value have one", required,
        lambda c: f"{c.name} IS NULL", lambda c: quoted(f"{c.name} is empty"),
    )
    yield _combine(
        "in_range", "numbers are finite and physically possible", numbers,
        _out_of_range, lambda c: f"'{c.name} = ' || {c.name} || {quoted(' is ' + _range_text(c))}",
    )
    yield _combine(
        "clean_text", "no text holds control or bidirectional characters", [c for c in columns if c.sql_type == "VARCHAR"],
        lambda c: f"regexp_matches({c.name}, {quoted(INVISIBLE_RE2)})", lambda c: quoted(f"{c.name} holds an invisible character"),
    )
    if listed := [c for c in columns if c.col.values]:
        yield _combine(
            "vocabulary", "closed vocabularies are kept", listed,
            lambda c: f"{c.name} NOT IN ({', '.join(map(quoted, c.col.values))})",
            lambda c: f"'{c.name} = ' || {c.name} || {quoted(' is none of ' + ', '.join(c.col.values))}",
        )
    for column in table.columns:
        if column.col.references:
            yield _reference(column)
    declared = (condition for column in columns for condition in column.col.conditions(column.name))
    for number, condition in enumerate((*declared, *conditions), start=1):
        yield Check(f"condition_{number}", condition, f"NOT ({condition})", _row_message(table, f"breaks the condition {condition}"))


def quoted(text: str) -> str:
    """Quote a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _row_message(table: Table, message: str) -> str:
    key = " || ', ' || ".join(f"coalesce({name}::VARCHAR, 'NULL')" for name in table.key)
    return f"{key} || {quoted(': ' + message)}"


def _key(table: Table) -> Check:
    key = ", ".join(table.key)
    return Check(
        "unique",
        f"{key} names a row",
        f"({key}) IN (SELECT ({key}) FROM {{relation}} GROUP BY {key} HAVING count(*) > 1)",
        _row_message(table, f"the same {key} is in more than one row"),
    )


def _combine(
    name: str, text: str, columns: list[Column], predicate: Callable[[Column], str], message: Callable[[Column], str]
) -> Check:
    """Combine one check over several columns; it shows the first column that violates it."""
    if not columns:
        return Check(name, text, "false", "''")
    cases = " ".join(f"WHEN {predicate(c)} THEN {message(c)}" for c in columns)
    return Check(name, text, " OR ".join(f"({predicate(c)})" for c in columns), f"CASE {cases} END")


def _out_of_range(column: Column) -> str:
    if column.col.between is None:
        return f"NOT isfinite({column.name})"
    low, high = column.col.between
    finite = f"NOT isfinite({column.name}) OR " if column.sql_type == "DOUBLE" else ""
    return f"{finite}{column.name} NOT BETWEEN {low} AND {high}"


def _range_text(column: Column) -> str:
    if column.col.between is None:
        return "not a finite number"
    low, high = column.col.between
    return f"outside {low:g} to {high:g} {column.col.unit}".rstrip()


def _reference(column: Column) -> Check:
    table, _, other = column.col.references.partition(".")
    return Check(
        f"{column.name}_exists",
        f"every {column.name} is a {column.col.references}",
        f"{column.name} NOT IN (SELECT {other} FROM {table})",
        f"'{column.name} = ' || {column.name} || {quoted(f' is not in {table}')}",
        quoted("; materialize `source` first") if table == "source" else "",
    )
