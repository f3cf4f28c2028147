-- title: Training throughput of uploads
-- description: One row per training figure of an accepted upload that can be compared. It is unflagged, of whole GPUs of one known kind, with its
-- description: batch, and of no trial run of our own suite (profile test). The family is that of a workload of the same name in workload_family.
-- group: benchmarks
-- column: run_id | | Run in benchmark_run
-- column: ordinal | | Figure in measurement
-- column: suite | | Tool and its version
-- column: software | | Framework and version
-- column: workload | | Model and task
-- column: settings | | What else makes two figures comparable
-- column: family | | Kind of network; empty = no workload of that name is known
-- column: precision | | Number format; amp = mixed FP16
-- column: raw_gpu_name | | GPU, as the output names it
-- column: gpu_id | | GPU
-- column: gpu_count | | GPUs working together
-- column: batch_per_gpu | item | Batch of each GPU
-- column: throughput | item/s | Items per second of all GPUs together
-- column: unit | | Items per second of what
-- unique: run_id, ordinal
-- check: throughput > 0
-- check: batch_per_gpu > 0
WITH run_gpu AS (
    SELECT run_id, any_value(name_raw) AS raw_gpu_name, any_value(gpu_id) AS gpu_id, count(*) AS n_devices
    FROM benchmark_device
    GROUP BY run_id
    HAVING count(gpu_id) = count(*) AND count(DISTINCT gpu_id) = 1 AND NOT coalesce(bool_or(mig), false)
),
known AS (
    SELECT workload, min(family) AS family FROM workload_family GROUP BY workload HAVING count(DISTINCT family) = 1
)
SELECT
    m.run_id,
    m.ordinal,
    concat_ws(' ', r.tool, r.tool_version) AS suite,
    r.framework AS software,
    m.test AS workload,
    m.workload AS settings,
    known.family,
    CASE m.dtype WHEN 'mixed' THEN 'amp' ELSE m.dtype END AS precision,
    run_gpu.raw_gpu_name,
    run_gpu.gpu_id,
    CASE WHEN m.device_ordinal IS NULL THEN coalesce(m.n_gpus, run_gpu.n_devices) ELSE 1 END AS gpu_count,
    m.batch_size AS batch_per_gpu,
    m.value AS throughput,
    coalesce(m.item, 'items') || '/s' AS unit
FROM measurement AS m
JOIN benchmark_run AS r USING (run_id)
JOIN run_gpu USING (run_id)
LEFT JOIN known ON known.workload = m.test
WHERE
    m.metric = 'training_throughput' AND m.status = 'ok' AND r.status = 'ok' AND m.flags IS NULL
    AND m.statistic IN ('median', 'mean', 'single') AND m.batch_size IS NOT NULL AND m.value > 0
    AND m.dtype IN ('fp32', 'tf32', 'fp16', 'bf16', 'mixed')
    AND NOT (r.tool = 'gpuledger_suite' AND regexp_matches(coalesce(r.args, ''), '(^|;)\s*profile=test\s*(;|$)'))
