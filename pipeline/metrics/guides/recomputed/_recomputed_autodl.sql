-- title: Recomputation of AutoDL's figures
-- description: One row per figure of the guide that is no specification of a GPU, from its own table, the GPUs' CUDA versions, or measured throughput.
-- group: audit
-- column: figure_id | | Figure in published_figure
-- column: recomputed | as published | Figure recomputed, unrounded; empty where nothing at hand decides it
-- column: from_vendor | as published | The same from gpu
-- column: formula | | The arithmetic with the numbers put in
-- column: note | | Why it disagrees, or cannot be recomputed
-- unique: figure_id
WITH
published AS (SELECT * FROM published_figure WHERE source_id = 'autodl-2022' AND role <> 'spec'),
cuda_row AS (
    SELECT
        figure_id,
        split_part(g.min_cuda_version, '.', 1)::DOUBLE AS recomputed,
        recomputed AS from_vendor,
        'first CUDA version for compute capability ' || g.compute_capability || ' is ' || g.min_cuda_version AS formula,
        CASE
            WHEN g.min_cuda_version IS NULL THEN 'the first CUDA version of the GPU is not known'
            WHEN recomputed <> p.value THEN 'the GPU works from CUDA ' || g.min_cuda_version || ' on'
        END AS note
    FROM published AS p
    LEFT JOIN gpu AS g USING (gpu_id)
    WHERE p.quantity = 'min_cuda_major'
),
pair_row AS (
    SELECT
        figure_id,
        a.fp32_tflops / b.fp32_tflops AS recomputed,
        ga.fp32_tflops / gb.fp32_tflops AS from_vendor,
        number_text(a.fp32_tflops) || ' / ' || number_text(b.fp32_tflops) || ' = ' || number_text(recomputed) AS formula,
        'at half precision the guide''s own figures differ by ' || number_text(a.half_precision_tflops / b.half_precision_tflops)
            || ': ' || number_text(a.half_precision_tflops) || ' against ' || number_text(b.half_precision_tflops) AS note
    FROM published AS p
    JOIN guide_machine AS a ON a.source_id = p.source_id AND a.machine = split_part(p.subject, ' over ', 1)
    JOIN guide_machine AS b ON b.source_id = p.source_id AND b.machine = split_part(p.subject, ' over ', 2)
    LEFT JOIN gpu AS ga ON ga.gpu_id = a.gpu_id
    LEFT JOIN gpu AS gb ON gb.gpu_id = b.gpu_id
    WHERE p.quantity = 'fp32_ratio'
),
resnet AS (
    SELECT
        max(throughput) FILTER (gpu_count = 8) AS of_8,
        max(throughput) FILTER (gpu_count = 16) AS of_16
    FROM training_throughput
    WHERE gpu_id LIKE 'nvidia-tesla-v100-%' AND workload ILIKE '%resnet50%' AND flag IS NULL
),
resnet_row AS (
    SELECT
        figure_id,
        CASE quantity WHEN 'resnet50_scaling_at_most' THEN of_16 / of_8 END AS recomputed,
        'best measured here: ' || coalesce(number_text(of_8) || ' images/s', 'none') || ' on 8 V100, '
            || coalesce(number_text(of_16) || ' images/s', 'none') || ' on 16' AS formula,
        CASE quantity
            WHEN 'resnet50_images_per_s' THEN 'the guide names no batch, precision or software, so no run here stands for its figure'
            ELSE CASE WHEN of_16 / of_8 IS NULL THEN 'no run on 16 GPUs at hand' END
        END AS note
    FROM published
    CROSS JOIN resnet
    WHERE quantity IN ('resnet50_images_per_s', 'resnet50_scaling_at_most')
),
gain_row AS (
    SELECT
        figure_id,
        r.value AS recomputed,
        'median of ' || r.n || ' pairs of runs on one GPU = ' || number_text(r.value) AS formula,
        '95% interval ' || number_text(round(r.ci_low, 2)) || ' to ' || number_text(round(r.ci_high, 2)) AS note
    FROM published
    JOIN rule_of_thumb AS r ON r.rule_id = 'mixed_precision_twice'
    WHERE published.quantity = 'mixed_precision_gain_at_least'
)
SELECT figure_id, recomputed, from_vendor, formula, note
FROM (FROM cuda_row UNION ALL BY NAME FROM pair_row UNION ALL BY NAME FROM resnet_row UNION ALL BY NAME FROM gain_row)
