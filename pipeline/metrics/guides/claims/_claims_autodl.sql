-- title: Statements of the AutoDL guide, computed
-- description: One row per statement: the truth of each of its parts from the guide's table, the vendors' figures and measured throughput.
-- group: audit
-- column: claim_id | | Statement in _guide_statement
-- column: parts | | Truth of each part; empty = not known
-- column: arithmetic | | The numbers in words
-- unique: claim_id
WITH
guide_gpu AS (
    SELECT m.*, g.fp32_tflops AS v_fp32, g.fp16_tflops AS v_fp16, g.fp16_tensor_tflops AS v_tensor
    FROM guide_machine AS m
    LEFT JOIN gpu AS g USING (gpu_id)
    WHERE m.source_id = 'autodl-2022'
),
pascal_claim AS (
    SELECT
        'a01' AS claim_id,
        list(round_half_up(v_fp16, 2) = round_half_up(v_fp32, 2) ORDER BY machine) AS parts,
        string_agg(machine || ': FP16 ' || number_text(v_fp16) || ', FP32 ' || number_text(v_fp32) || ' TFLOPS, 1 / '
            || number_text(round_half_up(v_fp32 / v_fp16, 0)), '; ' ORDER BY machine)
            || ' (the guide prints the FP32 rate twice)' AS arithmetic
    FROM guide_gpu
    WHERE generation = 'Pascal'
),
a40_claim AS (
    SELECT
        'a02' AS claim_id,
        [
            abs(a.fp32_tflops / b.fp32_tflops - 1) <= 0.1,
            abs(a.half_precision_tflops / b.half_precision_tflops - 1) <= 0.1
        ] AS parts,
        'FP32 ' || number_text(a.fp32_tflops) || ' / ' || number_text(b.fp32_tflops) || ' = ' || number_text(a.fp32_tflops / b.fp32_tflops)
            || '; half precision ' || number_text(a.half_precision_tflops) || ' / ' || number_text(b.half_precision_tflops) || ' = '
            || number_text(a.half_precision_tflops / b.half_precision_tflops) AS arithmetic
    FROM guide_gpu AS a
    JOIN guide_gpu AS b ON a.machine = 'A40' AND b.machine = '3090'
),
a5000_claim AS (
    SELECT
        'a03' AS claim_id,
        [abs(half_precision_tflops / v_tensor - 1) <= 0.1] AS parts,
        'vendor ' || number_text(v_tensor) || ' TFLOPS dense; ' || number_text(half_precision_tflops) || ' is '
            || number_text(round_half_up(100 * (half_precision_tflops / v_tensor - 1), 1)) || '% from it, where `about` allows 10%' AS arithmetic
    FROM guide_gpu
    WHERE machine = 'A5000'
),
-- measured speed of the A5000 over the RTX 3090, one GPU each, by workload
measured AS (
    SELECT s.suite, s.software, s.workload, s.variant,
        max(s.throughput) FILTER (c.machine = 'A5000') / max(s.throughput) FILTER (c.machine = '3090') AS ratio
    FROM _measured_speed AS s
    JOIN guide_gpu AS c USING (gpu_id)
    WHERE c.machine IN ('A5000', '3090')
    GROUP BY s.source_id, s.suite, s.software, s.workload, s.variant
    HAVING ratio IS NOT NULL
),
speed_claim AS (
    SELECT
        'a08' AS claim_id,
        coalesce(list(abs(m.ratio / (a.half_precision_tflops / b.half_precision_tflops) - 1) <= 0.1 ORDER BY m.suite, m.workload)
            FILTER (m.ratio IS NOT NULL), [NULL]) AS parts,
        number_text(any_value(a.half_precision_tflops)) || ' / ' || number_text(any_value(b.half_precision_tflops)) || ' = '
            || number_text(any_value(a.half_precision_tflops / b.half_precision_tflops)) || '; measured in mixed precision '
            || coalesce(string_agg(m.workload || ' ' || number_text(round_half_up(m.ratio, 2)), ', ' ORDER BY m.suite, m.workload),
                'nowhere at hand') AS arithmetic
    FROM guide_gpu AS a
    JOIN guide_gpu AS b ON a.machine = 'A5000' AND b.machine = '3090'
    LEFT JOIN measured AS m ON true
),
-- the lowest compute capability of a GPU with matrix units that has an INT8 matrix rate
int8 AS (
    SELECT min(compute_capability::DOUBLE) AS lowest FROM gpu WHERE tensor_cores IS NOT NULL AND int8_tensor_tops IS NOT NULL
),
volta AS (
    SELECT max(compute_capability::DOUBLE) AS capability, bool_or(fp16_tensor_tflops > 0) AS fp16, count(int8_tensor_tops) AS with_int8
    FROM gpu
    WHERE architecture = 'Volta'
),
volta_claim AS (
    SELECT
        'a06' AS claim_id,
        [fp16, with_int8 > 0 OR capability >= lowest] AS parts,
        CASE WHEN fp16 THEN 'a' ELSE 'no' END || ' Volta GPU has an FP16 matrix rate; ' || with_int8 || ' have one for INT8, and their compute '
            || 'capability is ' || capability || ', where the lowest of all GPUs with matrix units and an INT8 rate is ' || lowest AS arithmetic
    FROM volta
    CROSS JOIN int8
),
resnet AS (
    SELECT
        max(throughput) FILTER (gpu_count = 8) AS of_8,
        max(throughput) FILTER (gpu_count = 16) AS of_16
    FROM training_throughput
    WHERE gpu_id LIKE 'nvidia-tesla-v100-%' AND workload ILIKE '%resnet50%' AND flag IS NULL
),
resnet_claim AS (
    SELECT
        'a07' AS claim_id,
        -- slower software elsewhere does not disprove a speed that was reached once
        [CASE WHEN of_8 >= value THEN true END, of_16 / of_8 < 2] AS parts,
        'best run at hand on 8 V100: ' || coalesce(number_text(of_8) || ' images/s', 'none') || ', against '
            || number_text(value) || ' stated; a slower run in other software would disprove nothing; on 16: ' || coalesce(number_text(of_16), 'none') AS arithmetic
    FROM published_figure
    CROSS JOIN resnet
    WHERE source_id = 'autodl-2022' AND quantity = 'resnet50_images_per_s'
)
SELECT claim_id, parts, arithmetic
FROM (
    FROM pascal_claim UNION ALL BY NAME FROM a40_claim UNION ALL BY NAME FROM a5000_claim UNION ALL BY NAME FROM speed_claim
    UNION ALL BY NAME FROM volta_claim UNION ALL BY NAME FROM resnet_claim
)
