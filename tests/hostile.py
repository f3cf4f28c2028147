"""A release whose every text is hostile: for tests of what the site makes of it."""

import datetime as dt
import json
from pathlib import Path

import duckdb

from pipeline.release import cards, exports, publish
from pipeline.warehouse import sql_models

SUFFIX = (
    "</script><script>window.hit=1</script><img src=x onerror=window.hit=1>"
    "\"><svg onload=window.hit=1>' onclick='window.hit=1"
    "[x](javascript:window.hit=1){onclick=window.hit=1}`<b-hit>`"
    '\n\n# <iframe src=//evil.example></iframe>\n\n--8<-- "/etc/passwd"\n'
    "{{ 7 * 7 }}{% raw %}&lt;script&gt;window.hit=1&lt;/script&gt;\x1b[31m\u202e\ufffe"
)
LONG = 2000  # rows of a table that is cut to a few GPUs: every row becomes a kilobyte or more
# closed vocabularies and names that tables are joined by, or that have a form which the build enforces
KEPT = {
    "gpu_id",
    "gpu_model_id",
    "low_gpu_id",
    "least_gpu_id",
    "stated_gpu_id",
    "comparison_id",
    "first_model",
    "second_model",
    "candidates",
    "buy_gpu_id",
    "rent_gpu_id",
    "observation_id",
    "purchase_id",
    "rental_observation_id",
    "figure_id",
    "snapshot_id",
    "kind",
    "billing",
    "status",
    "verdict",
    "measure",
    "segment",
    "attribute",
    "database_check",
    "role",
    "rule",
    "stance",
    "source_id",
    "offer_key",
    "partition",
    "price_basis",
    "qualifier",
    "os",
    "commitment",
    "source_a",
    "source_b",
    "preferred",
    "automated_access",
    "family",
    "precision",
    "basis",
    "split",
    "way",
    "assumption_id",
    "min_cuda_version",
    "max_cuda_version",
    "gpus",
    "acquisition",
    "table_name",
    "column_name",
    "sql_type",
    "function_name",
    "parameter",
    "state",
    "subject_kind",
    "subject",
    "gpu_faster",
    "gpu_slower",
    "low_observation_id",
    "low_source_id",
    "llm_model_id",
    "case_id",
    "quantization",
    "engine",
    "use",
    "tune",
}


def hostile_release(release: Path, target: Path) -> None:
    """Write a release of a few GPUs in which every text column and comment carries hostile text."""
    target.mkdir(parents=True)
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{release}/gpuledger.duckdb' AS clean (READ_ONLY)")
        con.execute(f"ATTACH '{target}/gpuledger.duckdb' AS foul")
        tables = con.execute("SELECT table_name, estimated_size FROM duckdb_tables() WHERE database_name = 'clean'").fetchall()
        for table, n_rows in tables:
            _copy(con, table, n_rows)
        con.execute("USE foul")
        for macro in sql_models.macros().values():
            con.execute(macro.ddl())
        for table, _ in tables:
            _export(con, table, target)
    for name in ("datapackage.json", "croissant.json", publish.DIFFERENCES, *cards.FILES):
        (target / name).write_text(json.dumps({}))
    exports.write_terms(target, dt.date(2026, 1, 1))
    exports.write_checksums(target)


def _export(con: duckdb.DuckDBPyConnection, table: str, target: Path) -> None:
    for kind in ("parquet", "csv"):
        (target / kind).mkdir(exist_ok=True)
        con.execute(f"COPY {table} TO '{target / kind / table}.{kind}'")


def _few_gpus(table: str, columns: set[str], n_rows: int) -> str:
    """Return a condition that keeps the rows of the models in the guides, and in a long table those of the GPUs themselves."""
    gpus = """SELECT gpu_id FROM clean.guide_machine UNION
        SELECT unnest([buy_gpu_id, rent_gpu_id]) FROM clean.break_even WHERE guide_case UNION
        SELECT gpu_id FROM clean.break_even_default WHERE is_example"""
    if table == "gpu" or (n_rows > LONG and "gpu_id" in columns and "gpu_model_id" not in columns):
        return f"WHERE gpu_id IN ({gpus})"
    if "gpu_model_id" in columns:
        return f"WHERE gpu_model_id IN (SELECT gpu_model_id FROM clean.gpu WHERE gpu_id IN ({gpus}))"
    return ""


def _copy(con: duckdb.DuckDBPyConnection, table: str, n_rows: int) -> None:
    columns = con.execute(
        "SELECT column_name, data_type FROM duckdb_columns() "
        "WHERE database_name = 'clean' AND table_name = ? ORDER BY column_index",
        [table],
    ).fetchall()
    foul = [name for name, kind in columns if kind == "VARCHAR" and name not in KEPT]
    shown = ", ".join(f'"{name}" || $foul AS "{name}"' if name in foul else f'"{name}"' for name, _ in columns)
    where = _few_gpus(table, {name for name, _ in columns}, n_rows)
    con.execute(f"CREATE TABLE foul.{table} AS SELECT {shown} FROM clean.{table} {where}", {"foul": SUFFIX} if foul else None)
    comment = "'" + SUFFIX.replace("'", "''") + "'"
    con.execute(f"COMMENT ON TABLE foul.{table} IS {comment}")
    for name, _ in columns:
        con.execute(f'COMMENT ON COLUMN foul.{table}."{name}" IS {comment}')
