-- title: Statements of the 2020 guide, computed
-- description: One row per statement of the guide: the truth of each of its parts, computed from this dataset, and the arithmetic.
-- group: audit
-- column: claim_id | | Statement
-- column: parts | | Truth of each part; empty where something is missing
-- column: arithmetic | | The numbers behind it, or what is missing
-- unique: claim_id
WITH
i AS (SELECT * EXCLUDE (guide) FROM _dettmers_input),
-- each figure of the guide with whether it is reproduced; empty where it cannot be recomputed
figure AS (
    SELECT
        subject || '/' || quantity AS name,
        published AS value,
        recomputed,
        agrees,
        published_text || ' printed, ' || coalesce(number_text(round_half_up(recomputed, 2)) || ' recomputed', 'not recomputed') AS shown
    FROM audit
    WHERE source_id = 'dettmers-2020'
),
-- 8 x 8 x 8 products of 4 x 4 matrices make one of 32 x 32, where the guide counts 8 x 8: the tensor cores take several rounds
matmul AS (
    SELECT
        'd01' AS claim_id,
        list(agrees ORDER BY name) AS parts,
        string_agg(name || ': ' || shown, '; ' ORDER BY name)
            || any_value('; ' || rounds || ' rounds of products take ' || global_cycles || ' + ' || shared_cycles || ' + ' || rounds || ' * '
                || tensor_core_cycles || ' = ' || global_cycles + shared_cycles + rounds * tensor_core_cycles || ' cycles, not '
                || global_cycles + shared_cycles + tensor_core_cycles) AS arithmetic
    FROM figure, (
        SELECT i.*, (recomputed / (sm_used * tensor_cores_per_sm))::INTEGER AS rounds
        FROM i, figure
        WHERE name = '32x32 matrix product/tensor_core_products'
    )
    WHERE regexp_matches(name, '^32x32 matrix product/(cycles_with|tensor_core_products|tensor_cores_per)')
),
summary AS (
    SELECT
        'd02' AS claim_id,
        [w.agrees, t.agrees, w.value = 8 * i.ffma_cycles AND t.value = i.tensor_core_cycles] AS parts,
        'without ' || w.shown || ', with ' || t.shown || '; the worked example of the same section counts '
            || 8 * i.ffma_cycles || ' and ' || i.tensor_core_cycles AS arithmetic
    FROM i, figure AS w, figure AS t
    WHERE w.name = '32x32 matrix product/summary_cycles_without_tensor_cores'
        AND t.name = '32x32 matrix product/summary_cycles_with_tensor_cores'
),
-- a measured speed agrees with a predicted one within 10 percent, as in forecast; a price agrees as printed
ampere AS (
    SELECT
        'd03' AS claim_id,
        list(CASE WHEN ends_with(name, '/speedup') THEN abs(recomputed / value - 1) <= 0.1 ELSE agrees END ORDER BY name) AS parts,
        string_agg(name || ': ' || shown, '; ' ORDER BY name)
            || '; a measured speed within 10% of the printed one counts as the same; each GPU runs at its own batch' AS arithmetic
    FROM figure
    WHERE starts_with(name, 'RTX 3090 over RTX 2080 Ti')
),
-- a constant is accepted for its kind of network where it lies in the middle half of the workloads
doubling AS (
    SELECT
        'd18' AS claim_id,
        list(f.value BETWEEN b.gain_p25_percent AND b.gain_p75_percent ORDER BY b.family) AS parts,
        string_agg(
            b.family || ': ' || number_text(f.value) || '% printed; median ' || number_text(round_half_up(b.gain_percent, 1))
                || '%, middle half of ' || b.workloads || ' workloads ' || number_text(round_half_up(b.gain_p25_percent, 1)) || '% to '
                || number_text(round_half_up(b.gain_p75_percent, 1)) || '% (' || b.pairs || ' pairs of runs, batches of '
                || b.smallest_batch || ' to ' || b.largest_batch || ' doubled)',
            '; ' ORDER BY b.family
        ) || '; the gain falls as the batch grows, so that no constant is right everywhere' AS arithmetic
    FROM figure AS f
    JOIN _batch_doubling AS b ON lower(f.name) = b.family || '/gain_per_batch_doubling_percent'
),
-- break-even at the use that the guide states for one person's machine, and beside it at that of its example
year AS (
    SELECT
        'd05' AS claim_id,
        list(days <= 365 ORDER BY percent) FILTER (stated) || [NULL] AS parts,
        string_agg(percent || '%: ' || number_text(days) || ' days', '; ' ORDER BY percent) FILTER (stated) || '; a year has 365; only at the '
            || string_agg(percent || '% of its example it takes ' || number_text(days), '; ') FILTER (NOT stated)
            || '; how much such machines are used needs records of them' AS arithmetic
    FROM (
        SELECT starts_with(f.name, 'personal machine/') AS stated, f.value::INTEGER AS percent,
            break_even_days(desktop_usd, cloud_usd_per_hour, f.value / 100, rtx_3090_w + processor_w, usd_per_kwh) AS days
        FROM figure AS f, i
        WHERE f.name IN ('personal machine/utilisation_low_percent', 'personal machine/utilisation_high_percent',
            'desktop in the break-even example/utilisation_percent')
    )
),
tensor_cores AS (
    SELECT
        'd08' AS claim_id,
        [count(*) FILTER (g.tensor_cores IS NULL) = 0] AS parts,
        count(DISTINCT g.gpu_id) || ' GPUs are recommended; without tensor cores: '
            || coalesce(string_agg(DISTINCT r.raw_gpu_name, ', ' ORDER BY r.raw_gpu_name) FILTER (g.tensor_cores IS NULL), 'none') AS arithmetic
    FROM guide_recommendation AS r
    JOIN gpu AS g USING (gpu_id)
    WHERE r.source_id = 'dettmers-2020' AND r.stance = 'recommended'
),
-- the GPU against the guide's own memory rules: for prototypes, and for work with pretrained Transformers
nlp AS (
    SELECT
        'd09' AS claim_id,
        list(vendor_rtx_3080_memory_gb >= rule.value ORDER BY rule.value) AS parts,
        'the GPU has ' || number_text(any_value(vendor_rtx_3080_memory_gb)) || ' GB; the memory guide asks '
            || string_agg(number_text(rule.value) || ' GB for ' || rule.subject, ' and ' ORDER BY rule.value)
            || ', and most NLP without pretraining starts from a pretrained Transformer' AS arithmetic
    FROM guide_rule AS rule, i
    WHERE rule.source_id = 'dettmers-2020' AND rule.rule_id IN ('memory-prototypes', 'memory-pretrained')
),
shared AS (
    SELECT
        'd10' AS claim_id,
        list(kb = value ORDER BY kb DESC) AS parts,
        string_agg(number_text(kb) || ' KB on ' || gpus || ' Ampere GPUs', '; ' ORDER BY kb DESC) AS arithmetic
    FROM (
        SELECT g.shared_memory_per_sm_kb AS kb, any_value(f.value) AS value, count(*) AS gpus
        FROM gpu AS g
        JOIN figure AS f ON f.name = g.architecture || '/shared_memory_per_sm_kb'
        WHERE g.architecture = 'Ampere' AND g.shared_memory_per_sm_kb IS NOT NULL
        GROUP BY kb
    )
),
superpod AS (
    SELECT
        'd11' AS claim_id,
        [count(DISTINCT value) = 1] AS parts,
        'from ' || string_agg(number_text(value), ' and from ' ORDER BY value) || ' GPUs'
            || CASE WHEN count(DISTINCT value) > 1 THEN ': the guide contradicts itself' ELSE '' END AS arithmetic
    FROM guide_rule
    WHERE source_id = 'dettmers-2020' AND starts_with(rule_id, 'superpod-')
),
-- the draw of the rest of the machine decides both parts, and the guide does not state it
supply AS (
    SELECT
        'd12' AS claim_id,
        [NULL::BOOLEAN, NULL::BOOLEAN] AS parts,
        'the GPUs draw 4 * ' || number_text(vendor_rtx_3080_w) || ' = ' || number_text(4 * vendor_rtx_3080_w) || ' W and 4 * '
            || number_text(vendor_rtx_3090_w) || ' = ' || number_text(4 * vendor_rtx_3090_w) || ' W, so the two supplies leave '
            || number_text(psu_4x_rtx_3080_w - 4 * vendor_rtx_3080_w) || ' W and ' || number_text(psu_4x_rtx_3090_w - 4 * vendor_rtx_3090_w)
            || ' W for the rest, whose draw is not known: the guide finds ' || number_text(psu_4x_rtx_3080_w - 4 * rtx_3090_w)
            || ' W tight and elsewhere counts ' || number_text(processor_w) || ' W for a processor. The 300 W of psu_guide_w follow from these '
            || number_text(psu_4x_rtx_3090_w) || ' W and cannot judge them. With a margin for load steps, an assumption of this project, '
            || 'it takes ' || number_text(psu_w(4, vendor_rtx_3080_w)) || ' and ' || number_text(psu_w(4, vendor_rtx_3090_w)) || ' W' AS arithmetic
    FROM i
),
foretold AS (
    SELECT
        c.claim_id,
        list(CASE f.verdict WHEN 'holds' THEN true WHEN 'fails' THEN false END ORDER BY f.forecast_id) AS parts,
        string_agg(f.arithmetic, '; ' ORDER BY f.forecast_id) AS arithmetic
    FROM (VALUES
        ('d13', 'rtx-3090-successor'), ('d14', 'rtx-3060-price'), ('d15', 'rtx-3080-ti'), ('d15', 'rtx-3090-ti'),
        ('d49', 'amd-tensor-cores'), ('d50', 'amd-rocm'), ('d51', 'rtx-40-series'), ('d52', 'hbm-3-years'), ('d53', 'hbm-5-7-years'),
        ('d54', 'amd-plan-2020')
    ) AS c(claim_id, forecast_id)
    JOIN forecast AS f USING (forecast_id)
    GROUP BY c.claim_id
),
-- the sentence compares GPUs in a section on processors: on that day there was no Intel GPU to compare with
intel AS (
    SELECT
        'd47' AS claim_id,
        [count(*) FILTER (release_date <= DATE '2020-10-09') > 0] AS parts,
        'Intel GPUs in this dataset by 9 October 2020: ' || count(*) FILTER (release_date <= DATE '2020-10-09') || ', the first came on '
            || min(release_date) || '; the section is about CPUs, so that GPU is a slip for CPU' AS arithmetic
    FROM gpu
    WHERE vendor = 'Intel'
),
contradicted AS (
    SELECT
        'd48' AS claim_id,
        [count(*) = 0] AS parts,
        coalesce(string_agg(raw_gpu_name || ' is recommended (' || recommended_for || ') although the guide avoids ' || avoided_as, '; ' ORDER BY raw_gpu_name),
            'no Tesla GPU is recommended') AS arithmetic
    FROM guide_contradiction
    WHERE source_id = 'dettmers-2020' AND contains(avoided_as, 'any Tesla')
)
SELECT claim_id, parts::BOOLEAN[] AS parts, arithmetic
FROM (
    FROM matmul UNION ALL BY NAME FROM summary UNION ALL BY NAME FROM ampere UNION ALL BY NAME FROM doubling UNION ALL BY NAME FROM year
    UNION ALL BY NAME FROM tensor_cores UNION ALL BY NAME FROM nlp UNION ALL BY NAME FROM shared UNION ALL BY NAME FROM superpod
    UNION ALL BY NAME FROM supply UNION ALL BY NAME FROM foretold
    UNION ALL BY NAME FROM intel UNION ALL BY NAME FROM contradicted
)
