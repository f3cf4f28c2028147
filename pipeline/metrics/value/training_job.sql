-- title: A stated training on every GPU
-- description: One row per GPU with a time, of the training that the guide of 2023 states: 400 epochs of EfficientNet B7 on its 2,136 images. Timed
-- description: on a GPU: the second epoch of a notebook, or the epoch that follows from the time that the guide prints (basis measured, one GPU
-- description: alone). Two GPUs that were timed together bound the time of one (basis bounded): no less than the two took, and no more than twice
-- description: that. Such a GPU has the bounds alone. Every other time is inversely proportional to the index (cnn, single precision), with one
-- description: factor: the geometric mean over the timed GPUs of time x index. There a bounded one counts at the time within its bounds that is
-- description: nearest to what the others predict. Low and high join the interval of the GPU's index and the largest error met when each timed GPU
-- description: is so predicted from the others. A GPU of a higher index than a bounded one takes no longer than that one's upper bound in
-- description: proportion to the index. Three timed GPUs are few: no 90% is promised, and most ranges are too wide for a rank (is_rankable). A GPU
-- description: with less memory than the smallest that ran it, or whose index has no interval, has no time. Column `gpus_in_24_hours` is the
-- description: smallest of 1, 2, 4 and 8 GPUs that ends it within the 24 hours that the AutoDL guide advises. It follows the scaling efficiency of
-- description: the GPU's link.
-- group: guides
-- column: gpu_id | | GPU
-- column: epochs | | Passes over the data
-- column: basis | | measured, bounded by a time of two GPUs, or predicted from the index and the times of other GPUs
-- column: seconds_per_epoch | s | Time of one epoch on one GPU; empty where it is bounded
-- column: seconds_low | s | Low end of the range of seconds_per_epoch, of a prediction or a bounded time
-- column: seconds_high | s | High end of that range
-- column: n_timed | | Timed GPUs behind the prediction
-- column: days_on_one | day | Time of the training on one GPU
-- column: days_on_one_low | day | Low end of the range of days_on_one, of a prediction or a bounded time
-- column: days_on_one_high | day | High end of that range
-- column: gpus_in_24_hours | | GPUs that end it within 24 hours; empty where 8 do not, or their scaling is not known
-- column: hours | h | Time on gpus_in_24_hours GPUs
-- column: rental_usd_per_gpu_hour | USD/(GPU·h) | Rent of one GPU, from gpu_price
-- column: usd_on_one | USD | Rent of the training on one GPU
-- column: usd_in_24_hours | USD | Rent on as many as end it within 24 hours
-- unique: gpu_id
-- check: seconds_low <= seconds_per_epoch AND seconds_per_epoch <= seconds_high
-- check: days_on_one_low <= days_on_one AND days_on_one <= days_on_one_high
-- check: hours <= 24
-- check: basis IN ('measured', 'bounded', 'predicted')
-- check: (basis = 'bounded') = (seconds_per_epoch IS NULL)
-- check: basis = 'measured' OR seconds_low < seconds_high
-- check: gpus_in_24_hours IN (1, 2, 4, 8)
WITH
indexed AS (
    SELECT gpu_id, memory_gb, index, CASE WHEN index = 1 THEN 0 ELSE ln(ci_high / index) END AS half_width
    FROM performance_index
    JOIN gpu USING (gpu_id)
    WHERE family = 'cnn' AND precision = 'fp32' AND (index = 1 OR ci_high IS NOT NULL)
),
alone AS (
    SELECT m.gpu_id, coalesce(e.second_epoch_seconds, CASE WHEN e.machine = 'GTX 1070' THEN 60 * i.gtx_1070_minutes END) AS seconds
    FROM guide_epoch AS e
    JOIN guide_machine AS m USING (source_id, machine)
    CROSS JOIN _pro_vs_consumer_input AS i
    WHERE e.model = 'EfficientNet B7' AND m.gpu_count = 1 AND seconds IS NOT NULL
),
together AS (
    SELECT m.gpu_id, i.ada_hours * 3600 / i.epochs AS least, 2 * least AS most
    FROM guide_epoch AS e
    JOIN guide_machine AS m USING (source_id, machine)
    CROSS JOIN _pro_vs_consumer_input AS i
    WHERE e.model = 'EfficientNet B7' AND m.machine = '2x RTX 6000 Ada'
),
timed AS (
    FROM alone
    UNION ALL
    SELECT t.gpu_id, least(greatest(exp(avg(ln(a.seconds * o.index))) / c.index, t.least), t.most)
    FROM together AS t
    JOIN indexed AS c ON c.gpu_id = t.gpu_id
    CROSS JOIN alone AS a
    JOIN indexed AS o ON o.gpu_id = a.gpu_id
    GROUP BY t.gpu_id, c.index, t.least, t.most
),
-- each GPU from the timed GPUs other than itself
scaled AS (
    SELECT c.gpu_id, c.memory_gb, c.index, c.half_width, exp(avg(ln(t.seconds * o.index))) / c.index AS seconds, count(*) AS n_timed
    FROM indexed AS c
    JOIN timed AS t ON t.gpu_id <> c.gpu_id
    JOIN indexed AS o ON o.gpu_id = t.gpu_id
    GROUP BY c.gpu_id, c.memory_gb, c.half_width, c.index
),
bound AS (
    SELECT min(t.most * c.index) AS most, max(c.index) AS index FROM together AS t JOIN indexed AS c USING (gpu_id)
),
bounded AS (
    SELECT s.* REPLACE (CASE WHEN s.index > b.index THEN least(s.seconds, b.most / s.index) ELSE s.seconds END AS seconds)
    FROM scaled AS s
    CROSS JOIN bound AS b
),
error AS (
    SELECT max(abs(ln(s.seconds / t.seconds))) AS largest FROM scaled AS s JOIN timed AS t USING (gpu_id)
),
epoch_time AS (
    SELECT gpu_id, 'measured' AS basis, seconds AS seconds_per_epoch
    FROM alone
    UNION ALL BY NAME
    SELECT gpu_id, 'bounded' AS basis, least AS seconds_low, most AS seconds_high
    FROM together
    UNION ALL BY NAME
    SELECT
        s.gpu_id,
        'predicted' AS basis,
        s.seconds AS seconds_per_epoch,
        s.seconds / exp(sqrt(pow(s.half_width, 2) + pow(e.largest, 2))) AS seconds_low,
        s.seconds * exp(sqrt(pow(s.half_width, 2) + pow(e.largest, 2))) AS seconds_high,
        s.n_timed
    FROM bounded AS s
    CROSS JOIN error AS e
    ANTI JOIN timed AS t ON t.gpu_id = s.gpu_id
    WHERE s.memory_gb >= (SELECT min(memory_gb) FROM timed JOIN indexed USING (gpu_id))
),
efficiency AS (
    SELECT
        l.gpu_id,
        max(e.efficiency) FILTER (e.gpu_count = 2) AS efficiency_2,
        max(e.efficiency) FILTER (e.gpu_count = 4) AS efficiency_4,
        max(e.efficiency) FILTER (e.gpu_count = 8) AS efficiency_8
    FROM gpu_interconnect AS l
    JOIN scaling_efficiency AS e USING (interconnect)
    WHERE e.family = 'cnn' AND e.precision = 'fp32'
    GROUP BY l.gpu_id
),
counted AS (
    SELECT
        t.*,
        i.epochs,
        gpus_within_hours(time_to_train_s(i.epochs, t.seconds_per_epoch, 1, 1) / 3600, rule.value, efficiency_2, efficiency_4, efficiency_8) AS gpus,
        CASE gpus WHEN 1 THEN 1 WHEN 2 THEN efficiency_2 WHEN 4 THEN efficiency_4 WHEN 8 THEN efficiency_8 END AS efficiency
    FROM epoch_time AS t
    CROSS JOIN _pro_vs_consumer_input AS i
    JOIN guide_rule AS rule ON rule.source_id = 'autodl-2022' AND rule.rule_id = 'training-within'
    LEFT JOIN efficiency USING (gpu_id)
)
SELECT
    gpu_id,
    epochs,
    basis,
    seconds_per_epoch,
    seconds_low,
    seconds_high,
    n_timed,
    time_to_train_s(epochs, seconds_per_epoch, 1, 1) / 86400 AS days_on_one,
    time_to_train_s(epochs, seconds_low, 1, 1) / 86400 AS days_on_one_low,
    time_to_train_s(epochs, seconds_high, 1, 1) / 86400 AS days_on_one_high,
    gpus AS gpus_in_24_hours,
    time_to_train_s(epochs, seconds_per_epoch, gpus, efficiency) / 3600 AS hours,
    p.rental_usd_per_gpu_hour,
    cost_to_train_usd(epochs, seconds_per_epoch, 1, 1, p.rental_usd_per_gpu_hour) AS usd_on_one,
    cost_to_train_usd(epochs, seconds_per_epoch, gpus, efficiency, p.rental_usd_per_gpu_hour) AS usd_in_24_hours
FROM counted
LEFT JOIN gpu_price AS p USING (gpu_id)
