-- title: Statements of the Paperspace guide, computed
-- description: One row per statement: the truth of each of its parts from the guide's own tables, and the numbers.
-- group: audit
-- column: claim_id | | Statement in _guide_statement
-- column: parts | | Truth of each part; empty = not known
-- column: arithmetic | | The numbers in words
-- unique: claim_id
WITH
machine AS (SELECT * FROM guide_machine WHERE source_id = 'paperspace-2022'),
run AS (SELECT * FROM run_cost WHERE source_id = 'paperspace-2022' AND own_price),
batch AS (SELECT * FROM guide_max_batch WHERE source_id = 'paperspace-2022'),
setting AS (
    SELECT task, setting, try_cast(value AS DOUBLE) AS value FROM guide_protocol WHERE source_id = 'paperspace-2022'
),
-- statements that a machine takes a place among the twelve; `always` and `in both tasks` are one part, which one counterexample refutes
placed(claim_id, machine, quantity, wanted_task, wanted, every) AS (
    VALUES
        ('p01', 'RTX4000', 'rank_usd_per_gb_per_min', '%', 1, false),
        ('p02', 'A4000', 'rank_usd_per_gb_per_min', '%', 1, false),
        ('p04', 'A100', 'rank_seconds', '%', 1, true),
        ('p05', 'A4000', 'rank_usd_per_run', '%', 1, false),
        ('p06', 'RTX5000', 'rank_usd_per_run', '%', 1, false),
        ('p07', 'A6000', 'rank_usd_per_batch_item', '%', 1, true),
        ('p08', 'A5000', 'rank_usd_per_run', 'stylegan%', 2, false),
        ('p08', 'A6000', 'rank_usd_per_run', 'stylegan%', 2, false)
),
place_claim AS (
    SELECT
        claim_id,
        CASE WHEN any_value(every) THEN [bool_and(place <= wanted)] ELSE list(place <= wanted ORDER BY task, machine) END AS parts,
        string_agg(concat_ws(' ', nullif(task, '') || ':', machine, number_text(value), 'rank', place, 'of', machines,
            CASE WHEN place > 1 THEN '(first ' || leader || ' ' || number_text(leader_value) || ')' END), '; ' ORDER BY task, machine) AS arithmetic
    FROM placed AS c
    JOIN _paperspace_ranking AS r USING (machine, quantity)
    WHERE r.task LIKE c.wanted_task
    GROUP BY claim_id
),
-- statements on two machines
pair_claim AS (
    SELECT
        'p03' AS claim_id,
        [a.value < b.value] AS parts,
        'RTX5000 ' || number_text(a.value) || ' against A4000 ' || number_text(b.value) AS arithmetic
    FROM _paperspace_ranking AS a
    JOIN _paperspace_ranking AS b USING (quantity, task)
    WHERE a.machine = 'RTX5000' AND b.machine = 'A4000' AND quantity = 'rank_usd_per_gb_per_min'
    UNION ALL
    SELECT
        claim_id,
        [abs(100 * (a.usd_per_hour / b.usd_per_hour - 1) - f.value) <= f.tolerance * f.value],
        number_text(a.usd_per_hour) || ' / ' || number_text(b.usd_per_hour) || ' = ' || number_text(a.usd_per_hour / b.usd_per_hour)
            || ', where ' || f.value_text || ' more is stated; the other way round ' || number_text(b.usd_per_hour / a.usd_per_hour)
    FROM (VALUES ('p09', 'A6000', 'A100'), ('p10', 'P6000', 'A5000')) AS c(claim_id, one, other)
    JOIN machine AS a ON a.machine = one
    JOIN machine AS b ON b.machine = other
    JOIN published_figure AS f
        ON f.source_id = a.source_id AND f.quantity = 'price_difference_percent' AND f.subject = one || ' over ' || other
    UNION ALL
    SELECT 'p11', [a.memory_gb = b.memory_gb], 'RTX4000 ' || number_text(a.memory_gb) || ' GB, P5000 ' || number_text(b.memory_gb) || ' GB'
    FROM machine AS a
    JOIN machine AS b ON a.machine = 'RTX4000' AND b.machine = 'P5000'
    UNION ALL
    SELECT
        'p17',
        list(a.seconds < b.seconds ORDER BY a.machine, b.machine),
        string_agg(a.machine || ' ' || number_text(a.seconds) || ' s, ' || b.machine || ' ' || number_text(b.seconds) || ' s', '; '
            ORDER BY a.machine, b.machine)
    FROM (VALUES ('V100-16GB', 'V100-32GB'), ('A5000', 'A6000'), ('A5000', 'A100')) AS c(one, other)
    JOIN run AS a ON a.machine = one
    JOIN run AS b ON b.machine = other AND a.task = b.task
    WHERE a.task = 'stylegan_xl_training'
),
older AS (SELECT max(memory_bandwidth_gb_per_s) AS best, arg_max(machine, memory_bandwidth_gb_per_s) AS name FROM machine WHERE generation <> 'Ampere'),
ampere_claim AS (
    SELECT
        'p12' AS claim_id,
        [bool_and(memory_bandwidth_gb_per_s > best)] AS parts,
        string_agg(machine || ' ' || number_text(memory_bandwidth_gb_per_s), ', ' ORDER BY machine)
            || ' GB/s; best of the older GPUs is ' || any_value(name) || ' with ' || number_text(any_value(best)) AS arithmetic
    FROM machine
    CROSS JOIN older
    WHERE generation = 'Ampere'
),
-- statements on how the runs were set up: a batch that ran must fit, and one that fits must have run
stylegan_claim AS (
    SELECT
        'p13' AS claim_id,
        list(status = 'ok' AND max_batch_items >= s.value ORDER BY machine) AS parts,
        'batch ' || number_text(any_value(s.value)) || ' is above the largest that ran on '
            || coalesce(string_agg(machine || ' (' || max_batch_items || ')', ', ' ORDER BY machine) FILTER (max_batch_items < s.value), 'none')
            || ', yet they have a time' AS arithmetic
    FROM run
    JOIN batch USING (machine, task)
    JOIN setting AS s ON s.task = run.task AND s.setting = 'batch'
    WHERE run.task = 'stylegan_xl_training'
),
efficientnet AS (
    SELECT machine, status, max_batch_items, s.setting, s.value::BIGINT AS batch,
        (status = 'ok') = (max_batch_items >= s.value) AS fits,
        (status = 'oom') = (machine IN ('M4000', 'P4000', 'P5000', 'RTX4000')) AS as_stated
    FROM run
    JOIN batch USING (machine, task)
    JOIN setting AS s ON s.task = run.task AND s.setting IN ('batch_in_text', 'batch_in_parameters')
    WHERE run.task = 'efficientnet_training'
),
efficientnet_claim AS (
    SELECT
        'p14' AS claim_id,
        [bool_and(as_stated), bool_and(fits) FILTER (setting = 'batch_in_text'), bool_and(fits) FILTER (setting = 'batch_in_parameters')] AS parts,
        count(DISTINCT machine) FILTER (status = 'oom') || ' machines ran out of memory. At the batch of the text, ' || any_value(batch) FILTER (setting = 'batch_in_text')
            || ', the largest batches contradict '
            || coalesce(string_agg(machine || ' (' || status || ', largest ' || max_batch_items || ')', ', ' ORDER BY machine)
                FILTER (NOT fits AND setting = 'batch_in_text'), 'none')
            || '; at that of the parameters, ' || any_value(batch) FILTER (setting = 'batch_in_parameters') || ', '
            || coalesce(string_agg(machine || ' (' || status || ', largest ' || max_batch_items || ')', ', ' ORDER BY machine)
                FILTER (NOT fits AND setting = 'batch_in_parameters'), 'none') AS arithmetic
    FROM efficientnet
),
month_claim AS (
    SELECT
        'p15' AS claim_id,
        list(s.value * usd_per_hour = 0 ORDER BY machine) AS parts,
        number_text(any_value(s.value)) || ' hours cost from ' || number_text(min(s.value * usd_per_hour)) || ' to '
            || number_text(max(s.value * usd_per_hour)) || ' USD' AS arithmetic
    FROM machine
    JOIN setting AS s ON s.setting = 'hours_per_month'
),
throughput_claim AS (
    SELECT
        'p16' AS claim_id,
        [
            bool_and(round_half_up(paperspace_throughput_cost(usd_per_hour, memory_bandwidth_gb_per_s), decimals) = value),
            bool_and(round_half_up(usd_per_hour / (60 * memory_bandwidth_gb_per_s), decimals) = value)
        ] AS parts,
        count(*) FILTER (round_half_up(paperspace_throughput_cost(usd_per_hour, memory_bandwidth_gb_per_s), decimals) = value)
            || ' of ' || count(*) || ' printed figures are 60 * price / bandwidth; but an hour of one GB/min costs price / (60 * bandwidth), '
            || 'which gives ' || count(*) FILTER (round_half_up(usd_per_hour / (60 * memory_bandwidth_gb_per_s), decimals) = value)
            || ' of them: the unit is off by 60 * 60 = 3600' AS arithmetic
    FROM machine
    JOIN published_figure AS f ON f.source_id = machine.source_id AND f.subject = machine.machine AND f.quantity = 'usd_per_gb_per_min'
),
memory_claim AS (
    SELECT
        'p18' AS claim_id,
        [round_half_up(usd_per_hour / memory_gb, f.decimals) = f.value] AS parts,
        number_text(usd_per_hour) || ' / ' || number_text(machine.memory_gb) || ' = ' || number_text(usd_per_hour / memory_gb)
            || '; ' || f.value_text || ' would fit ' || number_text(round_half_up(usd_per_hour / f.value, 1)) || ' GB' AS arithmetic
    FROM machine
    JOIN published_figure AS f ON f.source_id = machine.source_id AND f.subject = machine.machine AND f.quantity = 'usd_per_gb'
    WHERE machine = 'V100-32GB'
)
SELECT claim_id, parts, arithmetic
FROM (
    FROM place_claim UNION ALL BY NAME FROM pair_claim UNION ALL BY NAME FROM ampere_claim UNION ALL BY NAME FROM stylegan_claim
    UNION ALL BY NAME FROM efficientnet_claim UNION ALL BY NAME FROM month_claim UNION ALL BY NAME FROM throughput_claim
    UNION ALL BY NAME FROM memory_claim
)
