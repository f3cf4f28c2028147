"""Rows of a table that violate its declaration. The checks themselves belong in `pipeline.schema.checks`."""

from collections.abc import Iterable

import duckdb

from pipeline.schema import Table
from pipeline.schema.checks import Check

LINES_PER_CHECK = 10


def find_violations(
    con: duckdb.DuckDBPyConnection, table: Table, checks: Iterable[Check], *, place: str = "", remedy: str = "''"
) -> dict[str, list[str]]:
    """Return by check one line for each row that violates it, at most ten; an empty list is a passed check.

    `place` is SQL put before each line, `remedy` after one whose check has none.
    """
    every = list(checks)
    predicates = {check.name: check.predicate.replace("{relation}", table.name) for check in every}
    # one pass over the rows for all checks, since hardly any is ever violated
    any_violation = ", ".join(f"bool_or({predicate})" for predicate in predicates.values())
    results = con.execute(f"SELECT {any_violation} FROM {table.name}").fetchall()[0]
    violations = {check.name: list[str]() for check in every}
    for check in (check for check, is_violated in zip(every, results, strict=True) if is_violated):
        line = f"{place}{check.shown} || {check.remedy or remedy}"
        lines = f"SELECT {line} FROM {table.name} WHERE {predicates[check.name]} LIMIT {LINES_PER_CHECK}"
        violations[check.name] = [text for (text,) in con.execute(lines).fetchall()]
    return violations
