-- title: Measured speed of one GPU in mixed precision
-- description: One row per GPU, suite and workload: the best throughput of one GPU alone in mixed or 16-bit precision, at the batch that suits it best.
-- description: Flagged rows stay out, and so do workloads that workload_family names as bound by software.
-- description: Rows of different suites or software are never set against each other.
-- group: throughput
-- column: source_id | | Source
-- column: suite | | Benchmark suite
-- column: software | | Framework; empty text = not known
-- column: workload | | Model and task
-- column: variant | | Variant of the workload; empty text = none
-- column: family | | Kind of network
-- column: gpu_id | | GPU
-- column: throughput | item/s | Best throughput
-- unique: source_id, suite, software, workload, variant, family, gpu_id
SELECT
    source_id,
    suite,
    coalesce(software, '') AS software,
    workload,
    coalesce(variant, '') AS variant,
    family,
    gpu_id,
    max(throughput) AS throughput
FROM training_throughput
JOIN (SELECT source_id, workload FROM workload_family WHERE core IS DISTINCT FROM false) USING (source_id, workload)
WHERE gpu_count = 1 AND flag IS NULL AND precision IN ('amp', 'fp16') AND gpu_id IS NOT NULL
GROUP BY ALL
