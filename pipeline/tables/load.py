"""Tables of the working database: loaded from parsed files, inserted, or computed by a metric, and checked.

Dagster is not imported here. The published file is written from the working database by `publish`.
"""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from pipeline.errors import seal_hint
from pipeline.prices.queries import query, table_query
from pipeline.schema import RECORDS, Column, Record, Table
from pipeline.schema.checks import Check, checks, quoted
from pipeline.schema.spec_statements import statement_checks
from pipeline.warehouse import connection
from pipeline.warehouse.frames import columns_of, write_parquet
from pipeline.warehouse.gpu_labels import create_labels
from pipeline.warehouse.sql_models import Metric, metrics
from pipeline.warehouse.violations import find_violations

SAMPLE_ROWS = 5
_ROW_HASH = "sha256(_snapshot_id || ' ' || _locator)"
# SQL of columns that loading derives from the parsed row, the row of its source and its GPU label
DERIVED_COLUMNS: dict[str, str] = {
    "source_id": "_source_id",
    "snapshot_id": "_snapshot_id",
    "locator": "_locator",
    "gpu_id": "alias.gpu_id",
    "gpu_model_id": "alias.gpu_model_id",
    "candidates": "alias.candidates",
    "partition": "alias.partition",
    "observation_id": _ROW_HASH,
    "measurement_id": _ROW_HASH,
    "row_id": _ROW_HASH,
    "parser_version": "source.parser_version",
    "family": """(SELECT any_value(stated.family) FROM workload_family AS stated
        WHERE stated.source_id = _source_id AND stated.workload = row.workload)""",
    "interconnect": """(SELECT any_value(stated.interconnect) FROM system_interconnect AS stated
        WHERE row.gpu_count > 1 AND stated.source_id = _source_id AND stated.raw_gpu_name = row.raw_gpu_name
            AND stated.system = row.system)""",
}
_SOURCE_JOIN = "LEFT JOIN (SELECT source_id AS id, parser_version FROM source) AS source ON source.id = _source_id"
_ALIAS_JOIN = """LEFT JOIN (SELECT alias AS label, scope, gpu_id FROM gpu_alias) AS alias
    ON alias.label = raw_gpu_name AND alias.scope = _source_id"""
_LABEL_JOIN = """LEFT JOIN label AS alias
    ON alias.raw_gpu_name = row.raw_gpu_name AND alias.gpu_context = coalesce(row.gpu_context, '') AND alias.scope = _source_id
    AND alias.reported_memory_gb IS NOT DISTINCT FROM row.reported_memory_gb"""
_PLACE = "_path || ' ' || _locator || ': ' || "
_REMEDY = "'" + seal_hint("' || _path || '") + "'"
_COLUMNS = """
    SELECT table_name, column_name, data_type FROM duckdb_columns()
    WHERE database_name = 'ledger' ORDER BY table_name, column_index
"""


@dataclass(frozen=True, slots=True)
class Built:
    """A table that was just built: declaration, number of rows, violations by check (empty list = passed), first rows."""

    table: Table
    rows: int
    violations: dict[str, list[str]]
    sample: list[tuple[Any, ...]]


def _built(con: duckdb.DuckDBPyConnection, table: Table, rows: int, violations: dict[str, list[str]]) -> Built:
    return Built(table, rows, violations, con.execute(f"FROM {table.name} LIMIT {SAMPLE_ROWS}").fetchall())


def insert(con: duckdb.DuckDBPyConnection, rows: pl.DataFrame | Sequence[Record], kind: type[Record]) -> Built:
    """Fill the table of a record class with rows from Python: facts of the build, uploads, results of a model."""
    table, frame = kind.__table__, rows if isinstance(rows, pl.DataFrame) else columns_of(rows, kind)
    con.execute(ddl(table))
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        write_parquet(frame, Path(file.name))
        con.execute(f"INSERT INTO {table.name} BY NAME FROM read_parquet({quoted(file.name)})")
    return _built(con, table, len(frame), find_violations(con, table, checks(table)))


def load(con: duckdb.DuckDBPyConnection, name: str, files: Sequence[Path]) -> Built:
    """Fill the declared table from parsed files. Violations name file and line; the table is empty if there are any."""
    table = RECORDS[name].__table__
    if not files:
        con.execute(ddl(table))
        return _built(con, table, 0, find_violations(con, table, _load_checks(table)))
    con.execute(query("constants"))
    if resolves_labels(table):
        con.execute(
            f"CREATE OR REPLACE TEMP VIEW parsed AS FROM read_parquet([{', '.join(quoted(str(file)) for file in files)}])"
        )
        create_labels(con)
    with connection.all_threads(con):
        ((rows,),) = con.execute(f"CREATE OR REPLACE TABLE {name} AS {_select_rows(table)}", [list(map(str, files))]).fetchall()
        violations = find_violations(con, table, _load_checks(table), place=_PLACE, remedy=_REMEDY)
    if any(violations.values()):
        con.execute(ddl(table))
        return _built(con, table, 0, violations)
    con.execute(f"ALTER TABLE {name} DROP COLUMN _path; ALTER TABLE {name} DROP COLUMN _locator")
    return _built(con, table, rows, violations)


