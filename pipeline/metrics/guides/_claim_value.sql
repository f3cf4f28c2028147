-- title: Values that statements refer to
-- description: One row per reference in _claim_operand: the value that it names in another table. The first word of a reference is the kind of value.
-- group: audit
-- column: reference | | Kind, row and column, separated by slashes
-- column: value | see unit | The value; empty = not known
-- unique: reference
WITH
asked AS (SELECT DISTINCT reference FROM _claim_operand WHERE reference IS NOT NULL),
gpu_value AS (
    SELECT gpu_id, attribute, value
    FROM gpu
    CROSS JOIN (SELECT DISTINCT attribute FROM _gpu_value)
    LEFT JOIN _gpu_value USING (gpu_id, attribute)
),
machine_value AS (
    SELECT source_id, machine, attribute, value
    FROM (
        SELECT source_id, machine, gpu_count::DOUBLE AS gpu_count, cuda_cores::DOUBLE AS cuda_cores, memory_gb, memory_bandwidth_gb_per_s, fp32_tflops,
            half_precision_tflops, usd_per_hour
        FROM guide_machine
    )
    UNPIVOT INCLUDE NULLS (value FOR attribute IN (COLUMNS(* EXCLUDE (source_id, machine))))
),
value AS (
    SELECT concat_ws('/', 'gpu', gpu_id, attribute) AS reference, value FROM gpu_value
    UNION ALL
    SELECT concat_ws('/', 'machine', source_id, machine, attribute), value FROM machine_value
    UNION ALL
    SELECT concat_ws('/', 'run', source_id, machine, task), seconds FROM guide_run
    UNION ALL
    SELECT concat_ws('/', 'batch', source_id, machine, task), max_batch_items FROM guide_max_batch
    UNION ALL
    SELECT 'figure/' || figure_id, published FROM audit
    UNION ALL
    SELECT 'recomputed/' || figure_id, recomputed FROM audit
    UNION ALL
    SELECT concat_ws('/', 'index', gpu_id, family, precision), index FROM performance_index
    UNION ALL
    SELECT concat_ws('/', 'rule', rule_id, family, precision), value FROM rule_of_thumb
    UNION ALL
    SELECT 'assumption/' || assumption_id, value FROM assumption
    UNION ALL
    SELECT concat_ws('/', 'price', source_id, instance_type, region, billing, strftime(observed_at, '%Y-%m-%d')), min(usd_per_gpu_hour)
    FROM price
    WHERE instance_type IS NOT NULL
    GROUP BY ALL
)
SELECT reference, value
FROM asked
JOIN value USING (reference)
