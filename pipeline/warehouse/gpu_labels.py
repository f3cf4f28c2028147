"""GPU labels of parsed rows, resolved into table `label`. The rules of names belong in `pipeline.gpu_identity`."""

import functools

import duckdb

from pipeline import gpu_identity
from pipeline.gpu_identity import Resolution

COLUMNS = """raw_gpu_name VARCHAR, gpu_context VARCHAR, reported_memory_gb DOUBLE, scope VARCHAR, gpu_id VARCHAR,
    gpu_model_id VARCHAR, unstated VARCHAR, candidates VARCHAR, gpu_count DOUBLE, gpu_fraction DOUBLE, partition VARCHAR,
    rule VARCHAR, reason_code VARCHAR, reason VARCHAR"""

_resolve = functools.lru_cache(maxsize=100_000)(gpu_identity.resolve)  # the files of a source name the same GPUs


def create_labels(con: duckdb.DuckDBPyConnection) -> None:
    """Create table `label`: each distinct GPU label of view `parsed` with its GPU or model, or the reason why it has none."""
    labels = con.execute("""SELECT DISTINCT raw_gpu_name, coalesce(gpu_context, ''), reported_memory_gb, _source_id
        FROM parsed WHERE raw_gpu_name IS NOT NULL ORDER BY ALL""").fetchall()
    con.execute(f"CREATE OR REPLACE TEMP TABLE label({COLUMNS})")
    rows = [(*label, *_label_values(_resolve(*label))) for label in labels]
    if rows:
        con.execute(f"INSERT INTO label SELECT {', '.join(['unnest(?)'] * len(rows[0]))}", list(zip(*rows, strict=True)))


def _label_values(found: Resolution) -> tuple[object, ...]:
    """Return the answer to a label as the further columns of table `label`."""
    model = (found.gpu_id, found.gpu_model_id, ",".join(found.unstated) or None, ",".join(found.candidates) or None)
    return (*model, found.gpu_count, found.fraction, found.partition, found.rule, found.reason_code, found.reason)
