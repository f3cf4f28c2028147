-- title: Share of its peak that a GPU reaches in training
-- description: One row per NVIDIA GPU with matrix units: arithmetic of BERT fine-tuning (base and large, SQuAD, 384 tokens a sequence, the default of NVIDIA's scripts that Lambda ran)
-- description: over the dense FP16 matrix rate. Arithmetic per token: 72 x layers x width^2 + 12 x layers x length x width (Narayanan et al.,
-- description: arXiv 2104.04473, without the vocabulary). Measured: the median over Lambda's suites and both sizes, one GPU at its fastest batch; low and high
-- description: are what another model may reach: that median times the 5th and 95th percentile of the ratio of a run to the other size's on the same GPU, and no
-- description: less wide than the runs. Predicted for the others: the median of the measured GPUs of the architecture, else of all; low and high are the 5th and 95th
-- description: percentile of all measured desktop and data-center GPUs, or the extremes of the architecture. Other vendors were not measured and have no row.
-- group: llm
-- column: gpu_id | | GPU
-- column: efficiency | fraction | Share of the peak
-- column: efficiency_low | fraction | Low end
-- column: efficiency_high | fraction | High end
-- column: basis | | measured, or predicted from other GPUs
-- column: n_measurements | | Suites and sizes that were measured
-- column: peak_tflops | TFLOPS | Dense FP16 matrix rate, FP32 accumulation
-- unique: gpu_id
-- check: efficiency_low <= efficiency AND efficiency <= efficiency_high
-- check: efficiency_high < 1
-- check: (basis = 'measured') = (n_measurements > 0)
WITH
shape (workload, layers, width) AS (VALUES ('bert_base_squad', 12, 768), ('bert_large_squad', 24, 1024)),
best AS (
    SELECT suite, workload, gpu_id, max(throughput) AS sequences_per_s
    FROM training_throughput
    WHERE
        source_id = 'lambda-deeplearning-benchmark' AND precision = 'fp16' AND flag IS NULL AND gpu_count = 1
        AND workload IN (SELECT workload FROM shape)
    GROUP BY ALL
),
peak AS (
    SELECT gpu_id, segment, architecture, fp16_tensor_tflops AS peak_tflops FROM gpu WHERE vendor = 'NVIDIA' AND fp16_tensor_tflops IS NOT NULL
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
measured AS (
    SELECT gpu_id, median(efficiency) AS efficiency, least(min(efficiency), median(efficiency) * any_value(ratio[1])) AS efficiency_low,
        greatest(max(efficiency), median(efficiency) * any_value(ratio[2])) AS efficiency_high, count(*) AS n_measurements
    FROM run
    CROSS JOIN another_model
    GROUP BY gpu_id
),
others AS (
    SELECT quantile_cont(efficiency, [0.05, 0.5, 0.95]) AS share FROM measured JOIN peak USING (gpu_id) WHERE segment <> 'laptop'
),
sibling AS (
    SELECT architecture, median(efficiency) AS efficiency, min(efficiency_low) AS efficiency_low, max(efficiency_high) AS efficiency_high
    FROM measured
    JOIN peak USING (gpu_id)
    WHERE segment <> 'laptop'
    GROUP BY architecture
)
SELECT p.gpu_id, coalesce(m.efficiency, s.efficiency, share[2]) AS efficiency,
    coalesce(m.efficiency_low, least(s.efficiency_low, share[1])) AS efficiency_low,
    coalesce(m.efficiency_high, greatest(s.efficiency_high, share[3])) AS efficiency_high,
    CASE WHEN m.gpu_id IS NULL THEN 'predicted' ELSE 'measured' END AS basis,
    coalesce(m.n_measurements, 0) AS n_measurements, p.peak_tflops
FROM peak AS p
LEFT JOIN measured AS m USING (gpu_id)
LEFT JOIN sibling AS s USING (architecture)
CROSS JOIN others
ORDER BY p.gpu_id
