-- title: Recomputation of the professional-versus-consumer guide's figures
-- description: One row per figure of the guide that is no specification of a GPU, from the guide's own inputs and the notebooks behind it.
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
    WHERE source_id = 'pro-vs-consumer-2023' AND role <> 'spec'
),
i AS (SELECT * EXCLUDE (guide) FROM _pro_vs_consumer_input),
-- seconds of the second epoch on each machine, where a notebook shows it
epoch AS (SELECT machine, model, second_epoch_seconds AS seconds, batch_total, peak_gpu_memory_gb FROM guide_epoch),
split AS (
    SELECT sum(value::INTEGER) AS images
    FROM guide_protocol
    WHERE source_id = 'pro-vs-consumer-2023' AND setting IN ('training images', 'validation images')
),
ada AS (SELECT value AS ada_over_rtx_4090, n AS ada_workloads FROM rule_of_thumb WHERE rule_id = 'ada_workstation_ahead'),
t4 AS (SELECT max(seconds) AS seconds FROM epoch WHERE machine = 'Tesla T4' AND model = 'EfficientNet B7'),
arithmetic AS (
    SELECT t.*
    FROM i, split, ada, t4, LATERAL (VALUES
        ('RTX 6000 Ada/max_gpus_in_4_double_slots', max_gpus_in_slots(double_slots, ada_slots), max_gpus_in_slots(double_slots, vendor_ada_slots),
            'floor(' || number_text(double_slots) || ' / ceil(' || number_text(ada_slots) || ' / 2))', NULL),
        ('RTX 4090/max_gpus_in_4_double_slots', max_gpus_in_slots(double_slots, rtx_4090_slots),
            max_gpus_in_slots(double_slots, vendor_rtx_4090_slots),
            'floor(' || number_text(double_slots) || ' / ceil(' || number_text(rtx_4090_slots) || ' / 2))', NULL),
        ('RTX 6000 Ada over RTX 4090/speed_advantage_percent', 100 * (ada_over_rtx_4090 - 1),
            100 * (vendor_ada_fp32 / vendor_rtx_4090_fp32 - 1),
            '100 * (' || number_text(ada_over_rtx_4090) || ' - 1), measured',
            'geometric mean of ' || ada_workloads || ' workloads; the guide ran no RTX 4090. Its figure is the ratio of the FP32 rates, '
                || number_text(vendor_ada_fp32) || ' / ' || number_text(vendor_rtx_4090_fp32) || ', while the RTX 4090 has '
                || number_text(round(vendor_rtx_4090_gb_per_s / vendor_ada_gb_per_s, 2)) || ' times the bandwidth'),
        ('RTX 4090 over RTX 6000 Ada/power_increase_percent', 100 * (rtx_4090_w / ada_w - 1), 100 * (vendor_rtx_4090_w / vendor_ada_w - 1),
            '100 * (' || number_text(rtx_4090_w) || ' / ' || number_text(ada_w) || ' - 1)', NULL),
        ('RTX 4090 over RTX 6000 Ada/memory_ratio', rtx_4090_gb / ada_gb, vendor_rtx_4090_gb / vendor_ada_gb,
            number_text(rtx_4090_gb) || ' / ' || number_text(ada_gb), NULL),
        ('4x RTX 6000 Ada/system_memory_gb', 4 * ada_gb, 4 * vendor_ada_gb, '4 * ' || number_text(ada_gb), NULL),
        ('4x RTX 4090/system_memory_gb', 4 * rtx_4090_gb, 4 * vendor_rtx_4090_gb, '4 * ' || number_text(rtx_4090_gb), NULL),
        ('2x RTX 6000 Ada/system_memory_gb', 2 * ada_gb, 2 * vendor_ada_gb, '2 * ' || number_text(ada_gb), NULL),
        ('4x RTX 6000 Ada/gpu_power_w', 4 * ada_w, 4 * vendor_ada_w, '4 * ' || number_text(ada_w), NULL),
        ('4x RTX 4090/gpu_power_w', 4 * rtx_4090_w, 4 * vendor_rtx_4090_w, '4 * ' || number_text(rtx_4090_w), NULL),
        ('192 GB of RTX 4090/systems', ceil(4 * ada_gb / (4 * rtx_4090_gb)), ceil(4 * vendor_ada_gb / (4 * vendor_rtx_4090_gb)),
            '4 * ' || number_text(ada_gb) || ' / (4 * ' || number_text(rtx_4090_gb) || ')',
            'with four GPUs in each; with the two that fit it takes '
                || number_text(ceil(4 * ada_gb / (max_gpus_in_slots(double_slots, rtx_4090_slots) * rtx_4090_gb)))),
        ('192 GB of RTX 4090, each system/power_ratio', (4 * rtx_4090_w) / (4 * ada_w), (4 * vendor_rtx_4090_w) / (4 * vendor_ada_w),
            '(4 * ' || number_text(rtx_4090_w) || ') / (4 * ' || number_text(ada_w) || ')',
            'said of each system, but three times is what both draw together: '
                || number_text(2 * 4 * rtx_4090_w) || ' / ' || number_text(4 * ada_w)),
        ('EfficientNet B7, 2x RTX 6000 Ada over GTX 1070/speedup', gtx_1070_minutes / (60 * ada_hours / epochs), NULL,
            number_text(gtx_1070_minutes) || ' / (60 * ' || number_text(ada_hours) || ' / ' || number_text(epochs) || ') minutes',
            'the guide''s own times give more; the Tesla T4''s epoch of ' || number_text(t4.seconds) || ' s is 11 times '
                || number_text(round(t4.seconds / 11, 1)) || ' s, so the figure may be the T4''s'),
        ('400 epochs of EfficientNet B7, GTX 1070/training_days', epochs * gtx_1070_minutes / 60 / 24, NULL,
            number_text(epochs) || ' * ' || number_text(gtx_1070_minutes) || ' / 60 / 24', NULL),
        ('400 epochs of EfficientNet B7, 2x RTX 6000 Ada/training_hours', epochs * ada_minutes / 60, NULL,
            number_text(epochs) || ' * ' || number_text(ada_minutes) || ' / 60',
            'the least for epochs of more than a minute; '
                || number_text(ada_hours) || ' h are epochs of ' || number_text(ada_hours * 3600 / epochs) || ' s'),
        ('workstation/host_memory_gb', modules * module_gb, NULL, number_text(modules) || ' * ' || number_text(module_gb),
            'the caption of a picture has ' || number_text(modules_each_side) || ' modules on either side, '
                || number_text(2 * modules_each_side * module_gb) || ' GB'),
        ('rock-paper-scissors, balanced/images', 3 * images_per_class, NULL, '3 * ' || number_text(images_per_class),
            'the notebooks show ' || images || ' for training and validation together')
    ) AS t(name, recomputed, from_vendor, formula, note)
),
-- speedups of two RTX 6000 Ada as the epochs have them, and what the notebooks show beside the text
timed AS (
    SELECT p.name, s.seconds / a.seconds AS recomputed,
        number_text(s.seconds) || ' / ' || number_text(a.seconds) || ' s' AS formula,
        CASE WHEN recomputed IS NULL THEN 'needs the second epochs of both machines, which are in a picture; known here: '
            || coalesce(s.machine || ' ' || number_text(s.seconds) || ' s', 'neither') END AS note
    FROM published AS p
    JOIN epoch AS a ON a.machine = '2x RTX 6000 Ada' AND starts_with(p.name, a.model || ',')
    JOIN epoch AS s ON s.model = a.model AND ends_with(p.subject, ' over ' || s.machine)
    WHERE p.quantity = 'speedup' AND NOT starts_with(p.name, 'EfficientNet B7')
),
notebook AS (
    SELECT
        p.name,
        CASE p.quantity WHEN 'max_batch_items' THEN e.batch_total ELSE e.peak_gpu_memory_gb END AS recomputed,
        number_text(recomputed) || ', in the notebook behind the guide' AS formula
    FROM published AS p
    JOIN epoch AS e ON p.subject = e.model || ', ' || e.machine
    WHERE p.quantity IN ('max_batch_items', 'peak_gpu_memory_gb')
),
computed AS (
    FROM arithmetic UNION ALL BY NAME FROM timed UNION ALL BY NAME FROM notebook
)
SELECT
    p.figure_id,
    c.recomputed::DOUBLE AS recomputed,
    c.from_vendor::DOUBLE AS from_vendor,
    c.formula,
    coalesce(c.note, CASE
        WHEN c.recomputed IS NOT NULL THEN NULL
        WHEN quantity LIKE 'epoch_minutes%' THEN 'needs the second epoch, which is in a picture'
        WHEN quantity = 'epochs_to_converge' THEN 'an assumption of the guide'
        WHEN quantity = 'training_time_ratio' THEN 'cited from another paper; needs runs of both networks'
        WHEN quantity = 'cost_usd' THEN 'an estimate; needs an offer for the machine'
        ELSE 'given; nothing to recompute it from'
    END) AS note
FROM published AS p
LEFT JOIN computed AS c USING (name)
