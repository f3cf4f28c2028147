-- title: Corrected speedups, the faster GPU first
-- description: One row per pair of GPUs, kind of network and precision of speedup_family, turned so that the corrected speedup is 1 or more.
-- group: performance
-- as-in: speedup_family | family, precision, ci_high, n_workloads
-- column: gpu_faster | | The faster GPU
-- column: gpu_slower | | The slower GPU
-- column: naive_ratio | ratio | Ratio of the largest throughputs as measured
-- column: batch_factor | ratio | Part of it that the batch sizes make
-- column: corrected | ratio | Speedup at the same batch
-- column: ci_low | ratio | Low end of its 95% interval
-- unique: gpu_faster, gpu_slower, family, precision
-- check: corrected >= 1
SELECT
    gpu_a AS gpu_faster, gpu_b AS gpu_slower, family, precision, naive_ratio, batch_factor, corrected, ci_low, ci_high, n_workloads
FROM speedup_family
WHERE corrected >= 1
UNION ALL
SELECT
    gpu_b, gpu_a, family, precision, 1 / naive_ratio, 1 / batch_factor, 1 / corrected, 1 / ci_high, 1 / ci_low, n_workloads
FROM speedup_family
WHERE corrected < 1
