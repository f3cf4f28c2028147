-- title: Gain of mixed precision
-- description: One row per GPU, suite and workload measured on one GPU in FP32 and in mixed precision: best throughput of each, and their ratio.
-- description: Each precision runs at its own batch, so part of the gain is that of a larger batch. Flagged rows stay out.
-- group: throughput
-- column: gpu_id | | GPU
-- column: architecture | | Chip family
-- column: source_id | | Source
-- column: suite | | Benchmark suite
-- column: software | | Framework; empty text = not known
-- column: workload | | Model and task
-- column: variant | | Variant of the workload; empty text = none
-- column: fp32_throughput | items/s | Best throughput in FP32
-- column: mixed_throughput | items/s | Best throughput in mixed or 16-bit precision
-- column: gain | ratio | Mixed over FP32
-- unique: gpu_id, source_id, suite, software, workload, variant
SELECT
    t.gpu_id,
    g.architecture,
    t.source_id,
    t.suite,
    coalesce(t.software, '') AS software,
    t.workload,
    coalesce(t.variant, '') AS variant,
    max(t.throughput) FILTER (t.precision = 'fp32') AS fp32_throughput,
    max(t.throughput) FILTER (t.precision IN ('amp', 'fp16')) AS mixed_throughput,
    mixed_throughput / fp32_throughput AS gain
FROM training_throughput AS t
JOIN gpu AS g USING (gpu_id)
WHERE t.gpu_count = 1 AND t.flag IS NULL
GROUP BY ALL
HAVING fp32_throughput IS NOT NULL AND mixed_throughput IS NOT NULL
