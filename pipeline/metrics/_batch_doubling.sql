-- title: Gain of twice the batch
-- description: One row per kind of network: the median gain of throughput of one card alone when its batch is doubled, card and software unchanged.
-- group: throughput
-- column: family | | Kind of network
-- column: pairs | | Pairs of runs
-- column: gain_percent | % | Median gain
-- unique: family
SELECT b.family, count(*) AS pairs, 100 * (median(b.throughput / a.throughput) - 1) AS gain_percent
FROM training_throughput AS a
JOIN training_throughput AS b USING (source_id, suite, workload, precision, gpu_id, gpu_count)
WHERE gpu_count = 1 AND b.batch_per_gpu = 2 * a.batch_per_gpu AND a.flag IS NULL AND b.flag IS NULL
    AND precision IN ('amp', 'fp16')
    AND a.software IS NOT DISTINCT FROM b.software
    AND a.variant IS NOT DISTINCT FROM b.variant
    AND a.system IS NOT DISTINCT FROM b.system
GROUP BY b.family
