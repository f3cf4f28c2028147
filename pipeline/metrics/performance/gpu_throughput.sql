-- title: Highest measured training throughput of each GPU
-- description: One row per GPU, source, suite, workload, variant and precision: the highest throughput of one GPU in training_throughput, and the batch at
-- description: which it was measured. Flagged rows are left out.
-- group: performance
-- column: gpu_id | | GPU
-- column: source_id | | Source
-- column: suite | | Benchmark suite
-- column: workload | | Network
-- column: variant | | Variant of it; `none` = the network as it is
-- column: precision | | Number format
-- column: throughput | see unit | Highest throughput
-- column: unit | | Unit of the throughput
-- column: batch_per_gpu | item | Batch at which it was measured; empty = unknown
-- column: snapshot_id | | Stored file of it
-- column: locator | | Its place in that file
-- unique: gpu_id, source_id, suite, workload, variant, precision
-- check: throughput > 0
SELECT
    gpu_id, source_id, suite, workload, coalesce(variant, 'none') AS variant, precision,
    max(throughput) AS throughput, any_value(unit) AS unit, arg_max(batch_per_gpu, throughput) AS batch_per_gpu,
    arg_max(snapshot_id, (throughput, row_id)) AS snapshot_id, arg_max(locator, (throughput, row_id)) AS locator
FROM training_throughput
WHERE gpu_id IS NOT NULL AND gpu_count = 1 AND flag IS NULL
GROUP BY ALL