def compute(con: duckdb.DuckDBPyConnection, metric: Metric) -> Built:
    """Run a metric's SELECT into its table and check it. Raises SqlFileError if header and result differ, or a system error."""
    try:
        ((rows,),) = con.execute(f"CREATE OR REPLACE TABLE {metric.name} AS {metric.file.body}").fetchall()
        described = con.execute(f"DESCRIBE {metric.name}").fetchall()
    except connection.SYSTEM_ERRORS:
        raise
    except duckdb.Error as error:
        raise metric.file.error(1, f"{type(error).__name__}: {str(error).splitlines()[0]}") from error
    table = metric.table([(row[0], row[1]) for row in described])
    return _built(con, table, rows, find_violations(con, table, checks(table, metric.conditions)))


def declared(con: duckdb.DuckDBPyConnection) -> dict[str, tuple[Table, tuple[str, ...]]]:
    """Return the declaration of every table and its further conditions, in the order of their names."""
    declarations: dict[str, tuple[Table, tuple[str, ...]]] = {name: (kind.__table__, ()) for name, kind in RECORDS.items()}
    columns: dict[str, list[tuple[str, str]]] = {}
    for name, column, sql_type in con.execute(_COLUMNS).fetchall():
        columns.setdefault(name, []).append((column, sql_type))
    for name, metric in metrics().items():
        declarations[name] = (metric.table(columns[name]), metric.conditions)
    return dict(sorted(declarations.items()))


def ddl(table: Table, database: str = "") -> str:
    """Return the statement that creates the empty table, in the attached `database` or else in the default one."""
    name = f"{database}.{table.name}" if database else table.name
    body = ", ".join(f"{c.name} {c.sql_type}{'' if c.nullable else ' NOT NULL'}" for c in table.columns)
    return f"CREATE OR REPLACE TABLE {name} ({body})"


def comments(table: Table) -> Iterator[str]:
    """Yield COMMENT statements for the table and its columns."""
    yield f"COMMENT ON TABLE {table.name} IS {quoted(f'{table.title}. {table.description}')}"
    for column in table.columns:
        yield f"COMMENT ON COLUMN {table.name}.{column.name} IS {quoted(column.col.full_text)}"


def _select_rows(table: Table) -> str:
    """SELECT of every declared column and the row's origin, from the parsed files bound to its one parameter."""
    values = ", ".join(f"({_expression(table, c)})::{c.sql_type} AS {c.name}" for c in table.columns)
    names_join = _LABEL_JOIN if resolves_labels(table) else _ALIAS_JOIN
    joins = [_SOURCE_JOIN, *([names_join] if needs_gpu_lookup(table) else [])]
    return f"""WITH parsed_{table.name} AS NOT MATERIALIZED
            (SELECT *, file_index, file_row_number FROM read_parquet($1, union_by_name = true))
        SELECT {values}, _path, _locator FROM ({table_query(table.name)}) AS row {" ".join(joins)}"""


def _expression(table: Table, column: Column) -> str:
    """SQL of a column: derived where loading fills it, unless from a GPU label that was resolved before; else as parsed."""
    derived = DERIVED_COLUMNS.get(column.name, "") if column.col.filled else ""
    is_resolved = derived.startswith("alias.") and not needs_gpu_lookup(table)
    return derived if derived and not is_resolved else f"row.{column.name}"


def needs_gpu_lookup(table: Table) -> bool:
    """Return whether loading resolves the GPU labels of the table. Prices have been resolved before."""
    derived = {column.name for column in table.columns if column.col.filled}
    return table.name != "price" and "gpu_id" in derived


def resolves_labels(table: Table) -> bool:
    """Return whether its labels are resolved by rules, to a variant or a model; other tables list theirs in data/names/."""
    return needs_gpu_lookup(table) and any(column.name == "gpu_model_id" and column.col.filled for column in table.columns)


def _load_checks(table: Table) -> Iterator[Check]:
    """Checks of a table that sources feed, without one that belongs to the finished file.

    There it is checked that snapshots exist: table `snapshot` is made beside this one, from the same manifests.
    """
    yield from (check for check in checks(table) if check.name != "snapshot_id_exists")
    if needs_gpu_lookup(table) and not resolves_labels(table):
        line, remedy = "'no GPU is known as ' || raw_gpu_name", "'; add it to data/names/ and run `gpuledger seal` on that file'"
        yield Check("label_known", "every label means a GPU", "raw_gpu_name IS NOT NULL AND gpu_id IS NULL", line, remedy)
    yield from statement_checks(table)
