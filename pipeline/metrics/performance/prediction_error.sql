-- title: Errors of prediction
-- description: One row per split, model, precision, phase, class and GPU: errors of predictions on held-out data. Model and interval are chosen inside each
-- description: fold. Training: the index over the core workloads, or the throughput of one GPU at a larger batch. Language models: llm_prediction.
-- description: external_mlperf: the index against the ratios of MLPerf Training in external_check, which no fit uses.
-- group: performance
-- as-in: _training_error | model, n, median_abs_pct, mean_abs_pct, coverage_90
-- column: split | | Held-out unit; external_mlperf = pairs of external_check
-- column: precision | | Training: fp16 = 16-bit or mixed, fp32 with TF32; all = every type of weights
-- column: phase | | training; of language models prefill, decode or serving
-- column: class | | Class of language-model runs: size of the weights, the same on several GPUs; in serving requests in progress in vLLM, latency (NVIDIA's runs, whose rate follows from their latencies), inferencex; of external_mlperf that of the pair
-- column: gpu_id | | GPU whose runs are left out; all = every GPU
-- unique: split, model, precision, phase, class, gpu_id
-- check: n >= 0 AND median_abs_pct >= 0 AND mean_abs_pct >= 0
-- check: coverage_90 BETWEEN 0 AND 100
WITH
classed AS (
    SELECT phase, gpu_id, measured_tokens_per_s AS measured, predicted_tokens_per_s, roofline_tokens_per_s, is_covered,
        CASE WHEN phase = 'serving' AND NOT is_fitted THEN 'inferencex' WHEN source_id = 'aiconfigurator-silicon' THEN 'latency' ELSE run_class END AS class
    FROM llm_prediction
),
compared AS (
    SELECT phase, class, gpu_id, 'gpuledger' AS model, 100 * abs(predicted_tokens_per_s / measured - 1) AS error, is_covered FROM classed
    UNION ALL
    SELECT phase, class, gpu_id, 'roofline', 100 * abs(roofline_tokens_per_s / measured - 1), NULL FROM classed
),
llm AS (
    SELECT 'leave_one_gpu_out' AS split, model, 'all' AS precision, count(*) AS n, median(error) AS median_abs_pct,
        avg(error) AS mean_abs_pct, 100 * avg(is_covered::INTEGER) AS coverage_90, phase, coalesce(class, 'all') AS class, coalesce(gpu_id, 'all') AS gpu_id
    FROM compared
    GROUP BY GROUPING SETS ((model, phase), (model, phase, class), (model, phase, gpu_id), (model, phase, class, gpu_id))
),
external AS (
    SELECT 'external_mlperf' AS split, 'gpuledger' AS model, 'fp16' AS precision, count(*) AS n, median(abs_error_pct) AS median_abs_pct,
        avg(abs_error_pct) AS mean_abs_pct, 100 * avg(within_interval::INTEGER) AS coverage_90, 'training' AS phase,
        coalesce(class, 'all') AS class, 'all' AS gpu_id
    FROM external_check
    GROUP BY ROLLUP (class)
)
SELECT *, 'training' AS phase, 'all' AS class, 'all' AS gpu_id FROM _training_error
UNION ALL BY NAME
SELECT * FROM external
UNION ALL BY NAME
SELECT * FROM llm
ORDER BY phase <> 'training', phase, precision, split, class <> 'all', class, gpu_id <> 'all', gpu_id, model
