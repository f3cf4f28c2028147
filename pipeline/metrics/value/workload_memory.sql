-- title: Memory with which each workload was measured
-- description: One row per workload: the smallest GPU on which it was timed, and the largest that ran out of memory. That is all that is known of the
-- description: memory which it needs.
-- group: performance
-- column: workload | | Name of the workload
-- column: ran_memory_gb | GB | Memory of the smallest GPU on which it was timed; empty where it was timed on none
-- column: oom_memory_gb | GB | Memory of the largest GPU on which it ran out of memory; empty where it ran out on none
-- unique: workload
-- check: ran_memory_gb > 0
SELECT
    workload,
    min(memory_gb) FILTER (status = 'ok' AND basis = 'measured') AS ran_memory_gb,
    max(memory_gb) FILTER (status = 'oom' AND basis = 'measured') AS oom_memory_gb
FROM workload_time
JOIN gpu USING (gpu_id)
GROUP BY workload
