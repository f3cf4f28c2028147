"""Queries that a page both runs and prints, and counts over the whole dataset.

The text that a page shows is the text that ran, so every figure leads back to its rows.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.website.writing.database import Database, Row


@dataclass(frozen=True, slots=True)
class Query:
    """A query without parameters, as it ran, and its rows."""

    sql: str
    rows: list[Row]


def run_query(data: Database, sql: str) -> Query:
    """Run a query, without the indentation of the code around it."""
    text = inspect.cleandoc(sql)
    return Query(text, data.rows(text))


def run_queries(data: Database, queries: Mapping[str, str]) -> dict[str, Query]:
    """Run several queries, by their names."""
    return {name: run_query(data, sql) for name, sql in queries.items()}


def dataset_figures(data: Database) -> dict[str, int]:
    """Return the counts of table dataset_figure by their name."""
    return {row["figure_id"]: row["value"] for row in data.rows("SELECT figure_id, value FROM dataset_figure")}
