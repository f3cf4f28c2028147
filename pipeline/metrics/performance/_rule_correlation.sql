-- title: How well a specification orders measured speed
-- description: One row per kind of network and specification: rank correlation over GPUs of measured throughput with the specification,
-- description: as the mean over suites and workloads with at least 5 GPUs that have all four specifications. rule_of_thumb is another figure, of the
-- description: index over all workloads: here each workload orders its own GPUs, the guides' timed runs with them, which the index does not know.
-- description: Measured speed is the throughput of one GPU in mixed precision and, for the guides' timed runs on one GPU, one over the time:
-- description: all three are of convolutional networks, two trainings and one inference, in a precision that the guide does not state.
-- group: throughput
-- column: family | | Kind of network
-- column: attribute | | Column of gpu
-- column: workloads | | Pairs of suite and workload
-- column: cards | | Fewest GPUs in one of them
-- column: rank_correlation | | Mean Spearman correlation, 1 = the same order
-- unique: family, attribute
WITH
-- the kind of network of each timed task of the guides
task(task, family) AS (
    VALUES ('efficientnet_training', 'cnn'), ('stylegan_xl_training', 'cnn'), ('yolor_inference', 'cnn')
),
timed AS (
    SELECT r.source_id, 'timed runs of the guide' AS suite, '' AS software, r.task AS workload, '' AS variant, t.family, m.gpu_id,
        max(1 / r.seconds) AS throughput
    FROM guide_run AS r
    JOIN guide_machine AS m USING (source_id, machine)
    JOIN task AS t USING (task)
    WHERE r.status = 'ok' AND m.gpu_count = 1 AND m.gpu_id IS NOT NULL
    GROUP BY ALL
),
speed AS (
    SELECT m.*
    FROM (FROM _measured_speed UNION ALL BY NAME FROM timed) AS m
    JOIN gpu AS g USING (gpu_id)
    WHERE g.fp16_tensor_tflops + g.fp32_tflops + g.memory_bandwidth_gb_per_s + g.fp16_tflops IS NOT NULL
),
pair AS (
    SELECT s.family, s.throughput, v.attribute, v.value, concat_ws('/', s.source_id, s.suite, s.software, s.workload, s.variant, v.attribute) AS panel
    FROM speed AS s
    JOIN _gpu_value AS v USING (gpu_id)
    WHERE v.attribute IN ('fp16_tensor_tflops', 'fp32_tflops', 'memory_bandwidth_gb_per_s', 'fp16_tflops')
),
-- equal values share the mean of their ranks
ranked AS (
    SELECT family, attribute, panel,
        rank() OVER (PARTITION BY panel ORDER BY throughput) + count(*) OVER (PARTITION BY panel, throughput) / 2 AS speed_rank,
        rank() OVER (PARTITION BY panel ORDER BY value) + count(*) OVER (PARTITION BY panel, value) / 2 AS value_rank
    FROM pair
),
correlation AS (
    SELECT family, attribute, panel, count(*) AS cards, corr(speed_rank, value_rank) AS rho
    FROM ranked
    GROUP BY ALL
    HAVING count(*) >= 5
)
SELECT family, attribute, count(*) AS workloads, min(cards) AS cards, avg(rho) AS rank_correlation
FROM correlation
GROUP BY ALL
