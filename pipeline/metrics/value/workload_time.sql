-- title: Time that each GPU takes for each workload
-- description: One row per workload and GPU, for one GPU alone. Tasks are the timed ones of the guides. Jobs are trainings of a stated number of
-- description: examples, at the throughput that Lambda measured in 16 bits, without the loading of data. Its suite v0 is left out, which is 5 to
-- description: 29% slower on the same GPU. Families are the kinds of networks cnn, transformer, rnn and all, at the speed of performance_index in
-- description: 16 bits, with -fp32 in single precision. Workload memory-bandwidth is in proportion to that specification: a question of guides,
-- description: which is no speed of any program. Of a family, the work is what an RTX 2080 Ti does in one hour. A task or job that was timed on the
-- description: GPU is measured. Else its time is a fixed part and a part inversely proportional to the index. Both are by least squares of the
-- description: relative errors over the timed GPUs with tensor cores. Of a task, the index is that of cnn in single precision: the guide names no
-- description: precision, and all three models are convolutional. So the predicted times follow the index. A GPU without tensor cores has a time
-- description: only where it was timed. The interval joins that of the GPU's index and the error that 90% of the timed GPUs keep when each is so
-- description: predicted from the others. Below ten of them, it is the largest error. Column `predicted_seconds` of a timed GPU is what the others
-- description: predict of it, and `outside_interval` marks a measurement that their interval misses. A GPU with no more memory than one that ran
-- description: out, and less than every one that finished, runs out. With less than every one that finished, but more than those that ran out, it
-- description: is not known.
-- group: performance
-- column: workload | | Name of the workload
-- column: gpu_id | | GPU
-- column: kind | | task of a guide, job of a stated size, family of networks, or specification
-- column: family | | Kind of network that its speed and scaling go by; empty for memory-bandwidth
-- column: precision | | fp16 or fp32; empty for memory-bandwidth
-- column: status | | ok or oom (out of memory); empty where it is not known whether the GPU can run it
-- column: basis | | measured or predicted; empty where not known
-- column: seconds | s | Time on one GPU
-- column: seconds_low | s | Low end of the 90% interval; empty for a timed task, and where there is none
-- column: seconds_high | s | High end of the 90% interval of seconds
-- column: n_timed | | Timed GPUs behind the prediction
-- column: predicted_seconds | s | Prediction from the index and the other timed GPUs, of a timed GPU too
-- column: outside_interval | | Whether the measured time lies outside the interval of that prediction; empty for a time that is not measured
-- column: source_id | | Guide that timed the task, or source of the throughput
-- unique: workload, gpu_id
-- check: kind IN ('task', 'job', 'family', 'specification')
-- check: seconds_low <= seconds AND seconds <= seconds_high
-- check: (status = 'ok') = (seconds IS NOT NULL)
-- check: (status IS NULL) = (basis IS NULL)
WITH
task AS (
    -- another guide's tasks need a family of their own here
    SELECT DISTINCT source_id, 'task' AS kind, task AS workload, 'cnn' AS family, 'fp32' AS precision FROM guide_run WHERE source_id = 'paperspace-2022'
),
job (workload, network, family, examples) AS (VALUES
    -- 90 passes over 1,281,167 images: Russakovsky et al. 2015 (arXiv 1409.0575); the schedule of Goyal et al. 2017 (arXiv 1706.02677)
    ('resnet50-imagenet-90-epochs', 'resnet50', 'cnn', 90 * 1281167),
    -- 2 passes over 87,599 questions, one sequence each: Rajpurkar et al. 2016 (arXiv 1606.05250)
    ('bert-large-squad-2-epochs', 'bert_large_squad', 'transformer', 2 * 87599)
),
job_run AS (
    SELECT t.source_id, 'job' AS kind, j.workload, j.family, t.precision, t.gpu_id, j.examples / median(t.throughput) AS seconds
    FROM training_throughput AS t
    JOIN job AS j ON j.network = t.workload
    WHERE t.source_id = 'lambda-deeplearning-benchmark' AND t.precision = 'fp16' AND t.gpu_count = 1 AND t.flag IS NULL AND t.gpu_id IS NOT NULL
        AND t.suite <> 'v0'
    GROUP BY t.source_id, j.workload, j.family, j.examples, t.precision, t.gpu_id, t.suite
    QUALIFY t.suite = max(t.suite) OVER (PARTITION BY j.workload, t.gpu_id)
),
work AS (
    FROM task
    UNION ALL
    SELECT DISTINCT source_id, kind, workload, family, precision FROM job_run
),
timed AS (
    SELECT t.*, m.gpu_id, g.memory_gb, r.status, r.seconds
    FROM guide_run AS r
    JOIN task AS t ON (t.source_id, t.workload) = (r.source_id, r.task)
    JOIN guide_machine AS m ON (m.source_id, m.machine) = (r.source_id, r.machine)
    JOIN gpu AS g ON g.gpu_id = m.gpu_id
    WHERE m.gpu_count = 1 AND r.status IN ('ok', 'oom')
    UNION ALL BY NAME
    SELECT r.*, g.memory_gb, 'ok' AS status
    FROM job_run AS r
    JOIN gpu AS g USING (gpu_id)
),
range AS (
    SELECT
        workload,
        min(memory_gb) FILTER (status = 'ok') AS least_ok_gb,
        max(memory_gb) FILTER (status = 'oom') AS most_oom_gb
    FROM timed
    GROUP BY workload
),
gpu_speed AS (
    SELECT
        w.workload, g.gpu_id, g.memory_gb, i.index,
        CASE WHEN i.index = 1 THEN 1 ELSE i.ci_low END AS index_low,
        CASE WHEN i.index = 1 THEN 1 ELSE i.ci_high END AS index_high
    FROM gpu AS g
    CROSS JOIN work AS w
    LEFT JOIN performance_index AS i
        ON (i.gpu_id, i.family, i.precision) = (g.gpu_id, w.family, w.precision) AND coalesce(g.tensor_cores, g.fp16_tensor_tflops) > 0
),
-- each GPU from the timed GPUs other than itself
other AS (
    SELECT
        t.workload, c.gpu_id, c.index, c.index_low, c.index_high,
        count(*) AS n_timed,
        sum(1 / pow(t.seconds, 2)) AS a, sum(1 / (o.index * pow(t.seconds, 2))) AS b, sum(1 / pow(o.index * t.seconds, 2)) AS c,
        sum(1 / t.seconds) AS d, sum(1 / (o.index * t.seconds)) AS e
    FROM gpu_speed AS c
    JOIN timed AS t ON t.workload = c.workload AND t.gpu_id <> c.gpu_id
    JOIN gpu_speed AS o ON (o.workload, o.gpu_id) = (t.workload, t.gpu_id)
    WHERE t.status = 'ok' AND c.index IS NOT NULL AND o.index IS NOT NULL
    GROUP BY t.workload, c.gpu_id, c.index, c.index_low, c.index_high
),
-- least squares of 1 - (fixed + per_index / index) / seconds; neither part is negative
fit AS (
    SELECT
        *,
        CASE WHEN d * c > e * b THEN greatest((a * e - b * d) / (a * c - b * b), 0) ELSE e / c END AS per_index,
        greatest((d - b * per_index) / a, 0) AS fixed_seconds
    FROM other
    WHERE n_timed >= 5
),
scaled AS (
    SELECT
        workload, gpu_id, n_timed,
        fixed_seconds + per_index / index AS seconds,
        ln(seconds / (fixed_seconds + per_index / index_high)) AS below,
        ln((fixed_seconds + per_index / index_low) / seconds) AS above
    FROM fit
),
error AS (
    SELECT workload, s.gpu_id, abs(ln(s.seconds / t.seconds)) AS error
    FROM scaled AS s
    JOIN timed AS t USING (workload, gpu_id)
    WHERE t.status = 'ok'
),
-- a timed GPU's own error is no part of its interval; of n errors it is the ceil(0.9 (n + 1))-th, as in split-conformal prediction
predicted AS (
    SELECT
        workload, s.gpu_id, n_timed,
        s.seconds AS predicted_seconds,
        s.seconds / exp(sqrt(pow(e.kept, 2) + pow(s.below, 2))) AS predicted_low,
        s.seconds * exp(sqrt(pow(e.kept, 2) + pow(s.above, 2))) AS predicted_high
    FROM scaled AS s
    CROSS JOIN LATERAL (
        SELECT list_sort(list(error))[least(count(*), ceil(0.9 * (count(*) + 1)))::BIGINT] AS kept
        FROM error
        WHERE workload = s.workload AND gpu_id <> s.gpu_id
    ) AS e
),
assessed AS (
    SELECT
        t.workload, c.gpu_id, t.kind, t.family, t.precision, t.source_id, own.seconds AS own_seconds, p.* EXCLUDE (workload, gpu_id),
        own.status IS NOT NULL AS own_run,
        CASE
            WHEN own.status IS NOT NULL THEN own.status
            WHEN c.memory_gb < r.least_ok_gb AND c.memory_gb <= r.most_oom_gb THEN 'oom'
            WHEN p.predicted_seconds IS NOT NULL AND c.memory_gb >= r.least_ok_gb THEN 'ok'
        END AS found
    FROM work AS t
    JOIN gpu_speed AS c USING (workload)
    JOIN range AS r USING (workload)
    LEFT JOIN timed AS own USING (workload, gpu_id)
    LEFT JOIN predicted AS p USING (workload, gpu_id)
),
task_time AS (
    SELECT
        workload, gpu_id, kind, family, precision,
        found AS status,
        CASE WHEN own_run THEN 'measured' WHEN found IS NOT NULL THEN 'predicted' END AS basis,
        CASE WHEN found = 'ok' THEN coalesce(own_seconds, predicted_seconds) END AS seconds,
        CASE WHEN found = 'ok' AND NOT own_run THEN predicted_low END AS seconds_low,
        CASE WHEN found = 'ok' AND NOT own_run THEN predicted_high END AS seconds_high,
        CASE WHEN found = 'ok' THEN n_timed END AS n_timed,
        CASE WHEN found = 'ok' THEN assessed.predicted_seconds END AS predicted_seconds,
        CASE WHEN found = 'ok' AND own_run THEN own_seconds NOT BETWEEN predicted_low AND predicted_high END AS outside_interval,
        source_id
    FROM assessed
)
FROM task_time
UNION ALL BY NAME
SELECT
    family || CASE WHEN precision = 'fp32' THEN '-fp32' ELSE '' END AS workload, gpu_id, 'family' AS kind, family, precision, 'ok' AS status, basis,
    3600 / index AS seconds, 3600 / ci_high AS seconds_low, 3600 / ci_low AS seconds_high
FROM performance_index
UNION ALL BY NAME
SELECT
    'memory-bandwidth' AS workload, g.gpu_id, 'specification' AS kind, 'ok' AS status, 'predicted' AS basis,
    3600 * r.memory_bandwidth_gb_per_s / g.memory_bandwidth_gb_per_s AS seconds
FROM gpu AS g
JOIN gpu AS r ON r.gpu_id = 'nvidia-geforce-rtx-2080-ti-11gb'
WHERE g.memory_bandwidth_gb_per_s IS NOT NULL
