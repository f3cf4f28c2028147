-- title: A stated training on every GPU
-- description: One row per GPU with a time, of the training that the guide of 2023 states: 400 epochs of EfficientNet B7 on its 2,136 images. Timed on a
-- description: GPU: the second epoch of a notebook, or the epoch that follows from the time that the guide prints (basis measured, one GPU alone).
-- description: Else its time is inversely proportional to the index (cnn, single precision), with one factor: the geometric mean over the timed GPUs
-- description: of time x index; the interval joins those of the GPU's index and of the timed GPUs'. Two GPUs that were timed together bound the time
-- description: of one: no less than the two took, and no more than twice that; a prediction beyond them ends at the nearer one. A GPU with less memory than the smallest that ran it has no time.
-- description: gpus_in_24_hours is the smallest of 1, 2, 4 and 8 GPUs that ends it within the 24 hours that the AutoDL guide advises, at the scaling
-- description: efficiency of the GPU's link.
-- group: guides
-- column: gpu_id | | GPU
-- column: epochs | epoch | Passes over the data
-- column: basis | | measured, or predicted from the index and the times of other GPUs
-- column: seconds_per_epoch | s | Time of one epoch on one GPU
-- column: seconds_low | s | Low end of its 90% interval, of a prediction
-- column: seconds_high | s | High end
-- column: n_timed | | Timed GPUs behind the prediction
-- column: days_on_one | day | Time of the training on one GPU
-- column: days_on_one_low | day | Low end of its 90% interval, of a prediction
-- column: days_on_one_high | day | High end
-- column: gpus_in_24_hours | | GPUs that end it within 24 hours; empty where 8 do not, or their scaling is not known
-- column: hours | h | Time on that many
-- column: rental_usd_per_hour | USD/(GPU·h) | Rent of one GPU, from gpu_price
-- column: usd_on_one | USD | Rent of the training on one GPU
-- column: usd_in_24_hours | USD | Rent on as many as end it within 24 hours
-- unique: gpu_id
-- check: seconds_low <= seconds_per_epoch AND seconds_per_epoch <= seconds_high
-- check: days_on_one_low <= days_on_one AND days_on_one <= days_on_one_high
-- check: hours <= 24
-- check: gpus_in_24_hours IN (1, 2, 4, 8)
WITH
card AS (
    SELECT gpu_id, index, CASE WHEN index = 1 THEN 0 ELSE ln(ci_high / index) END AS half_width
    FROM performance_index
    WHERE family = 'cnn' AND precision = 'fp32'
),
timed AS (
    SELECT m.gpu_id, coalesce(e.second_epoch_seconds, CASE WHEN e.machine = 'GTX 1070' THEN 60 * i.gtx_1070_minutes END) AS seconds
    FROM guide_epoch AS e
    JOIN guide_machine AS m USING (source_id, machine)
    CROSS JOIN _pro_vs_consumer_input AS i
    WHERE e.model = 'EfficientNet B7' AND m.gpu_count = 1
),
-- the mean of n independent intervals is narrower by the root of n
factor AS (
    SELECT
        exp(avg(ln(t.seconds * c.index))) AS seconds_at_1,
        sqrt(sum(pow(c.half_width, 2))) / count(*) AS half_width,
        count(*) AS n_timed,
        min(g.memory_gb) AS least_gb
    FROM timed AS t
    JOIN card AS c USING (gpu_id)
    JOIN gpu AS g USING (gpu_id)
    WHERE t.seconds IS NOT NULL
),
together AS (
    SELECT m.gpu_id, i.ada_hours * 3600 / i.epochs AS seconds
    FROM guide_epoch AS e
    JOIN guide_machine AS m USING (source_id, machine)
    CROSS JOIN _pro_vs_consumer_input AS i
    WHERE e.model = 'EfficientNet B7' AND m.machine = '2x RTX 6000 Ada'
),
predicted AS (
    SELECT
        c.gpu_id,
        f.n_timed,
        f.seconds_at_1 / c.index AS seconds,
        exp(sqrt(pow(c.half_width, 2) + pow(f.half_width, 2))) AS spread,
        t.seconds AS least_seconds,
        2 * t.seconds AS most_seconds
    FROM card AS c
    JOIN gpu AS g USING (gpu_id)
    CROSS JOIN factor AS f
    LEFT JOIN together AS t USING (gpu_id)
    WHERE g.memory_gb >= f.least_gb
),
epoch_time AS (
    SELECT gpu_id, 'measured' AS basis, seconds AS seconds_per_epoch
    FROM timed
    WHERE seconds IS NOT NULL
    UNION ALL BY NAME
    SELECT
        gpu_id,
        'predicted' AS basis,
        least(greatest(seconds, least_seconds), most_seconds) AS seconds_per_epoch,
        CASE WHEN seconds > most_seconds THEN least_seconds ELSE greatest(seconds / spread, least_seconds) END AS seconds_low,
        least(greatest(seconds * spread, least_seconds), most_seconds) AS seconds_high,
        n_timed
    FROM predicted
    ANTI JOIN (FROM timed WHERE seconds IS NOT NULL) USING (gpu_id)
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
    p.rental_usd_per_hour,
    cost_to_train_usd(epochs, seconds_per_epoch, 1, 1, p.rental_usd_per_hour) AS usd_on_one,
    cost_to_train_usd(epochs, seconds_per_epoch, gpus, efficiency, p.rental_usd_per_hour) AS usd_in_24_hours
FROM counted
LEFT JOIN gpu_price AS p USING (gpu_id)
