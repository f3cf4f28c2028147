-- title: Spread of repeated measurements of language models
-- description: One row per phase and size of the weights: how far apart the speeds are that different machines, or sources, measured in the same
-- description: configuration. A configuration is model, type of weights, GPU and number, engine, lengths and parallelism, and requests in progress
-- description: within 5%. Speeds of one machine in a configuration count as their median. It gives the interval of a speed from one run: 90% of
-- description: pairs of machines are within factor_90. Every configuration has the same weight, however many machines measured it. The 90% are
-- description: those of split-conformal prediction: the share (n + 1) x 0.9 of n configurations.
-- group: llm
-- column: phase | | prefill, decode or serving
-- column: size_class | | under_3_gb or from_3_gb, as in llm_prediction: parameters times bytes per weight; 16 bits where the type is not stated
-- column: n_configurations | | Configurations that several machines measured
-- column: n_pairs | | Pairs of machines in them
-- column: n_gpus | | GPU variants among them
-- column: n_machines | | Machines among them
-- column: factor_median | ratio | Faster over slower machine of a typical pair
-- column: factor_90 | ratio | The same at the 90% end; empty below 9 configurations
-- column: reason | | Why factor_90 is empty
-- unique: phase, size_class
-- check: factor_90 >= factor_median AND factor_median >= 1
-- check: (factor_90 IS NULL) = (reason IS NOT NULL)
WITH
run AS (
    SELECT phase,
        CASE WHEN n_parameters * coalesce(bytes_per_weight, 2) < 3e9 THEN 'under_3_gb' ELSE 'from_3_gb' END AS size_class,
        r.source_id, coalesce(provider_id, '') AS provider, coalesce(instance_type, '') AS machine, tokens_per_s, concurrency,
        coalesce(gpu_id, gpu_model_id) AS gpu,
        md5(concat_ws(
            '|', llm_model_id, replace(quantization, 'fp16', 'bf16'), gpu, gpu_count, engine, prompt_tokens, output_tokens,
            'batch ' || prompt_batch_tokens, 'tensor ' || tensor_parallel, 'pipeline ' || pipeline_parallel
        )) AS configuration
    FROM llm_measurement AS r
    JOIN llm_model USING (llm_model_id)
    LEFT JOIN llm_quantization USING (quantization)
    WHERE in_aggregates AND gpu_count IS NOT NULL
),
-- the mean number of requests in progress is a real number in serving
banded AS (
    SELECT phase, size_class, source_id, provider, machine, gpu, configuration,
        CASE WHEN phase = 'serving' THEN concurrency END AS concurrency, median(tokens_per_s) AS tokens_per_s
    FROM run
    GROUP BY ALL
),
pair AS (
    SELECT a.phase, a.size_class, a.gpu, a.configuration,
        [concat_ws(' ', a.provider, a.machine), concat_ws(' ', b.provider, b.machine)] AS machines,
        abs(ln(a.tokens_per_s / b.tokens_per_s)) AS distance, 1 / count(*) OVER (PARTITION BY a.phase, a.configuration) AS weight
    FROM banded AS a
    JOIN banded AS b USING (phase, size_class, configuration)
    WHERE (a.source_id, a.provider, a.machine) < (b.source_id, b.provider, b.machine)
        AND coalesce(greatest(a.concurrency, b.concurrency) / least(a.concurrency, b.concurrency) <= 1.05, true)
),
placed AS (
    SELECT *, sum(weight) OVER (PARTITION BY phase, size_class ORDER BY distance, configuration, machines) AS reached FROM pair
),
counted AS (
    SELECT phase, size_class, count(DISTINCT configuration) AS n_configurations, count(*) AS n_pairs, count(DISTINCT gpu) AS n_gpus,
        len(list_distinct(flatten(list(machines)))) AS n_machines
    FROM pair
    GROUP BY ALL
)
SELECT
    phase, size_class, coalesce(n_configurations, 0) AS n_configurations, coalesce(n_pairs, 0) AS n_pairs, coalesce(n_gpus, 0) AS n_gpus,
    coalesce(n_machines, 0) AS n_machines,
    exp(min(distance) FILTER (reached >= 0.5 * n_configurations)) AS factor_median,
    exp(min(distance) FILTER (reached >= 0.9 * (n_configurations + 1))) AS factor_90,
    CASE WHEN factor_90 IS NULL THEN 'fewer than 9 configurations were measured on several machines' END AS reason
FROM (SELECT unnest(['prefill', 'decode', 'serving']) AS phase)
CROSS JOIN (SELECT unnest(['under_3_gb', 'from_3_gb']) AS size_class)
LEFT JOIN counted USING (phase, size_class)
LEFT JOIN placed USING (phase, size_class)
GROUP BY phase, size_class, n_configurations, n_pairs, n_gpus, n_machines
ORDER BY phase, size_class
