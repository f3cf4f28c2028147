"""Rows that the performance model reads from the database, and the entry point that computes its tables.

The computation is imported on first use, because it takes half a second.
"""

from collections.abc import Sequence

import duckdb

from pipeline.schema import Record
from pipeline.warehouse.sql_models import tables_of

UPLOADS = "uploads"  # names rows of uploads, which have no source
ROWS = f"""SELECT * EXCLUDE (row_id) FROM (
    SELECT row_id, t.source_id, suite, software, t.workload, variant, settings, t.family, core, precision, raw_gpu_name, t.gpu_id,
        gpu_count, batch_per_gpu, throughput, unit, interconnect, flag
    FROM training_throughput AS t LEFT JOIN workload_family AS w ON w.source_id = t.source_id AND w.workload = t.workload
    UNION ALL BY NAME
    SELECT run_id || printf('%09d', ordinal) AS row_id, '{UPLOADS}' AS source_id, suite, software, workload, settings, family,
        precision, raw_gpu_name, gpu_id, gpu_count, batch_per_gpu, throughput, unit
    FROM uploaded_throughput
)
ORDER BY row_id"""
# The generation is the compute capability, which separates GA100 from GA10x and the two kinds of Blackwell. Where that of
# the GPU is unknown, it is that of its chip, else that of its architecture, if these have only one. A GPU before 8.0 has no
# TF32 and computes 32-bit on its ordinary cores. On a later one, the TF32 rate that no source states is half the FP16 rate of
# its tensor cores, as on every NVIDIA GPU that states both (a test checks it), and unknown without that. A board of several
# GPUs, which the table lists beside one of them, is left out: a program runs on each alone.
SPECS = """WITH
chip AS (SELECT die, min(compute_capability) AS one FROM gpu_die JOIN gpu USING (gpu_id) GROUP BY die
    HAVING min(compute_capability) = max(compute_capability)),
architecture AS (SELECT architecture, min(compute_capability) AS one FROM gpu GROUP BY architecture
    HAVING min(compute_capability) = max(compute_capability)),
kind AS (SELECT gpu_id, coalesce(d.die, gpu_id) AS die, coalesce(compute_capability, chip.one, architecture.one) AS capability
    FROM gpu LEFT JOIN gpu_die AS d USING (gpu_id) LEFT JOIN chip USING (die) LEFT JOIN architecture USING (architecture)),
board AS (SELECT DISTINCT b.gpu_id FROM gpu AS b JOIN gpu AS one USING (gpu_model_id) WHERE 2 * one.sm_count <= b.sm_count)
SELECT gpu_id, vendor, die, vendor || ' ' || coalesce(capability, architecture) AS generation,
    memory_bandwidth_gb_per_s, fp16_tensor_tflops,
    coalesce(tf32_tensor_tflops,
        CASE WHEN capability::DOUBLE < 8 THEN fp32_tflops WHEN vendor = 'NVIDIA' THEN fp16_tensor_tflops / 2 END
    ) AS fp32_compute_tflops,
    sm_count, tdp_w, memory_gb, fp32_tflops, fp16_tflops
FROM gpu JOIN kind USING (gpu_id) ANTI JOIN board USING (gpu_id)
ORDER BY gpu_id"""
_MEASURED, _SPECS = tables_of(ROWS), tables_of(SPECS)
READS: dict[str, tuple[str, ...]] = {
    "batch_curve": _MEASURED,
    "batch_doubling_gain": _MEASURED,
    "scaling_efficiency": _MEASURED,
    "scaling_advantage": _MEASURED,
    "performance_index": _MEASURED + _SPECS,
    "speedup": _MEASURED,
    "speedup_family": _MEASURED,
    "_training_error": _MEASURED + _SPECS,
    "rule_of_thumb": (*_MEASURED, *_SPECS, "performance_index"),
}


def every_table(con: duckdb.DuckDBPyConnection) -> dict[str, Sequence[Record]]:
    """Compute the rows of all tables of the model, by table name."""
    from pipeline.performance import outputs  # noqa: PLC0415 - see above
    from pipeline.performance.model_inputs import ModelInputs  # noqa: PLC0415

    return outputs.every_table(ModelInputs.read(con))
