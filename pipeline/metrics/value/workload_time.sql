-- title: Time that each GPU takes for each workload
-- description: One row per workload and GPU, for one GPU alone. Workloads are the timed tasks of the guides; the kinds of networks cnn, transformer,
-- description: rnn and all in 16-bit, with -fp32 in single precision, at the speed of performance_index; and llm-decode at that of decode_index. Of a
-- description: kind, the work is what an RTX 2080 Ti does in one hour. A task that was timed on the GPU is measured. Else the time of the timed GPU
-- description: of nearest speed is scaled by the index (cnn, single precision: the guide names no precision, and all three models are convolutional);
-- description: the interval joins that of the GPU's index and the largest error met when each timed GPU is so predicted from the others. Beyond the
-- description: fastest or slowest timed GPU it also holds that GPU's own time, since a fixed part does not shrink. A GPU with no more memory
-- description: than one that ran out, and less than every one that finished, runs out; with less than every one that finished it is not known.
-- group: performance
-- column: workload | | Name of the workload
-- column: gpu_id | | GPU
-- column: kind | | task of a guide, family of networks, or decode
-- column: family | | Kind of network that its speed and scaling go by; empty for llm-decode
-- column: precision | | fp16 or fp32; empty for llm-decode
-- column: status | | ok or oom (out of memory); empty where it is not known whether the GPU can run it
-- column: basis | | measured or predicted; empty where not known
-- column: seconds | s | Time on one GPU
-- column: seconds_low | s | Low end of the 90% interval; empty for a timed task, and where there is none
-- column: seconds_high | s | High end
-- column: reference_gpu_id | | Timed GPU whose time was scaled
-- column: source_id | | Guide that timed the task
-- unique: workload, gpu_id
-- check: kind IN ('task', 'family', 'decode')
-- check: seconds_low <= seconds AND seconds <= seconds_high
-- check: (status = 'ok') = (seconds IS NOT NULL)
-- check: (status IS NULL) = (basis IS NULL)
WITH
task AS (
    -- another guide's tasks need a family of their own here
    SELECT DISTINCT source_id, task AS workload, 'cnn' AS family, 'fp32' AS precision FROM guide_run WHERE source_id = 'paperspace-2022'
),
timed AS (
    SELECT t.*, m.gpu_id, g.memory_gb, r.status, r.seconds, i.index
    FROM guide_run AS r
    JOIN task AS t ON (t.source_id, t.workload) = (r.source_id, r.task)
    JOIN guide_machine AS m ON (m.source_id, m.machine) = (r.source_id, r.machine)
    JOIN gpu AS g ON g.gpu_id = m.gpu_id
    LEFT JOIN performance_index AS i ON (i.gpu_id, i.family, i.precision) = (m.gpu_id, t.family, t.precision)
    WHERE m.gpu_count = 1 AND r.status IN ('ok', 'oom')
),
range AS (
    SELECT
        workload,
        min(memory_gb) FILTER (status = 'ok') AS least_ok_gb,
        max(memory_gb) FILTER (status = 'oom') AS most_oom_gb,
        min(index) FILTER (status = 'ok') AS slowest,
        max(index) FILTER (status = 'ok') AS fastest
    FROM timed
    GROUP BY workload
),
card AS (
    SELECT g.gpu_id, g.memory_gb, i.family, i.precision, i.index, CASE WHEN i.index = 1 THEN 0 ELSE ln(i.ci_high / i.index) END AS half_width
    FROM gpu AS g
    LEFT JOIN performance_index AS i ON i.gpu_id = g.gpu_id AND i.family = 'cnn' AND i.precision = 'fp32'
),
-- each GPU at the time of the timed GPU of nearest speed
scaled AS (
    SELECT t.workload, c.gpu_id, c.index, c.half_width, t.gpu_id AS reference_gpu_id, t.seconds AS reference_seconds, t.seconds * t.index / c.index AS seconds
    FROM card AS c
    JOIN timed AS t ON t.gpu_id <> c.gpu_id
    WHERE t.status = 'ok' AND c.index IS NOT NULL AND t.index IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY t.workload, c.gpu_id ORDER BY abs(ln(t.index / c.index)), t.gpu_id) = 1
),
error AS (
    SELECT workload, max(abs(ln(s.seconds / t.seconds))) AS half_width
    FROM scaled AS s
    JOIN timed AS t USING (workload, gpu_id)
    WHERE t.status = 'ok'
    GROUP BY workload
    HAVING count(*) >= 5
),
ranged AS (
    SELECT
        s.*,
        exp(sqrt(pow(e.half_width, 2) + pow(s.half_width, 2))) AS factor,
        CASE WHEN s.index > r.fastest THEN s.reference_seconds END AS own_high,
        CASE WHEN s.index < r.slowest THEN s.reference_seconds END AS own_low
    FROM scaled AS s
    JOIN range AS r USING (workload)
    LEFT JOIN error AS e USING (workload)
),
judged AS (
    SELECT
        t.workload, c.gpu_id, t.family, t.precision, t.source_id, own.seconds AS own_seconds, s.* EXCLUDE (workload, gpu_id),
        own.status IS NOT NULL AS own_run,
        CASE
            WHEN own.status IS NOT NULL THEN own.status
            WHEN c.memory_gb < r.least_ok_gb AND c.memory_gb <= r.most_oom_gb THEN 'oom'
            WHEN s.seconds IS NOT NULL AND c.memory_gb >= r.least_ok_gb THEN 'ok'
        END AS found
    FROM task AS t
    CROSS JOIN card AS c
    JOIN range AS r USING (workload)
    LEFT JOIN timed AS own USING (workload, gpu_id)
    LEFT JOIN ranged AS s USING (workload, gpu_id)
),
task_time AS (
    SELECT
        workload, gpu_id, family, precision, source_id,
        found AS status,
        CASE WHEN own_run THEN 'measured' WHEN found IS NOT NULL THEN 'predicted' END AS basis,
        CASE WHEN found = 'ok' THEN coalesce(own_seconds, seconds) END AS seconds,
        CASE WHEN found = 'ok' AND NOT own_run AND factor IS NOT NULL THEN least(seconds / factor, own_low) END AS seconds_low,
        CASE WHEN found = 'ok' AND NOT own_run AND factor IS NOT NULL THEN greatest(seconds * factor, own_high) END AS seconds_high,
        CASE WHEN found = 'ok' AND NOT own_run THEN reference_gpu_id END AS reference_gpu_id
    FROM judged
)
SELECT workload, gpu_id, 'task' AS kind, family, precision, status, basis, seconds, seconds_low, seconds_high, reference_gpu_id, source_id
FROM task_time
UNION ALL BY NAME
SELECT
    family || CASE WHEN precision = 'fp32' THEN '-fp32' ELSE '' END AS workload, gpu_id, 'family' AS kind, family, precision, 'ok' AS status, basis,
    3600 / index AS seconds, 3600 / ci_high AS seconds_low, 3600 / ci_low AS seconds_high
FROM performance_index
UNION ALL BY NAME
SELECT
    'llm-decode' AS workload, gpu_id, 'decode' AS kind, 'ok' AS status, basis,
    3600 / index AS seconds, 3600 / ci_high AS seconds_low, 3600 / ci_low AS seconds_high
FROM decode_index
