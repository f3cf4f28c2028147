"""What the performance model reads of the database, as frames and arrays."""

from collections.abc import Sequence

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.performance.panel import Floats
from pipeline.performance.predict import Cards
from pipeline.schema.core import Record

ROWS = """SELECT * EXCLUDE (row_id) FROM (
    SELECT row_id, t.source_id, suite, software, t.workload, variant, settings, t.family, core, precision, raw_gpu_name, t.gpu_id,
        gpu_count, batch_per_gpu, throughput, unit, interconnect, flag
    FROM training_throughput AS t LEFT JOIN workload_family AS w ON w.source_id = t.source_id AND w.workload = t.workload
    UNION ALL BY NAME
    SELECT run_id || printf('%09d', ordinal) AS row_id, 'uploads' AS source_id, suite, software, workload, settings, family,
        precision, raw_gpu_name, gpu_id, gpu_count, batch_per_gpu, throughput, unit
    FROM uploaded_throughput
)
ORDER BY row_id"""
# the generation is the compute capability: it tells GA100 from GA10x and Blackwell's two kinds apart. Where a card's own is
# unknown, that of its chip, else that of its architecture, if these have one only
SPECS = """WITH
chip AS (SELECT die, min(compute_capability) AS one FROM gpu_die JOIN gpu USING (gpu_id) GROUP BY die
    HAVING min(compute_capability) = max(compute_capability)),
architecture AS (SELECT architecture, min(compute_capability) AS one FROM gpu GROUP BY architecture
    HAVING min(compute_capability) = max(compute_capability))
SELECT gpu_id, vendor, coalesce(d.die, gpu_id) AS die,
    vendor || ' ' || coalesce(compute_capability, chip.one, architecture.one, g.architecture) AS generation,
    memory_bandwidth_gb_per_s, fp16_tensor_tflops, coalesce(tf32_tensor_tflops, fp32_tflops) AS fp32_compute_tflops,
    sm_count, tdp_w, memory_gb, fp32_tflops, fp16_tflops
FROM gpu AS g LEFT JOIN gpu_die AS d USING (gpu_id) LEFT JOIN chip USING (die) LEFT JOIN architecture USING (architecture)
ORDER BY gpu_id"""
TENSOR = {"fp16": "fp16_tensor_tflops", "fp32": "fp32_compute_tflops"}
TYPES: dict[str, type[pl.DataType]] = {
    "VARCHAR": pl.String,
    "BIGINT": pl.Int64,
    "DOUBLE": pl.Float64,
    "BOOLEAN": pl.Boolean,
}
MEASURED_READS = ("training_throughput", "workload_family", "uploaded_throughput")
SPEC_READS = ("gpu", "gpu_die")


def frame(con: duckdb.DuckDBPyConnection, sql: str) -> pl.DataFrame:
    """The result of a query."""
    found = con.execute(sql)
    schema = {name: TYPES[str(kind)] for name, kind, *_ in found.description or ()}
    return pl.DataFrame(found.fetchall(), schema=schema, orient="row")


def of_records(rows: Sequence[Record], kind: type[Record]) -> pl.DataFrame:
    """Records as the query of their table would give them."""
    columns = kind.__table__.columns
    values = {column.name: [getattr(row, column.name) for row in rows] for column in columns}
    return pl.DataFrame(values, schema={column.name: TYPES[column.sql_type] for column in columns})


def measured(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Every measured row, in the order of their ids."""
    return frame(con, ROWS)


def specs(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """One row per card of `gpu` with what predictions and rules need."""
    return frame(con, SPECS)


def numbers(rows: pl.DataFrame, *names: str) -> Floats:
    """Columns as floats (rows, names), NaN where unknown."""
    values: Floats = rows.select(pl.col(name).cast(pl.Float64).fill_null(np.nan) for name in names).to_numpy()
    return values


def cards(rows: pl.DataFrame, precision: str, effect: dict[str, float]) -> Cards:
    """The cards of `specs` with their log features and, where given, log performance."""
    features = np.log(numbers(rows, "memory_bandwidth_gb_per_s", TENSOR[precision], "sm_count", "tdp_w", "memory_gb"))
    ids = texts(rows, "gpu_id")
    return Cards(ids, features, texts(rows, "generation"), np.array([effect.get(one, np.nan) for one in ids]))


def texts(rows: pl.DataFrame, name: str) -> NDArray[np.str_]:
    """A column as an array of strings."""
    return np.array(rows[name].to_list(), dtype=str)
