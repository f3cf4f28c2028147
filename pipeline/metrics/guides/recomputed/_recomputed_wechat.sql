-- title: Recomputation of the WeChat digest's figures
-- description: One row per figure of the digest that is no specification of a GPU. Its ratios come from charts, so they are set beside what is known here.
-- group: audit
-- column: figure_id | | Figure in published_figure
-- column: recomputed | as published | Figure recomputed, unrounded; empty where nothing at hand decides it
-- column: from_vendor | as published | The same from the GPUs' specifications
-- column: formula | | The arithmetic with the numbers put in
-- column: note | | Why it disagrees, or cannot be recomputed
-- unique: figure_id
WITH
published AS (SELECT * FROM published_figure WHERE source_id = 'wechat-2022' AND role <> 'spec'),
efficiency_row AS (
    SELECT
        figure_id,
        (a.fp16_tensor_tflops / a.launch_msrp_usd) / (b.fp16_tensor_tflops / b.launch_msrp_usd) AS recomputed,
        recomputed AS from_vendor,
        '(' || number_text(a.fp16_tensor_tflops) || ' / ' || number_text(a.launch_msrp_usd) || ') / ('
            || number_text(b.fp16_tensor_tflops) || ' / ' || coalesce(number_text(b.launch_msrp_usd), 'unknown price') || ')' AS formula,
        CASE WHEN recomputed IS NULL
            THEN 'no price of the Tesla V100 at hand; at the GPUs'' FP16 tensor rates the statement holds if it cost more than '
                || number_text(round_half_up(p.value * a.launch_msrp_usd * b.fp16_tensor_tflops / a.fp16_tensor_tflops, 0)) || ' USD'
            ELSE 'from launch prices and FP16 tensor rates, where the digest has prices of 2019 and measured speed'
        END AS note
    FROM published AS p
    LEFT JOIN gpu AS a USING (gpu_id)
    LEFT JOIN gpu AS b ON b.gpu_id = 'nvidia-tesla-v100-sxm2-16gb'
    WHERE p.quantity = 'cost_efficiency_ratio_at_least'
),
measured AS (
    SELECT median(a.throughput / b.throughput) AS ratio, count(*) AS runs
    FROM _measured_speed AS a
    JOIN _measured_speed AS b USING (source_id, suite, software, workload, variant)
    WHERE a.gpu_id = 'nvidia-geforce-rtx-2080-ti-11gb' AND b.gpu_id = 'nvidia-geforce-rtx-2080-8gb'
),
speed_row AS (
    SELECT
        figure_id,
        measured.ratio AS recomputed,
        a.fp32_tflops / b.fp32_tflops AS from_vendor,
        'FP32 ' || number_text(a.fp32_tflops) || ' / ' || number_text(b.fp32_tflops) || ' = ' || number_text(from_vendor) || '; bandwidth '
            || number_text(a.memory_bandwidth_gb_per_s / b.memory_bandwidth_gb_per_s) || '; FP16 tensor '
            || number_text(a.fp16_tensor_tflops / b.fp16_tensor_tflops) AS formula,
        CASE runs
            WHEN 0 THEN 'no measured run of the RTX 2080 at hand; the largest ratio of the specifications is '
                || number_text(greatest(from_vendor, a.memory_bandwidth_gb_per_s / b.memory_bandwidth_gb_per_s, a.fp16_tensor_tflops / b.fp16_tensor_tflops))
            ELSE 'median of ' || runs || ' workloads measured on one GPU'
        END AS note
    FROM published AS p
    CROSS JOIN measured
    LEFT JOIN gpu AS a ON a.gpu_id = 'nvidia-geforce-rtx-2080-ti-11gb'
    LEFT JOIN gpu AS b ON b.gpu_id = 'nvidia-geforce-rtx-2080-8gb'
    WHERE p.quantity = 'speed_ratio'
),
-- each Tesla GPU with a launch price, beside the GeForce GPU of its family that is nearest in FP32 rate
tesla AS (
    SELECT t.name, t.launch_msrp_usd AS usd, arg_min(g.name, abs(g.fp32_tflops - t.fp32_tflops)) AS sibling,
        arg_min(g.launch_msrp_usd, abs(g.fp32_tflops - t.fp32_tflops)) AS sibling_usd
    FROM gpu AS t
    JOIN gpu AS g USING (architecture)
    WHERE t.segment = 'datacenter' AND t.name LIKE '%Tesla%' AND t.launch_msrp_usd IS NOT NULL
        AND g.name LIKE '%GeForce%' AND g.launch_msrp_usd IS NOT NULL
    GROUP BY ALL
),
price_row AS (
    SELECT
        figure_id,
        max(usd / sibling_usd) AS recomputed,
        recomputed AS from_vendor,
        coalesce(string_agg(name || ' ' || number_text(usd) || ' / ' || sibling || ' ' || number_text(sibling_usd) || ' = '
            || number_text(usd / sibling_usd), '; ' ORDER BY name), 'no pair of prices at hand') AS formula,
        'Tesla GPUs with a launch price at hand and a GeForce sibling with one: ' || count(usd) AS note
    FROM published
    LEFT JOIN tesla ON true
    WHERE quantity = 'price_ratio_at_most'
    GROUP BY figure_id
),
tpu_row AS (
    SELECT
        figure_id,
        NULL::DOUBLE AS recomputed,
        'not computed' AS formula,
        'the digest names neither the TPU nor the GPU that it counts' AS note
    FROM published
    WHERE quantity = 'gpus_equivalent'
)
SELECT figure_id, recomputed, from_vendor, formula, note
FROM (FROM efficiency_row UNION ALL BY NAME FROM speed_row UNION ALL BY NAME FROM price_row UNION ALL BY NAME FROM tpu_row)
