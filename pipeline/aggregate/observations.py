"""Stored observations: Parquet files at `source_id=<source>/month=<YYYY-MM>/`, with the columns of table `_price_sighting`.

`offer_repeat.parquet` beside them names offers that another source lists too; it may be missing.
"""

import datetime as dt
import re
from collections import defaultdict
from pathlib import Path

import duckdb

from pipeline.aggregate.engines import AggregateError, Engine
from pipeline.schema.checks import quoted
from pipeline.warehouse.sql_models import metric_sql

COLUMNS = {
    "source_id": "STRING",
    "offer_key": "STRING",
    "date": "DATE",
    "stated_until": "DATE",
    "gpu_model_id": "STRING",
    "gpu_id": "STRING",
    "kind": "STRING",
    "billing": "STRING",
    "commitment": "STRING",
    "provider": "STRING",
    "region": "STRING",
    "listing": "STRING",
    "usd": "DOUBLE",
    "counts": "BOOLEAN",
    "is_listed": "BOOLEAN",
    "max_age_days": "INT",
}
MAY_BE_EMPTY = ("stated_until", "gpu_id")
REPEATS = "offer_repeat.parquet"
_FROM_BUILD = "write those of the last build with `gpuledger aggregate FOLDER --from-build`"
_READ_BY_BUILD = ("_price_span", "_price_day", "offer_repeat", "_price_sighting")


def files_by_month(folder: Path) -> dict[str, list[Path]]:
    """Return the files of each month, `YYYY-MM`, in order. Raises AggregateError if there are none."""
    found = defaultdict[str, list[Path]](list)
    for file in sorted(folder.glob("source_id=*/month=*/*.parquet")):
        month = file.parent.name.removeprefix("month=")
        if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", month):
            raise AggregateError(f"{file.parent}: {month} is not a month; name the folder month=YYYY-MM, such as month=2026-08")
        found[month].append(file)
    if not found:
        raise AggregateError(f"{folder} has no Parquet files source_id=*/month=*/*.parquet; {_FROM_BUILD}")
    return dict(sorted(found.items()))


def select(view: str) -> str:
    """Return a SELECT of the observations' columns, in their types."""
    return f"SELECT {', '.join(f'CAST({name} AS {form}) AS {name}' for name, form in COLUMNS.items())} FROM {view}"


def check_columns(engine: Engine, view: str, folder: Path) -> None:
    """Raise AggregateError if the files lack a column."""
    missing = [name for name in COLUMNS if name not in engine.columns(view)]
    if missing:
        raise AggregateError(f"{folder}: no column {', '.join(missing)}; {_FROM_BUILD}")


def check_rows(engine: Engine, view: str, first: dt.date, last: dt.date) -> None:
    """Raise AggregateError if a row lacks a value, is of another month, or is a second one of its offer and day."""
    empty = " OR ".join(f"{name} IS NULL" for name in COLUMNS if name not in MAY_BE_EMPTY)
    ((wrong, n, n_distinct),) = engine.rows(f"""
        SELECT sum(wrong), sum(n), count(*) FROM (
            SELECT offer_key, date, count(*) AS n,
                sum(CASE WHEN {empty} OR date NOT BETWEEN DATE '{first}' AND DATE '{last}' THEN 1 ELSE 0 END) AS wrong
            FROM {view} GROUP BY offer_key, date
        ) AS sighting""")
    if wrong:
        raise AggregateError(f"month={first:%Y-%m}: {wrong} rows are of another month or lack a value; correct these files")
    if n != n_distinct:
        raise AggregateError(f"month={first:%Y-%m}: {n - n_distinct} rows repeat an offer and day; keep one row of each")


def write_from_build(con: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write the observations of a published database, in place of those that this function wrote before."""
    for name in _READ_BY_BUILD:
        con.execute(f"CREATE TEMP TABLE {name} AS {metric_sql(name)}")
    for file in folder.glob("source_id=*/month=*/build-*.parquet"):
        file.unlink()
    rows = "SELECT *, strftime(date, '%Y-%m') AS month FROM _price_sighting ORDER BY source_id, month, offer_key, date"
    form = "FORMAT parquet, PARTITION_BY (source_id, month), WRITE_PARTITION_COLUMNS, OVERWRITE_OR_IGNORE"
    con.execute(f"COPY ({rows}) TO {quoted(str(folder))} ({form}, FILENAME_PATTERN 'build-{{i}}')")
    con.execute(f"COPY (FROM offer_repeat) TO {quoted(str(folder / REPEATS))} (FORMAT parquet)")
