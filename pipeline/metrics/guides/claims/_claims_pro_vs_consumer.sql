-- title: Statements of the professional-versus-consumer guide, computed
-- description: One row per statement of the guide: the truth of each of its parts, computed from this dataset, and the arithmetic.
-- group: audit
-- column: claim_id | | Statement
-- column: parts | | Truth of each part; empty where something is missing
-- column: arithmetic | | The numbers behind it, or what is missing
-- unique: claim_id
WITH
i AS (SELECT * EXCLUDE (guide) FROM _pro_vs_consumer_input),
stated AS (
    SELECT t.*
    FROM i, LATERAL (VALUES
        ('c05', [
            ceil(4 * vendor_ada_gb / (4 * vendor_rtx_4090_gb)) = 2,
            ceil(4 * vendor_ada_gb / (max_gpus_in_slots(double_slots, vendor_rtx_4090_slots) * vendor_rtx_4090_gb)) = 2,
            4 * vendor_rtx_4090_w / (4 * vendor_ada_w) >= 3
        ],
            'two systems with four GPUs each, '
                || number_text(ceil(4 * vendor_ada_gb / (max_gpus_in_slots(double_slots, vendor_rtx_4090_slots) * vendor_rtx_4090_gb)))
                || ' with the ' || number_text(max_gpus_in_slots(double_slots, vendor_rtx_4090_slots)) || ' that fit; each system of four draws '
                || number_text(4 * vendor_rtx_4090_w / (4 * vendor_ada_w)) || ' times as much, both together '
                || number_text(2 * 4 * vendor_rtx_4090_w / (4 * vendor_ada_w))),
        ('c07', [modules * module_gb = host_gb, 2 * modules_each_side * module_gb = host_gb],
            number_text(modules) || ' * ' || number_text(module_gb) || ' = ' || number_text(modules * module_gb) || ' GB; with '
                || number_text(modules_each_side) || ' above and ' || number_text(modules_each_side) || ' below it would be '
                || number_text(2 * modules_each_side * module_gb) || ' GB')
    ) AS t(claim_id, parts, arithmetic)
),
-- Memory grows at most in proportion to the batch. A run had room left if one more image, so counted, stays within what the same GPU
-- is known to have used; a share of the GPU's memory would decide nothing, as driver and framework keep a part of it.
filled AS (
    SELECT
        e.machine || ' ' || e.model AS run,
        e.peak_gpu_memory_gb AS peak,
        e.batch_total AS batch,
        g.memory_gb,
        max(e.peak_gpu_memory_gb) OVER (PARTITION BY e.machine) AS reached,
        peak * (batch + 1) / batch AS next,
        CASE WHEN next <= reached THEN false END AS as_near
    FROM guide_epoch AS e
    JOIN guide_machine AS m USING (source_id, machine)
    JOIN gpu AS g USING (gpu_id)
    WHERE e.source_id = 'pro-vs-consumer-2023'
),
limit_claim AS (
    SELECT
        'c06' AS claim_id,
        list(as_near ORDER BY run) AS parts,
        'peak of the memory, where a notebook shows it: ' || string_agg(
            run || ' ' || number_text(peak) || ' of ' || number_text(memory_gb) || ' GB (' || number_text(round(100 * peak / memory_gb)) || '%)'
                || coalesce(' at batch ' || batch || ', with one more image at most ' || number_text(round_half_up(next, 2))
                    || ', where the GPU is known to have used ' || number_text(reached), ', batch not shown'),
            '; ' ORDER BY run
        ) FILTER (peak IS NOT NULL) || '; runs in which a larger batch is shown to fit: ' || count(*) FILTER (NOT as_near) || '; peak not known: '
            || string_agg(run, ', ' ORDER BY run) FILTER (peak IS NULL) AS arithmetic
    FROM filled
),
-- GPUs of the current generations when the guide appeared, each professional one beside the consumer GPU nearest in FP32 rate
current AS (
    SELECT *
    FROM gpu
    WHERE vendor = 'NVIDIA' AND architecture IN ('Ampere', 'Ada Lovelace') AND release_date <= DATE '2023-04-19'
),
twin AS (
    SELECT p.name, any_value(p.memory_gb) AS memory_gb, arg_min(g.name, abs(ln(g.fp32_tflops / p.fp32_tflops))) AS twin,
        arg_min(g.memory_gb, abs(ln(g.fp32_tflops / p.fp32_tflops))) AS twin_gb
    FROM current AS p
    JOIN current AS g USING (architecture)
    WHERE p.segment = 'workstation' AND g.segment = 'consumer'
    GROUP BY p.name
),
memory_claim AS (
    SELECT
        'c10' AS claim_id,
        list(abs(memory_gb / twin_gb - 2) <= 0.2 ORDER BY name) AS parts,
        string_agg(name || ' / ' || twin || ' = ' || number_text(memory_gb) || ' / ' || number_text(twin_gb) || ' = ' || number_text(memory_gb / twin_gb),
            '; ' ORDER BY name) || '; each beside the consumer GPU of its architecture that is nearest in FP32 rate' AS arithmetic
    FROM twin
),
consumer AS (
    SELECT
        count(*) FILTER (memory_gb = 24) AS n_24, count(*) FILTER (memory_gb = 16) AS n_16, count(*) AS n,
        bool_and(name LIKE '%RTX 4090%') FILTER (memory_gb = 24) AS is_4090,
        string_agg(name || ' ' || number_text(memory_gb) || ' GB', ', ' ORDER BY memory_gb DESC, name) AS shown
    FROM current
    WHERE architecture = 'Ada Lovelace' AND segment = 'consumer'
),
consumer_claim AS (
    SELECT t.*
    FROM consumer, LATERAL (VALUES
        ('c11', [is_4090], 'consumer GPUs of the generation by 19 April 2023: ' || shown),
        ('c12', [n_16 > n / 2], number_text(n_16) || ' of ' || number_text(n) || ' have 16 GB: ' || shown)
    ) AS t(claim_id, parts, arithmetic)
)
SELECT claim_id, parts::BOOLEAN[] AS parts, arithmetic
FROM (FROM stated UNION ALL BY NAME FROM limit_claim UNION ALL BY NAME FROM memory_claim UNION ALL BY NAME FROM consumer_claim)
