-- title: Share of its peak that a GPU reaches in training
-- description: One row per NVIDIA GPU with matrix units: arithmetic of training a language model over the dense FP16 matrix rate, with that of
-- description: gradient checkpointing. Measured where llm_training_run has runs of at least a billion parameters in 16 bits on eight GPUs with
-- description: sequences of 2,048 tokens. The share is their median, over what eight GPUs keep of their speed over NVLink. A parameter and token
-- description: take 6 operations, 8 with checkpointing. Predicted for other GPUs with BF16 (Ampere to Blackwell). The share grows with a power of
-- description: bandwidth over peak, fitted to the measured ones by least squares of the logarithms, up to the highest of them. Low and high join
-- description: two errors as independent. One is that of the runs farthest from that line. The other is the 5th and 95th percentile of the distance
-- description: of a GPU's share in BERT from such a line through all of them. What eight GPUs keep counts as exact. GPUs without BF16 (Volta,
-- description: Turing) or a known bandwidth have the share of BERT fine-tuning (base and large, SQuAD). Its sequences have 384 tokens, the default
-- description: of NVIDIA's scripts that Lambda ran. Each token takes 72 x layers x width^2 + 12 x layers x length x width operations (Narayanan et
-- description: al., arXiv 2104.04473, without the vocabulary). The share is the median over Lambda's suites and both sizes, one GPU at its fastest
-- description: batch. Low and high are the 5th and 95th percentile of the ratio of a run to the other size's, and no less wide than the runs.
-- description: Without such runs it is predicted from performance_index (transformer, fp16): the arithmetic per second grows with a power of the
-- description: index; low and high join both intervals. A GPU without an index, or above every measured share, has no row.
-- group: llm
-- column: gpu_id | | GPU
-- column: efficiency | fraction | Share of the peak
-- column: efficiency_low | fraction | Low end of the range of efficiency
-- column: efficiency_high | fraction | High end of the range of efficiency
-- column: basis | | measured, or predicted from other GPUs
-- column: trained | | Training that was measured, on this GPU or the others: llm or bert
-- column: n_measurements | | Runs that were measured; of BERT, suites and sizes
-- column: peak_tflops | TFLOPS | Dense FP16 matrix rate, FP32 accumulation
-- unique: gpu_id
-- check: efficiency_low <= efficiency AND efficiency <= efficiency_high
-- check: efficiency_high < 1
-- check: (basis = 'measured') = (n_measurements > 0)
-- check: trained IN ('llm', 'bert')
WITH
peak AS (
    SELECT gpu_id, segment, fp16_tensor_tflops AS peak_tflops, ln(memory_bandwidth_gb_per_s / fp16_tensor_tflops) AS log_bytes,
        architecture IN ('Ampere', 'Ada Lovelace', 'Hopper', 'Blackwell', 'Blackwell Ultra') AS has_bf16
    FROM gpu
    WHERE vendor = 'NVIDIA' AND fp16_tensor_tflops IS NOT NULL
),
llm_run AS (
    SELECT gpu_id, log_bytes,
        (6 + 2 * recomputes_activations::INTEGER) * n_parameters * tokens_per_s / gpu_count / 1e12 / peak_tflops / s.efficiency AS efficiency
    FROM llm_training_run
    JOIN peak USING (gpu_id)
    JOIN scaling_efficiency AS s USING (gpu_count)
    WHERE
        gpu_count = 8 AND s.interconnect = 'nvlink' AND s.family = 'transformer' AND s.precision = 'fp16'
        AND sequence_tokens = 2048 AND n_parameters >= 1e9 AND llm_training_run.precision <> 'amp_fp8'
),
llm_measured AS (
    SELECT gpu_id, any_value(log_bytes) AS log_bytes, median(efficiency) AS efficiency, min(efficiency) AS efficiency_low,
        max(efficiency) AS efficiency_high, count(*) AS n_measurements
    FROM llm_run
    GROUP BY gpu_id
),
llm_fit AS (
    SELECT regr_slope(ln(efficiency), log_bytes) AS slope, regr_intercept(ln(efficiency), log_bytes) AS level, max(efficiency) AS most
    FROM llm_measured
),
another_llm AS (
    SELECT min(ln(efficiency) - level - slope * log_bytes) AS below, max(ln(efficiency) - level - slope * log_bytes) AS above
    FROM llm_run
    CROSS JOIN llm_fit
),
shape (workload, layers, width) AS (VALUES ('bert_base_squad', 12, 768), ('bert_large_squad', 24, 1024)),
best AS (
    SELECT suite, workload, gpu_id, max(throughput) AS sequences_per_s
    FROM training_throughput
    WHERE
        source_id = 'lambda-deeplearning-benchmark' AND precision = 'fp16' AND flag IS NULL AND gpu_count = 1
        AND workload IN (SELECT workload FROM shape)
    GROUP BY ALL
),
run AS (
    SELECT gpu_id, workload, sequences_per_s * 384 * (72 * layers * width ** 2 + 12 * layers * 384 * width) / 1e12 / peak_tflops AS efficiency
    FROM best
    JOIN shape USING (workload)
    JOIN peak USING (gpu_id)
),
another_model AS (
    SELECT quantile_cont(a.efficiency / b.efficiency, [0.05, 0.95]) AS ratio
    FROM run AS a
    JOIN run AS b ON a.gpu_id = b.gpu_id AND a.workload <> b.workload
),
transformer AS (
    SELECT gpu_id, index, ci_low, ci_high FROM performance_index WHERE family = 'transformer' AND precision = 'fp16'
),
bert_measured AS (
    SELECT gpu_id, median(efficiency) AS efficiency, least(min(efficiency), median(efficiency) * any_value(ratio[1])) AS efficiency_low,
        greatest(max(efficiency), median(efficiency) * any_value(ratio[2])) AS efficiency_high, count(*) AS n_measurements
    FROM run
    CROSS JOIN another_model
    GROUP BY gpu_id
),
bert_by_bytes AS (
    SELECT regr_slope(ln(efficiency), log_bytes) AS slope, regr_intercept(ln(efficiency), log_bytes) AS level
    FROM bert_measured
    JOIN peak USING (gpu_id)
    WHERE has_bf16
),
another_gpu AS (
    SELECT quantile_cont(ln(efficiency) - level - slope * log_bytes, [0.05, 0.95]) AS error
    FROM bert_measured
    JOIN peak USING (gpu_id)
    CROSS JOIN bert_by_bytes
    WHERE has_bf16
),
llm AS (
    SELECT gpu_id, efficiency, efficiency_low, efficiency_high, n_measurements, 'llm' AS trained FROM llm_measured
    UNION ALL BY NAME
    SELECT gpu_id, least(most, exp(level + slope * log_bytes)) AS efficiency, efficiency * exp(-sqrt(below ** 2 + error[1] ** 2)) AS efficiency_low,
        efficiency * exp(sqrt(above ** 2 + error[2] ** 2)) AS efficiency_high, 0 AS n_measurements, 'llm' AS trained
    FROM peak
    ANTI JOIN llm_measured USING (gpu_id)
    CROSS JOIN llm_fit
    CROSS JOIN another_llm
    CROSS JOIN another_gpu
    WHERE has_bf16 AND log_bytes IS NOT NULL
),
fit AS (
    SELECT regr_slope(ln(m.efficiency * p.peak_tflops), ln(i.index)) AS slope, regr_intercept(ln(m.efficiency * p.peak_tflops), ln(i.index)) AS level
    FROM bert_measured AS m
    JOIN peak AS p USING (gpu_id)
    JOIN transformer AS i USING (gpu_id)
    WHERE p.segment <> 'laptop'
),
guess AS (
    SELECT gpu_id, exp(level + slope * ln(i.index)) / peak_tflops AS efficiency, slope * ln(i.ci_low / i.index) AS below, slope * ln(i.ci_high / i.index) AS above
    FROM peak
    JOIN transformer AS i USING (gpu_id)
    ANTI JOIN bert_measured USING (gpu_id)
    CROSS JOIN fit
    WHERE i.ci_low IS NOT NULL
),
bert_predicted AS (
    SELECT gpu_id, efficiency, efficiency * exp(-sqrt(below ** 2 + ln(ratio[1]) ** 2)) AS efficiency_low,
        efficiency * exp(sqrt(above ** 2 + ln(ratio[2]) ** 2)) AS efficiency_high, 0 AS n_measurements
    FROM guess
    CROSS JOIN another_model
    WHERE efficiency <= (SELECT max(efficiency) FROM bert_measured)
),
bert AS (
    SELECT *, 'bert' AS trained FROM (FROM bert_measured UNION ALL BY NAME FROM bert_predicted) ANTI JOIN llm USING (gpu_id)
)
SELECT gpu_id, efficiency, efficiency_low, efficiency_high, CASE WHEN n_measurements > 0 THEN 'measured' ELSE 'predicted' END AS basis, trained,
    n_measurements, peak_tflops
FROM (FROM llm UNION ALL BY NAME FROM bert)
JOIN peak USING (gpu_id)
ORDER BY gpu_id
