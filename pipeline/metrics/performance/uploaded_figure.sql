-- title: Which GPU an uploaded figure is of
-- description: One row per GPU and figure of an uploaded run: a figure without a device of its own is of every device of the run.
-- group: benchmarks
-- column: gpu_id | | GPU
-- column: run_id | | Run in benchmark_run
-- column: ordinal | | Figure in measurement
-- column: rank | | Rank among the GPU's figures of the tool, unflagged first; clocks, heat, memory, energy and times of epochs last
-- unique: gpu_id, run_id, ordinal
-- check: rank >= 1
WITH figure AS (
    SELECT DISTINCT d.gpu_id, m.run_id, m.ordinal
    FROM measurement AS m
    JOIN benchmark_device AS d ON d.run_id = m.run_id AND coalesce(m.device_ordinal = d.ordinal, true)
    WHERE d.gpu_id IS NOT NULL
),
tested AS (
    SELECT f.gpu_id, r.tool, m.*, row_number() OVER (
        PARTITION BY f.gpu_id, r.tool, m.metric, m.direction, m.n_gpus, coalesce(m.workload, m.test), m.flags IS NULL
        ORDER BY m.statistic = 'sum', m.value DESC, m.run_id, m.ordinal
    ) AS nth
    FROM figure AS f
    JOIN measurement AS m USING (run_id, ordinal)
    JOIN benchmark_run AS r USING (run_id)
)
SELECT gpu_id, run_id, ordinal, row_number() OVER (
    PARTITION BY gpu_id, tool
    ORDER BY flags IS NOT NULL, statistic = 'sum', metric IN (
            'sm_clock', 'temperature', 'utilisation', 'power', 'energy', 'peak_memory', 'epoch_time', 'load_overhead'
        ), nth, unit IN ('ms', 'us'),
        n_gpus NULLS FIRST, value DESC, run_id, ordinal
) AS rank
FROM tested
