-- title: A100 over V100 in the tables of the time
-- description: One row per workload and pair of systems in NVIDIA's tables of September 2020, at one GPU and at eight: the ratio of throughputs,
-- description: and the corrected ratio. The correction is that of the 2020 guide, with its gains per doubling of the batch and its advantage in
-- description: scaling (8 GPUs only).
-- group: audit
-- column: workload | | Model and task
-- column: software | | Framework
-- column: pair | | V100 GPU and system set against the A100
-- column: family | | Kind of network
-- column: gpu_count | | GPUs
-- column: batch_a100 | item | Batch on each A100
-- column: batch_v100 | item | Batch on each V100
-- column: a100_per_s | items/s | Throughput of the A100
-- column: v100_per_s | items/s | Throughput of the V100
-- column: ratio | ratio | A100 over V100
-- column: corrected | ratio | The same, corrected for batch and, at 8 GPUs, for scaling
-- column: scaling_a100 | ratio | Gain of the A100 from one GPU to this number
-- column: scaling_v100 | ratio | Gain of the V100 from one GPU to this number
-- unique: workload, software, pair, gpu_count
WITH
run AS (
    SELECT t.*, t.throughput / single.throughput AS scaling, coalesce(t.system, '') AS machine
    FROM training_throughput AS t
    JOIN training_throughput AS single USING (source_id, suite, software, workload, raw_gpu_name, batch_per_gpu)
    WHERE t.source_id = 'nvidia-deeplearningexamples-2020' AND single.gpu_count = 1
        AND t.variant IS NOT DISTINCT FROM single.variant AND t.system IS NOT DISTINCT FROM single.system
)
SELECT
    a.workload,
    a.software,
    trim(v.raw_gpu_name || ' ' || v.machine) AS pair,
    a.family,
    a.gpu_count,
    a.batch_per_gpu AS batch_a100,
    v.batch_per_gpu AS batch_v100,
    a.throughput AS a100_per_s,
    v.throughput AS v100_per_s,
    a.throughput / v.throughput AS ratio,
    scaling_corrected_speedup(
        batch_corrected_speedup(
            a.throughput / v.throughput,
            CASE a.family WHEN 'cnn' THEN cnn_batch_gain ELSE transformer_batch_gain END,
            a.batch_per_gpu,
            v.batch_per_gpu
        ),
        CASE WHEN a.gpu_count = 1 THEN 1 WHEN a.family = 'cnn' THEN 1 + cnn_network_gain ELSE 1 + transformer_network_gain END,
        1
    ) AS corrected,
    a.scaling AS scaling_a100,
    v.scaling AS scaling_v100
FROM run AS a
JOIN run AS v USING (workload, software, gpu_count)
CROSS JOIN _dettmers_input
WHERE a.raw_gpu_name LIKE 'A100%' AND v.raw_gpu_name LIKE 'V100%'
