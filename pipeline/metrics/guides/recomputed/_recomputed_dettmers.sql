-- title: Recomputation of the 2020 guide's figures
-- description: One row per figure of the guide that is no specification of a GPU, from the guide's own inputs where it gives them.
-- description: Its corrected speedups come from NVIDIA's tables of the time, of which the pair of systems is taken that comes nearest.
-- group: audit
-- column: figure_id | | Figure in published_figure
-- column: recomputed | as published | Figure recomputed, unrounded; empty where nothing at hand decides it
-- column: from_vendor | as published | The same formula on the vendors' figures
-- column: formula | | The arithmetic with the numbers put in
-- column: note | | Why it disagrees, or cannot be recomputed
-- unique: figure_id
WITH
published AS (
    SELECT *, substr(figure_id, length(source_id) + 2) AS name
    FROM published_figure
    WHERE source_id = 'dettmers-2020' AND role <> 'spec'
),
i AS (SELECT * EXCLUDE (guide) FROM _dettmers_input),
-- scaling from 1 to 8 GPUs: SE-ResNeXt101 (PyTorch) for CNN, the Transformer with the 16 GB V100
scaling AS (
    SELECT
        max(scaling_a100) FILTER (family = 'cnn') AS cnn_a100,
        max(scaling_v100) FILTER (family = 'cnn') AS cnn_v100,
        max(scaling_a100) FILTER (family = 'transformer') AS transformer_a100,
        max(scaling_v100) FILTER (family = 'transformer') AS transformer_v100,
        max(number_text(a100_per_s) || ' / ' || number_text(a100_per_s / scaling_a100)) FILTER (family = 'cnn') AS cnn_a100_text,
        max(number_text(v100_per_s) || ' / ' || number_text(v100_per_s / scaling_v100)) FILTER (family = 'cnn') AS cnn_v100_text
    FROM _dettmers_speedup
    WHERE gpu_count = 8 AND software = 'PyTorch' AND pair = 'V100-SXM2-16GB' AND workload <> 'Mask R-CNN'
),
ampere_speed AS (
    SELECT
        exp(avg(ln(ratio)) FILTER (family = 'cnn')) AS cnn,
        exp(avg(ln(ratio)) FILTER (family = 'transformer')) AS transformer,
        string_agg(line, ' * ' ORDER BY line) FILTER (family = 'cnn') AS cnn_text,
        string_agg(line, ' * ' ORDER BY line) FILTER (family = 'transformer') AS transformer_text
    FROM (
        SELECT a.family, a.throughput / b.throughput AS ratio, '(' || a.workload || ' ' || number_text(a.throughput) || ' / ' || number_text(b.throughput) || ')' AS line
        FROM _measured_speed AS a
        JOIN _measured_speed AS b USING (source_id, suite, software, workload, variant)
        WHERE a.gpu_id = 'nvidia-geforce-rtx-3090-24gb' AND b.gpu_id = 'nvidia-geforce-rtx-2080-ti-11gb'
    )
),
-- what the guide's way of filling in GPUs makes of its own A100 figures for the RTX 3090
interpolated AS (
    SELECT
        max(line) FILTER (family = 'cnn') AS cnn,
        max(line) FILTER (family = 'transformer') AS transformer
    FROM (
        SELECT family, '; interpolated within Ampere (dettmers_2020) from the guide''s A100 at ' || number_text(a100)
            || ' of a V100, the RTX 3090 is at ' || number_text(round_half_up(dettmers_2020(a100, vendor_rtx_3090_sm, vendor_rtx_3090_gb_per_s, vendor_a100_sm, vendor_a100_gb_per_s), 3))
            || ' of one, but the guide prints no V100 over RTX 2080 Ti to go on from' AS line
        FROM i, LATERAL (VALUES ('cnn', (se_resnext_speedup + mask_rcnn_speedup) / 2), ('transformer', transformer_speedup)) AS t(family, a100)
    )
),
doubling AS (
    SELECT
        max(gain_percent) FILTER (family = 'cnn') AS cnn,
        max(gain_percent) FILTER (family = 'transformer') AS transformer,
        max(line) FILTER (family = 'cnn') AS cnn_text,
        max(line) FILTER (family = 'transformer') AS transformer_text
    FROM (
        SELECT *, 'no constant: over ' || workloads || ' workloads (' || pairs || ' pairs of runs, batches of ' || smallest_batch || ' to ' || largest_batch
            || ' doubled) half of them lie between ' || number_text(round_half_up(gain_p25_percent, 1)) || '% and '
            || number_text(round_half_up(gain_p75_percent, 1)) || '%' AS line
        FROM _batch_doubling
    )
),
year AS (
    SELECT electricity_kwh_per_year(rtx_3090_w + processor_w, utilisation) AS kwh, kwh * usd_per_kwh AS usd FROM i
),
arithmetic AS (
    SELECT t.*
    FROM i, scaling, ampere_speed, interpolated, doubling, year, LATERAL (VALUES
        ('32x32 matrix product/cycles_without_tensor_cores', matmul_32x32_cycles(false), NULL,
            global_cycles || ' + 8 * ' || shared_cycles || ' + 8 * ' || ffma_cycles, NULL),
        ('32x32 matrix product/cycles_with_tensor_cores', matmul_32x32_cycles(true), NULL,
            global_cycles || ' + ' || shared_cycles || ' + ' || tensor_core_cycles, NULL),
        ('32x32 matrix product/tensor_core_products', 8 * 8 * 8, NULL, '(32 / 4)^3',
            '8 * 8 = 64 is the number of 4x4 tiles of the result; each takes 8 products of 4x4 tiles, 512 in all'),
        ('32x32 matrix product/tensor_cores_used', sm_used * tensor_cores_per_sm, sm_used * vendor_rtx_3090_tensor_cores / vendor_rtx_3090_sm,
            number_text(sm_used) || ' * ' || number_text(tensor_cores_per_sm),
            'an RTX 3090 has ' || number_text(vendor_rtx_3090_tensor_cores / vendor_rtx_3090_sm) || ' tensor cores a multiprocessor'),
        ('32x32 matrix product/tensor_cores_per_multiprocessor', vendor_rtx_3090_tensor_cores / vendor_rtx_3090_sm,
            vendor_rtx_3090_tensor_cores / vendor_rtx_3090_sm,
            'RTX 3090: ' || vendor_rtx_3090_tensor_cores || ' / ' || vendor_rtx_3090_sm,
            'the example is scaled to an RTX 3090, but counts tensor cores as on Volta and Turing'),
        ('32x32 matrix product/share_of_rtx_3090_percent', 100 * sm_used / vendor_rtx_3090_sm, 100 * sm_used / vendor_rtx_3090_sm,
            '100 * ' || number_text(sm_used) || ' / ' || vendor_rtx_3090_sm, NULL),
        ('32x32 matrix product/summary_cycles_without_tensor_cores', 32 * ffma_cycles, NULL, '32 * ' || ffma_cycles,
            '32 multiply-adds after each other for each element; the worked example below it counts 8 of them, '
                || 8 * ffma_cycles || ' cycles'),
        ('32x32 matrix product/summary_cycles_with_tensor_cores', (32 / 4) ** 3 / (sm_used * tensor_cores_per_sm) * tensor_core_cycles, NULL,
            '(32 / 4)^3 / (' || sm_used || ' * ' || tensor_cores_per_sm || ') * ' || tensor_core_cycles,
            'all 512 products of 4x4 tiles; the worked example below it counts 64 of them, ' || tensor_core_cycles || ' cycle'),
        ('32x32 matrix product/summary_cycle_reduction_factor',
            (32 * ffma_cycles) / ((32 / 4) ** 3 / (sm_used * tensor_cores_per_sm) * tensor_core_cycles), NULL,
            32 * ffma_cycles || ' / ' || number_text((32 / 4) ** 3 / (sm_used * tensor_cores_per_sm) * tensor_core_cycles),
            'the worked example below it gives ' || 8 * ffma_cycles || ' / ' || tensor_core_cycles),
        ('BERT-large training/tensor_core_idle_percent', 100 - tensor_core_use, NULL, '100 - ' || tensor_core_use, NULL),
        ('A100 over V100/bandwidth_speedup', a100_gb_per_s / v100_gb_per_s, vendor_a100_gb_per_s / vendor_v100_gb_per_s,
            number_text(a100_gb_per_s) || ' / ' || number_text(v100_gb_per_s), NULL),
        ('A100 over V100/theoretical_speedup_low', theoretical_speedup(a100_gb_per_s, v100_gb_per_s, shared_low, registers_low),
            theoretical_speedup(vendor_a100_gb_per_s, vendor_v100_gb_per_s, shared_low, registers_low),
            number_text(a100_gb_per_s) || ' / ' || number_text(v100_gb_per_s) || ' * '
                || number_text(1 + shared_low) || ' * ' || number_text(1 + registers_low), NULL),
        ('A100 over V100/theoretical_speedup_high', theoretical_speedup(a100_gb_per_s, v100_gb_per_s, shared_high, registers_high),
            theoretical_speedup(vendor_a100_gb_per_s, vendor_v100_gb_per_s, shared_high, registers_high),
            number_text(a100_gb_per_s) || ' / ' || number_text(v100_gb_per_s) || ' * '
                || number_text(1 + shared_high) || ' * ' || number_text(1 + registers_high), NULL),
        ('CNN, 8x A100 over 8x V100/multi_gpu_advantage_percent', 100 * (scaling_a100 / scaling_v100 - 1), NULL,
            '100 * (' || number_text(scaling_a100) || ' / ' || number_text(scaling_v100) || ' - 1)',
            'the tables give 100 * (' || number_text(cnn_a100) || ' / ' || number_text(cnn_v100) || ' - 1) = '
                || number_text(100 * (cnn_a100 / cnn_v100 - 1)) || ' for SE-ResNeXt101'),
        ('Transformer, 8x A100 over 8x V100/multi_gpu_advantage_percent', 100 * (transformer_a100 / transformer_v100 - 1), NULL,
            '100 * (' || number_text(transformer_a100) || ' / ' || number_text(transformer_v100) || ' - 1)',
            'from the Transformer in NVIDIA''s tables of the time; the guide does not say which rows it used'),
        ('CNN, A100/scaling_1_to_8', cnn_a100, NULL, 'SE-ResNeXt101: ' || cnn_a100_text,
            'the Transformer of the same tables gives ' || number_text(transformer_a100)),
        ('CNN, V100/scaling_1_to_8', cnn_v100, NULL, 'SE-ResNeXt101: ' || cnn_v100_text,
            'not what the tables give for a CNN; the Transformer on the 16 GB V100 gives ' || number_text(transformer_v100)),
        ('computer vision, A100 over V100/corrected_speedup', (se_resnext_speedup + mask_rcnn_speedup) / 2, NULL,
            '(' || se_resnext_speedup || ' + ' || mask_rcnn_speedup || ') / 2', 'from the printed figures of the two networks'),
        ('NLP, A100 over V100/corrected_speedup', transformer_speedup, NULL, transformer_speedup || ', the only Transformer',
            'from the printed figure of the one network'),
        ('RTX 3090 over RTX 2080 Ti, CNN/speedup', ampere_speed.cnn, NULL,
            'geometric mean over measured CNN: ' || ampere_speed.cnn_text || ' = ' || number_text(ampere_speed.cnn),
            CASE WHEN ampere_speed.cnn IS NULL THEN 'no run of both GPUs at hand' ELSE 'each GPU at its own batch, so that its memory counts too' END
                || '; their bandwidths differ by ' || number_text(vendor_rtx_3090_gb_per_s / vendor_rtx_2080_ti_gb_per_s) || interpolated.cnn),
        ('RTX 3090 over RTX 2080 Ti, Transformer/speedup', ampere_speed.transformer, NULL,
            'geometric mean over measured Transformers: ' || ampere_speed.transformer_text || ' = ' || number_text(ampere_speed.transformer),
            CASE WHEN ampere_speed.transformer IS NULL THEN 'no run of both GPUs at hand' ELSE 'each GPU at its own batch, so that its memory counts too' END
                || '; their bandwidths differ by ' || number_text(vendor_rtx_3090_gb_per_s / vendor_rtx_2080_ti_gb_per_s) || interpolated.transformer),
        ('RTX 3090 over RTX 2080 Ti/price_increase_percent', 100 * (vendor_rtx_3090_usd / vendor_rtx_2080_ti_usd - 1),
            100 * (vendor_rtx_3090_usd / vendor_rtx_2080_ti_usd - 1),
            '100 * (' || number_text(vendor_rtx_3090_usd) || ' / ' || number_text(vendor_rtx_2080_ti_usd) || ' - 1), launch prices',
            'the guide names no prices; 15% fits an RTX 2080 Ti at ' || number_text(round(vendor_rtx_3090_usd / 1.15))
                || ' USD, above its launch price'),
        ('Ampere, 2 of 4 weights kept/sparse_matmul_speedup', 4 / 2, NULL, '4 / 2', NULL),
        ('RTX 3070 below RTX 3080/price_saving_usd', vendor_rtx_3080_usd - vendor_rtx_3070_usd, vendor_rtx_3080_usd - vendor_rtx_3070_usd,
            number_text(vendor_rtx_3080_usd) || ' - ' || number_text(vendor_rtx_3070_usd), NULL),
        ('desktop at 15% utilisation/energy_kwh_per_year', year.kwh, electricity_kwh_per_year(vendor_rtx_3090_w + processor_w, utilisation),
            '(' || number_text(rtx_3090_w) || ' + ' || number_text(processor_w) || ') / 1000 * ' || number_text(utilisation) || ' * 24 * 365', NULL),
        ('desktop at 15% utilisation/electricity_usd_per_year', year.usd, NULL, number_text(year.kwh) || ' * ' || number_text(usd_per_kwh), NULL),
        ('desktop against AWS V100 spot at 15% utilisation/break_even_days',
            break_even_days(desktop_usd, cloud_usd_per_hour, utilisation, rtx_3090_w + processor_w, usd_per_kwh),
            break_even_days(desktop_usd, cloud_usd_per_hour, utilisation, vendor_rtx_3090_w + processor_w, usd_per_kwh),
            number_text(desktop_usd) || ' / (24 * ' || number_text(utilisation) || ' * (' || number_text(cloud_usd_per_hour) || ' - '
                || number_text((rtx_3090_w + processor_w) / 1000) || ' * ' || number_text(usd_per_kwh) || '))',
            'within the tolerance of `about`; the guide adds the electricity of a whole year, not of the days until break-even'),
        ('AWS V100 spot, 300 days at 15% utilisation/cloud_cost_usd', cloud_usd_per_hour * utilisation * 24 * break_even_days, NULL,
            number_text(cloud_usd_per_hour) || ' * ' || number_text(utilisation) || ' * 24 * ' || number_text(break_even_days), NULL),
        ('desktop at break-even/desktop_cost_usd', desktop_usd + year.usd, NULL, number_text(desktop_usd) || ' + ' || number_text(year.usd),
            'the guide rounds down; it counts a whole year of electricity, where '
                || number_text(break_even_days) || ' days would cost ' || number_text(year.usd * break_even_days / 365) || ' USD'),
        ('4x RTX 3090/gpu_power_w', 4 * rtx_3090_w, 4 * vendor_rtx_3090_w, '4 * ' || number_text(rtx_3090_w), NULL),
        ('4x RTX 3090 on a 1600 W supply/power_left_w', psu_4x_rtx_3080_w - 4 * rtx_3090_w, psu_4x_rtx_3080_w - 4 * vendor_rtx_3090_w,
            number_text(psu_4x_rtx_3080_w) || ' - 4 * ' || number_text(rtx_3090_w), NULL),
        ('4x RTX 3080/psu_sufficient_w', ceil(psu_guide_w(4, rtx_3080_w) / 100) * 100, ceil(psu_guide_w(4, vendor_rtx_3080_w) / 100) * 100,
            '4 * ' || number_text(rtx_3080_w) || ' + 300 = ' || number_text(psu_guide_w(4, rtx_3080_w)) || ', up to the next 100 W',
            'the 300 W are what the guide leaves 4x RTX 3090; with a margin for load steps it is ' || number_text(psu_w(4, rtx_3080_w)) || ' W'),
        ('RTX 3090 machines of a laboratory/budget_share_low_percent', 100 - share_high, NULL, '100 - ' || share_high, NULL),
        ('RTX 3090 machines of a laboratory/budget_share_high_percent', 100 - share_low, NULL, '100 - ' || share_low,
            'the shares of 66% and 33% are thirds cut off: they add up to 99%'),
        ('CNN/gain_per_batch_doubling_percent', doubling.cnn, NULL, 'median over workloads = ' || number_text(doubling.cnn),
            coalesce(doubling.cnn_text, 'needs runs of one GPU at two batches; none at hand')),
        ('Transformer/gain_per_batch_doubling_percent', doubling.transformer, NULL,
            'median over workloads = ' || number_text(doubling.transformer),
            coalesce(doubling.transformer_text, 'needs runs of one GPU at two batches; none at hand'))
    ) AS t(name, recomputed, from_vendor, formula, note)
),
-- both corrections put on the ratio of one GPU, as a wrong turn that the guide may have taken
misapplied AS (
    SELECT workload, ratio / (1 + IF(family = 'cnn', cnn_batch_gain, transformer_batch_gain))
        / (1 + IF(family = 'cnn', cnn_network_gain, transformer_network_gain)) AS ratio
    FROM _dettmers_speedup, i
    WHERE gpu_count = 1 AND batch_a100 = batch_v100
),
-- the pair of systems of 8 GPUs whose corrected ratio comes nearest to the figure
corrected AS (
    SELECT
        p.name,
        arg_min(s.corrected, abs(s.corrected - p.value)) AS recomputed,
        arg_min(
            number_text(a100_per_s) || ' / ' || number_text(v100_per_s) || ', batch ' || batch_a100 || ' and ' || batch_v100
                || ', over ' || pair || ' (' || software || ')',
            abs(s.corrected - p.value)
        ) || ', corrected by the guide''s gains' AS formula,
        'not what the tables of the time give: ' || string_agg(number_text(s.corrected), ', ' ORDER BY s.corrected)
            || ' for the pairs of systems at 8 GPUs, and without correction ' || string_agg(number_text(s.ratio), ', ' ORDER BY s.corrected)
            || coalesce((
                SELECT '; one GPU at equal batch with both corrections, which do not apply to it, would give ' || max(number_text(m.ratio))
                FROM misapplied AS m
                WHERE starts_with(p.name, m.workload) AND abs(m.ratio - p.value) < 0.01 * p.value
            ), '') AS why
    FROM published AS p
    JOIN _dettmers_speedup AS s ON s.gpu_count = 8 AND p.name = s.workload || ', A100 over V100/corrected_speedup'
    GROUP BY p.name, p.value
),
shared AS (
    SELECT
        architecture || '/shared_memory_per_sm_kb' AS name,
        max(shared_memory_per_sm_kb) AS recomputed,
        'greatest of ' || array_to_string(list_sort(list(DISTINCT shared_memory_per_sm_kb::INTEGER)), ', ') AS formula,
        CASE WHEN count(DISTINCT shared_memory_per_sm_kb) > 1
            THEN 'not of every GPU: data-center and other GPUs of this architecture differ' END AS note
    FROM gpu
    WHERE shared_memory_per_sm_kb IS NOT NULL AND vendor = 'NVIDIA'
    GROUP BY architecture
),
computed AS (
    FROM arithmetic
    UNION ALL BY NAME
    SELECT name, recomputed, formula, CASE WHEN round_half_up(recomputed, decimals) <> value THEN why END AS note
    FROM corrected
    JOIN published USING (name)
    UNION ALL BY NAME SELECT name, recomputed, recomputed AS from_vendor, formula, note FROM shared
)
SELECT
    p.figure_id,
    c.recomputed::DOUBLE AS recomputed,
    c.from_vendor::DOUBLE AS from_vendor,
    c.formula,
    coalesce(c.note, CASE
        WHEN c.recomputed IS NOT NULL THEN NULL
        WHEN quantity LIKE 'latency%' THEN 'needs a microbenchmark of the GPU'
        WHEN quantity LIKE '%forecast%' THEN 'a forecast: its outcome is in table forecast'
        WHEN quantity IN ('used_price_usd', 'usd_per_gpu_hour', 'usd_per_kwh', 'price_usd', 'cost_usd') THEN 'needs a listing of that time'
        WHEN quantity LIKE 'utilisation%' THEN 'needs usage records of such machines'
        WHEN quantity LIKE 'min_memory%' THEN 'needs the peak memory of such models; an opinion of its time'
        WHEN quantity LIKE '%degc' THEN 'needs temperatures measured in such a machine'
        WHEN quantity LIKE '%from_gpus' OR quantity LIKE 'budget_share%' THEN 'advice, not a measurement'
        WHEN quantity LIKE 'network%' OR quantity LIKE 'loss%' OR quantity LIKE 'gain%' THEN 'needs runs over such a link'
        WHEN quantity LIKE '%gain%' OR quantity LIKE 'tensor_core_utilisation%' THEN 'needs a profile of such a run'
        WHEN quantity = 'psu_more_than_w' THEN 'sets the allowance of the guide''s rule: 1700 - 4 * 350 = 300 W'
        ELSE 'an assumption of the guide; nothing to recompute it from'
    END) AS note
FROM published AS p
LEFT JOIN computed AS c USING (name)
