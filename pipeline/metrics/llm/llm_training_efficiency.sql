-- title: Share of its peak that a GPU reaches in training
-- description: One row per NVIDIA GPU with matrix units: arithmetic of BERT fine-tuning (base and large, SQuAD, 384 tokens a sequence, the default of NVIDIA's scripts that Lambda ran)
-- description: over the dense FP16 matrix rate. Arithmetic per token: 72 x layers x width^2 + 12 x layers x length x width (Narayanan et al.,
-- description: arXiv 2104.04473, without the vocabulary). Measured: the median over Lambda's suites and both sizes, one GPU at its fastest batch; low and high
-- description: are what another model may reach: that median times the 5th and 95th percentile of the ratio of a run to the other size's on the same GPU, and no
-- description: less wide than the runs. Predicted for the others from performance_index (transformer, fp16): the arithmetic per second that the measured desktop and
-- description: data-center GPUs reach grows with a power of the index, fitted by least squares of the logarithms. Low and high join the interval of the index with the
-- description: same percentiles as independent errors. A GPU without an index, or with a predicted share above every measured one, has no row.
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
transformer AS (
    SELECT gpu_id, index, ci_low, ci_high FROM performance_index WHERE family = 'transformer' AND precision = 'fp16'
),
measured AS (
    SELECT gpu_id, median(efficiency) AS efficiency, least(min(efficiency), median(efficiency) * any_value(ratio[1])) AS efficiency_low,
        greatest(max(efficiency), median(efficiency) * any_value(ratio[2])) AS efficiency_high, count(*) AS n_measurements
    FROM run
    CROSS JOIN another_model
    GROUP BY gpu_id
),
fit AS (
    SELECT regr_slope(ln(m.efficiency * p.peak_tflops), ln(i.index)) AS slope, regr_intercept(ln(m.efficiency * p.peak_tflops), ln(i.index)) AS level
    FROM measured AS m
    JOIN peak AS p USING (gpu_id)
    JOIN transformer AS i USING (gpu_id)
    WHERE p.segment <> 'laptop'
),
guess AS (
    SELECT gpu_id, exp(level + slope * ln(i.index)) / peak_tflops AS efficiency, slope * ln(i.ci_low / i.index) AS below, slope * ln(i.ci_high / i.index) AS above
    FROM peak
    JOIN transformer AS i USING (gpu_id)
    ANTI JOIN measured USING (gpu_id)
    CROSS JOIN fit
    WHERE i.ci_low IS NOT NULL
),
predicted AS (
    SELECT gpu_id, efficiency, efficiency * exp(-sqrt(below ** 2 + ln(ratio[1]) ** 2)) AS efficiency_low,
        efficiency * exp(sqrt(above ** 2 + ln(ratio[2]) ** 2)) AS efficiency_high, 0 AS n_measurements
    FROM guess
    CROSS JOIN another_model
    WHERE efficiency <= (SELECT max(efficiency) FROM measured)
)
SELECT gpu_id, efficiency, efficiency_low, efficiency_high, CASE WHEN n_measurements > 0 THEN 'measured' ELSE 'predicted' END AS basis,
    n_measurements, peak_tflops
FROM (FROM measured UNION ALL BY NAME FROM predicted)
JOIN peak USING (gpu_id)
ORDER BY gpu_id
