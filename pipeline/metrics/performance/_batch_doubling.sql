-- title: Gain of twice the batch
-- description: One row per kind of network: the gain of throughput of one GPU alone when its batch is doubled, GPU and software unchanged. Each
-- description: workload counts once, with the median of its pairs of runs. It audits a constant that is claimed for any workload. Table
-- description: batch_doubling_gain has another figure: the median over all pairs by starting batch, of any number of GPUs.
-- group: throughput
-- column: family | | Kind of network
-- column: workloads | | Workloads
-- column: pairs | | Pairs of runs
-- column: smallest_batch | item | Smallest batch that was doubled
-- column: largest_batch | item | Largest batch that was doubled
-- column: gain_percent | % | Median over workloads
-- column: gain_p25_percent | % | Lower quartile over workloads
-- column: gain_p75_percent | % | Upper quartile over workloads
-- unique: family
WITH pair AS (
    SELECT b.family, source_id, suite, workload, a.batch_per_gpu AS batch, 100 * (b.throughput / a.throughput - 1) AS gain
    FROM training_throughput AS a
    JOIN training_throughput AS b USING (source_id, suite, workload, precision, gpu_id, gpu_count)
    WHERE gpu_count = 1 AND b.batch_per_gpu = 2 * a.batch_per_gpu AND a.flag IS NULL AND b.flag IS NULL
        AND precision IN ('amp', 'fp16')
        AND a.software IS NOT DISTINCT FROM b.software
        AND a.variant IS NOT DISTINCT FROM b.variant
        AND a.system IS NOT DISTINCT FROM b.system
),
of_workload AS (
    SELECT family, count(*) AS pairs, min(batch) AS smallest, max(batch) AS largest, median(gain) AS gain
    FROM pair
    GROUP BY family, source_id, suite, workload
)
SELECT
    family,
    count(*) AS workloads,
    sum(pairs)::BIGINT AS pairs,
    min(smallest) AS smallest_batch,
    max(largest) AS largest_batch,
    median(gain) AS gain_percent,
    quantile_cont(gain, 0.25) AS gain_p25_percent,
    quantile_cont(gain, 0.75) AS gain_p75_percent
FROM of_workload
GROUP BY family
