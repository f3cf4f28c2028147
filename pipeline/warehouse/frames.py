"""Rows in frames of Polars: the declared types, rows of record classes, results of queries, Parquet files."""

import io
import operator
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from pipeline.schema import Record

POLARS_TYPES: dict[str, Any] = {
    "VARCHAR": pl.String,
    "BIGINT": pl.Int64,
    "DOUBLE": pl.Float64,
    "BOOLEAN": pl.Boolean,
    "DATE": pl.Date,
    "TIMESTAMP": pl.Datetime("us"),
}


def columns_of(rows: Sequence[Record], kind: type[Record]) -> pl.DataFrame:
    """Return rows of a record class as a frame with the declared types."""
    columns = kind.__table__.columns
    values = {c.name: list(map(operator.attrgetter(c.name), rows)) for c in columns}
    return pl.DataFrame(values, schema={c.name: POLARS_TYPES[c.sql_type] for c in columns})


def read_frame(con: duckdb.DuckDBPyConnection, sql: str) -> pl.DataFrame:
    """Return the result of a query."""
    result = con.execute(sql)
    schema = {name: POLARS_TYPES[str(kind)] for name, kind, *_ in result.description or ()}
    return pl.DataFrame(result.fetchall(), schema=schema, orient="row")


def write_parquet(frame: pl.DataFrame, path: Path) -> None:
    """Write the frame to a file. Raises OSError on a full disk, where Polars alone reports an invalid file."""
    raw = io.BytesIO()
    frame.write_parquet(raw)
    path.write_bytes(raw.getvalue())
