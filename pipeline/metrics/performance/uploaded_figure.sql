-- title: Which GPU an uploaded figure is of
-- description: One row per GPU and figure of an uploaded run: a figure without a device of its own is of every device of the run.
-- group: benchmarks
-- column: gpu_id | | GPU
-- column: run_id | | Run in benchmark_run
-- column: ordinal | | Figure in measurement
-- unique: gpu_id, run_id, ordinal
SELECT DISTINCT d.gpu_id, m.run_id, m.ordinal
FROM measurement AS m
JOIN benchmark_device AS d ON d.run_id = m.run_id AND coalesce(m.device_ordinal = d.ordinal, true)
WHERE d.gpu_id IS NOT NULL
