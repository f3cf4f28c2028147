"""Queries that a page both runs and prints: the text shown is the text that ran, so every figure leads back to its rows."""

import inspect
from dataclasses import dataclass

from pipeline.website.components.database import Database, Row


@dataclass(frozen=True, slots=True)
class Asked:
    """A query without parameters, as it ran, and what came of it."""

    sql: str
    rows: list[Row]


def ask(data: Database, sql: str) -> Asked:
    """Run a query, freed of the indentation of the code around it."""
    text = inspect.cleandoc(sql)
    return Asked(text, data.rows(text))
