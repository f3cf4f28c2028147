-- title: Recomputation of Paperspace's figures
-- description: One row per derived figure of the guide, from the guide's own inputs, and beside it the same formula on the GPUs' figures in gpu.
-- group: audit
-- column: figure_id | | Figure in published_figure
-- column: recomputed | as published | Figure from the guide's own inputs, unrounded
-- column: from_vendor | as published | The same from gpu; empty where the formula has no figure of a GPU in it
-- column: formula | | The arithmetic with the numbers put in
-- column: note | | Why it disagrees, or what to know of the figure
-- unique: figure_id
WITH
published AS (
    SELECT *, split_part(subject, '/', 1) AS machine, split_part(subject, '/', 2) AS task
    FROM published_figure
    WHERE source_id = 'paperspace-2022' AND role = 'derived'
),
machine AS (
    SELECT m.*, g.cuda_cores AS v_cores, g.memory_gb AS v_memory, g.fp32_tflops AS v_fp32, g.memory_bandwidth_gb_per_s AS v_bandwidth
    FROM guide_machine AS m
    LEFT JOIN gpu AS g USING (gpu_id)
    WHERE m.source_id = 'paperspace-2022'
),
month AS (
    SELECT value::DOUBLE AS hours FROM guide_protocol WHERE source_id = 'paperspace-2022' AND setting = 'hours_per_month'
),
-- the rows of costs below the table of machines: the formula is factor * price / input
cost AS (
    SELECT
        machine,
        usd_per_hour,
        unnest(
            [
                {'quantity': 'usd_per_gb_per_min', 'factor': 60, 'input': memory_bandwidth_gb_per_s, 'v_input': v_bandwidth},
                {'quantity': 'usd_per_100_cuda_cores', 'factor': 100, 'input': cuda_cores::DOUBLE, 'v_input': v_cores::DOUBLE},
                {'quantity': 'usd_per_gb', 'factor': 1, 'input': memory_gb, 'v_input': v_memory},
                {'quantity': 'usd_per_tflop', 'factor': 1, 'input': fp32_tflops, 'v_input': v_fp32}
            ], recursive := true)
    FROM machine
),
cost_figure AS (
    SELECT
        figure_id,
        machine,
        quantity,
        value,
        decimals,
        usd_per_hour,
        factor * usd_per_hour / input AS recomputed,
        factor * usd_per_hour / v_input AS from_vendor,
        CASE factor WHEN 1 THEN '' ELSE factor || ' * ' END
            || number_text(usd_per_hour) || ' / ' || number_text(input) || ' = ' || number_text(factor * usd_per_hour / input) AS formula
    FROM published
    JOIN cost USING (machine, quantity)
),
-- where a figure is wrong: which machine at the same price has the printed figure
neighbour AS (
    SELECT a.figure_id, string_agg(b.machine, ', ' ORDER BY b.machine) AS machines, min(b.formula) AS formula
    FROM cost_figure AS a
    JOIN cost_figure AS b ON a.quantity = b.quantity AND a.usd_per_hour = b.usd_per_hour AND a.machine <> b.machine
    WHERE round_half_up(a.recomputed, a.decimals) <> a.value AND round_half_up(b.recomputed, b.decimals) = a.value
    GROUP BY ALL
),
cost_row AS (
    SELECT
        figure_id,
        recomputed,
        from_vendor,
        c.formula,
        concat_ws('; ',
            CASE WHEN quantity = 'usd_per_gb_per_min'
                THEN 'no price of one GB/min: that is price / (60 * bandwidth) = ' || number_text(recomputed / 3600) || ', 3600 times less'
            END,
            CASE WHEN round_half_up(recomputed, decimals) <> value
                THEN coalesce('the printed figure is that of ' || n.machines || ': ' || n.formula,
                    'the guide''s own price and specification give ' || number_text(round_half_up(recomputed, decimals)))
            END
        ) AS note
    FROM cost_figure AS c
    LEFT JOIN neighbour AS n USING (figure_id)
),
month_row AS (
    SELECT
        p.figure_id,
        CASE p.quantity
            WHEN 'usage_usd_per_month' THEN hours * usd_per_hour
            ELSE usage.value + subscription_usd_per_month
        END AS recomputed,
        CASE p.quantity
            WHEN 'usage_usd_per_month' THEN number_text(hours) || ' * ' || number_text(usd_per_hour) || ' = ' || number_text(hours * usd_per_hour)
            ELSE number_text(usage.value) || ' + ' || number_text(subscription_usd_per_month) || ' = '
                || number_text(usage.value + subscription_usd_per_month)
        END AS formula,
        CASE p.quantity
            WHEN 'usage_usd_per_month'
                THEN 'one cause for this row of all ' || (SELECT count(*) FROM machine) || ' machines: the guide counts ' || number_text(hours) || ' hours a month but prints no charge for them: '
                    || number_text(usd_per_hour) || ' USD an hour is not free; its text says of some machines that a plan includes them, the row says so of all'
            ELSE 'sum of the two rows above it as printed; with ' || number_text(hours) || ' hours of use it is '
                || number_text(hours * usd_per_hour + subscription_usd_per_month) || ' USD'
        END AS note
    FROM published AS p
    JOIN machine USING (machine)
    CROSS JOIN month
    JOIN published AS usage ON usage.machine = p.machine AND usage.quantity = 'usage_usd_per_month'
    WHERE p.quantity IN ('usage_usd_per_month', 'total_usd_per_month')
),
run_row AS (
    SELECT
        figure_id,
        r.usd_per_run AS recomputed,
        number_text(r.usd_per_hour) || ' * ' || number_text(r.seconds) || ' / 3600 = ' || number_text(r.usd_per_run) AS formula,
        CASE WHEN round_half_up(r.usd_per_run, decimals) <> value THEN 'the guide''s own price and time give another figure' END AS note
    FROM published
    JOIN run_cost AS r USING (machine, task)
    WHERE quantity = 'usd_per_run' AND r.source_id = 'paperspace-2022' AND own_price
),
batch_row AS (
    SELECT
        figure_id,
        b.usd_per_batch_item AS recomputed,
        number_text(b.usd_per_hour) || ' / ' || b.max_batch_items || ' = ' || number_text(b.usd_per_batch_item) AS formula,
        CASE WHEN quantity NOT LIKE '%at_most' AND round_half_up(b.usd_per_batch_item, decimals) <> value
            THEN 'the guide''s own price and batch give another figure'
        END AS note
    FROM published
    JOIN batch_item_cost AS b USING (machine, task)
    WHERE quantity LIKE 'usd_per_batch_item%' AND b.source_id = 'paperspace-2022' AND own_price
),
rank_row AS (
    SELECT
        figure_id,
        place AS recomputed,
        r.machine || ' with ' || number_text(r.value) || ' has rank ' || place || ' of ' || machines || ' machines' AS formula,
        CASE
            WHEN place <> p.value THEN 'first is ' || leader || ' with ' || number_text(leader_value)
        END AS note
    FROM published AS p
    JOIN _paperspace_ranking AS r USING (machine, task, quantity)
),
-- comparisons of two machines, `A over B`
pair_row AS (
    SELECT
        figure_id,
        CASE quantity
            WHEN 'price_difference_percent' THEN 100 * (a.usd_per_hour / b.usd_per_hour - 1)
            WHEN 'price_ratio_at_most' THEN a.usd_per_hour / b.usd_per_hour
            WHEN 'bandwidth_ratio' THEN a.memory_bandwidth_gb_per_s / b.memory_bandwidth_gb_per_s
        END AS recomputed,
        CASE quantity WHEN 'bandwidth_ratio' THEN a.v_bandwidth / b.v_bandwidth END AS from_vendor,
        CASE quantity
            WHEN 'price_difference_percent' THEN '100 * (' || number_text(a.usd_per_hour) || ' / ' || number_text(b.usd_per_hour) || ' - 1) = '
            WHEN 'price_ratio_at_most' THEN number_text(a.usd_per_hour) || ' / ' || number_text(b.usd_per_hour) || ' = '
            WHEN 'bandwidth_ratio' THEN number_text(a.memory_bandwidth_gb_per_s) || ' / ' || number_text(b.memory_bandwidth_gb_per_s) || ' = '
        END || number_text(recomputed) AS formula,
        CASE WHEN quantity = 'price_difference_percent' AND recomputed < 0
            THEN a.machine || ' is the cheaper one, at ' || number_text(round_half_up(recomputed + 100, 1)) || '% of the price; '
                || b.machine || ' costs ' || number_text(round_half_up(100 * (b.usd_per_hour / a.usd_per_hour - 1), 1)) || '% more'
        END AS note
    FROM published AS p
    JOIN machine AS a ON a.machine = split_part(p.subject, ' over ', 1)
    JOIN machine AS b ON b.machine = split_part(p.subject, ' over ', 2)
)
SELECT figure_id, recomputed, from_vendor, formula, nullif(note, '') AS note
FROM (
    FROM cost_row UNION ALL BY NAME FROM month_row UNION ALL BY NAME FROM run_row
    UNION ALL BY NAME FROM batch_row UNION ALL BY NAME FROM rank_row UNION ALL BY NAME FROM pair_row
)
