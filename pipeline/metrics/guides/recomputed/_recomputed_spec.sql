-- title: Specifications in the guides against the vendors'
-- description: One row per figure of role spec of any guide: the value of the GPU's column of that name in gpu.
-- description: Where they differ, be it only beyond the vendor's decimals, what the guide's figure looks like: cut off, another column of the GPU, a sparse rate, another GPU.
-- group: audit
-- column: figure_id | | Figure in published_figure
-- column: recomputed | as published | The GPU's value in gpu
-- column: from_vendor | as published | The same
-- column: formula | | Location of the value
-- column: note | | Why the two differ, or why there is no value
-- unique: figure_id
WITH
figure AS (
    SELECT
        f.figure_id,
        f.gpu_id,
        f.raw_gpu_name,
        f.quantity,
        f.value,
        f.decimals,
        v.value AS stated,
        g.gpu_model_id,
        g.name AS gpu_name,
        round_half_up(stated, f.decimals) = f.value OR abs(stated - f.value) <= f.tolerance * f.value AS agrees
    FROM published_figure AS f
    LEFT JOIN gpu AS g ON g.gpu_id = f.gpu_id
    LEFT JOIN _gpu_value AS v ON v.gpu_id = f.gpu_id AND v.attribute = f.quantity
    WHERE f.role = 'spec'
),
wrong AS (SELECT * FROM figure WHERE NOT agrees),
-- another rate of the same GPU that rounds to the printed figure
confused AS (
    SELECT w.figure_id, string_agg(v.attribute, ', ' ORDER BY v.attribute) AS attributes
    FROM wrong AS w
    JOIN _gpu_value AS v ON v.gpu_id = w.gpu_id AND v.attribute <> w.quantity
    WHERE regexp_matches(v.attribute, '_(tflops|tops)$') AND regexp_matches(w.quantity, '_(tflops|tops)$')
        AND round_half_up(v.value, w.decimals) = w.value
    GROUP BY ALL
),
-- the same column of another variant of the model that rounds to the printed figure
sibling AS (
    SELECT w.figure_id, string_agg(g.name, ', ' ORDER BY v.gpu_id) AS gpu_names
    FROM wrong AS w
    JOIN gpu AS g ON g.gpu_model_id = w.gpu_model_id AND g.gpu_id <> w.gpu_id
    JOIN _gpu_value AS v ON v.attribute = w.quantity AND v.gpu_id = g.gpu_id
    WHERE round_half_up(v.value, w.decimals) = w.value
    GROUP BY ALL
),
reason AS (
    SELECT
        w.figure_id,
        concat_ws('; ',
            'printed ' || number_text(w.value) || ', the GPU has ' || number_text(stated),
            CASE WHEN floor(stated * power(10, w.decimals)) / power(10, w.decimals) = w.value
                THEN 'cut off instead of rounded to ' || number_text(round_half_up(stated, w.decimals))
            END,
            'that is the GPU''s ' || c.attributes,
            'that is the ' || quantity || ' of the ' || s.gpu_names,
            CASE WHEN regexp_matches(quantity, 'tensor_tflops$') AND round_half_up(2 * stated, w.decimals) = w.value
                THEN 'twice the rate: with FP16 accumulation or 2:4 sparsity'
            END,
            CASE WHEN quantity = 'fp32_tflops' AND round_half_up(2 * g.cuda_cores * g.boost_clock_mhz / 1e6, w.decimals) = w.value
                THEN '2 * cores * boost clock = 2 * ' || g.cuda_cores || ' * ' || number_text(g.boost_clock_mhz) || ' MHz = '
                    || number_text(2 * g.cuda_cores * g.boost_clock_mhz / 1e6) || ' gives the printed figure'
            END,
            CASE WHEN w.decimals > stated_decimals AND round_half_up(w.value, stated_decimals) = stated
                THEN 'rounded to the decimals of the vendor (' || stated_decimals || ') the two are equal'
            END,
            number_text(round_half_up(100 * abs(w.value / stated - 1), 2)) || '% ' || CASE WHEN w.value > stated THEN 'above' ELSE 'below' END
        ) AS note
    FROM (SELECT *, decimals_of(stated) AS stated_decimals FROM wrong) AS w
    JOIN gpu AS g USING (gpu_id)
    LEFT JOIN confused AS c USING (figure_id)
    LEFT JOIN sibling AS s USING (figure_id)
)
SELECT
    f.figure_id,
    f.stated AS recomputed,
    f.stated AS from_vendor,
    coalesce(f.quantity || ' (' || f.gpu_name || ') = ' || number_text(f.stated), 'no value at hand') AS formula,
    CASE
        WHEN f.gpu_id IS NULL THEN 'the guide''s label means no single GPU'
        WHEN f.stated IS NULL THEN f.quantity || ' of the ' || f.gpu_name || ' is not known'
        ELSE r.note
    END AS note
FROM figure AS f
LEFT JOIN reason AS r USING (figure_id)
