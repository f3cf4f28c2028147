-- title: Specification values and their sources
-- description: One row per GPU, attribute and source statement, for every value that gpu carries. Exactly one row per GPU and
-- description: attribute is chosen, and it equals gpu. Chosen is the best ranked independent outside source whose value, times
-- description: its factor, equals gpu's exactly; the rank is NVIDIA's pages, device readings, Wikipedia, Epoch AI, stas00,
-- description: Lightning, press and shops, then any other. Where there is none, the chosen row is our own (gpuledger-compiled),
-- description: and `agrees` says whether any independent outside source lies within 2 percent of it: yes, no, or empty where
-- description: none states one. Products of units and clock (gpuledger-arithmetic) are shown, but confirm nothing.
-- group: specs
-- column: gpu_id | | GPU
-- column: attribute | | Column of gpu
-- column: value | see unit | Value in this dataset's convention, where the attribute is a number
-- column: value_text | | Value, where the attribute is a text, a version, a day or yes/no
-- column: unit | | Unit of value; empty where it has none
-- column: source_id | | Who states it
-- column: snapshot_id | | Stored file with the statement
-- column: locator | | Place of the statement in that file
-- column: value_as_stated | see unit | Value as the source prints it, before sparse or FP16-accumulate figures are brought to dense, FP32-accumulate ones
-- column: citation | | Row, key or page within the source; empty for our own rows
-- column: chosen | | Whether gpu carries this row's value
-- column: agrees | | Whether the row lies within 2 percent of gpu (versions: is the same); for our own rows whether an independent outside source does; empty = none states a value
-- column: rule | | exact, stated = outside source that equals gpu, or does not; arithmetic = a check; within_2_percent, unconfirmed, contradicted = our own value and what outside sources say of it
-- column: note | | What the source's figure means, why it was passed over, or why the chosen value deserves doubt
-- unique: gpu_id, attribute, source_id, locator
-- check: (value IS NULL) <> (value_text IS NULL)
-- check: rule IN ('exact', 'stated', 'arithmetic', 'within_2_percent', 'unconfirmed', 'contradicted')
-- check: chosen = (source_id = 'gpuledger-compiled') OR (chosen AND rule = 'exact')
-- check: rule <> 'exact' OR agrees
-- check: rule NOT IN ('within_2_percent', 'unconfirmed', 'contradicted') OR (chosen AND source_id = 'gpuledger-compiled')
-- check: (rule = 'unconfirmed') <= (agrees IS NULL)
-- check: snapshot_id IS NOT NULL
WITH
numbers AS (
    SELECT gpu_id, attribute, value
    FROM (
        SELECT gpu_id, COLUMNS(* EXCLUDE (
            gpu_id, gpu_model_id, name, vendor, architecture, segment, form_factor, release_date, memory_type,
            compute_capability, min_cuda_version, sparsity_2_4
        ))::DOUBLE
        FROM gpu
    )
    UNPIVOT (value FOR attribute IN (COLUMNS(* EXCLUDE (gpu_id))))
),
texts AS (
    SELECT gpu_id, attribute, value_text
    FROM (
        SELECT gpu_id, architecture, segment, form_factor, memory_type, compute_capability, min_cuda_version,
            release_date::VARCHAR AS release_date,
            CASE WHEN sparsity_2_4 THEN 'yes' WHEN NOT sparsity_2_4 THEN 'no' END AS sparsity_2_4
        FROM gpu
    )
    UNPIVOT (value_text FOR attribute IN (COLUMNS(* EXCLUDE (gpu_id))))
),
own AS (
    SELECT gpu_id, attribute, value, NULL::VARCHAR AS value_text FROM numbers
    UNION ALL
    SELECT gpu_id, attribute, NULL::DOUBLE, value_text FROM texts
),
stated AS (
    -- A version is a number to the sources and a text to gpu: 9 means 9.0.
    SELECT v.*, own.value AS own_value, own.value_text AS own_text,
        CASE WHEN v.attribute <> 'compute_capability' THEN v.value * v.factor END AS converted,
        CASE WHEN v.attribute = 'compute_capability' THEN printf('%.1f', v.value * v.factor) END AS converted_text,
        v.source_id <> 'gpuledger-arithmetic' AS independent,
        coalesce(list_position([
            'nvidia-web', 'device-readings', 'wikipedia-gpu-lists', 'epoch-ml-hardware', 'stas00-ml-engineering',
            'lightning-throughput', 'press-and-retail'
        ], v.source_id), 99) AS source_rank
    FROM _spec_value AS v
    LEFT JOIN own USING (gpu_id, attribute)
),
judged AS (
    SELECT *,
        coalesce(converted = own_value, converted_text = own_text, FALSE) AS equal,
        coalesce(abs(converted - own_value) <= 0.02 * own_value, converted_text = own_text) AS agrees
    FROM stated
),
ranked AS (
    SELECT *,
        equal AND independent AND row_number() OVER (
            PARTITION BY gpu_id, attribute ORDER BY equal AND independent DESC, source_rank, source_id, length(locator), locator
        ) = 1 AS chosen
    FROM judged
),
heard AS (
    SELECT gpu_id, attribute, bool_or(chosen) AS chosen_outside, bool_or(agrees) FILTER (independent) AS confirmed
    FROM ranked
    GROUP BY ALL
),
statements AS (
    SELECT gpu_id, attribute, converted AS value, converted_text AS value_text, source_id, snapshot_id, locator,
        value AS value_as_stated, citation, chosen, agrees, note,
        CASE WHEN NOT independent THEN 'arithmetic' WHEN equal THEN 'exact' ELSE 'stated' END AS rule
    FROM ranked
    UNION ALL BY NAME
    SELECT gpu_id, attribute, value, value_text, 'gpuledger-compiled' AS source_id,
        (SELECT snapshot_id FROM snapshot WHERE source_id = 'gpuledger-compiled' AND path = 'data/specs/gpus.csv') AS snapshot_id,
        'row ' || gpu_id || ', column ' || attribute AS locator,
        value AS value_as_stated, TRUE AS chosen, confirmed AS agrees,
        CASE WHEN confirmed IS NULL THEN 'unconfirmed' WHEN confirmed THEN 'within_2_percent' ELSE 'contradicted' END AS rule
    FROM own
    LEFT JOIN heard USING (gpu_id, attribute)
    WHERE chosen_outside IS NOT TRUE
)
-- The maintainers' note is on the chosen value and on why the others were passed over; a row that agrees needs none.
SELECT s.gpu_id, s.attribute, s.value, s.value_text, a.unit, s.source_id, s.snapshot_id, s.locator, s.value_as_stated, s.citation,
    s.chosen, s.agrees, s.rule,
    nullif(concat_ws('; ',
        s.note,
        CASE WHEN s.chosen OR NOT s.agrees THEN n.note END,
        CASE WHEN s.chosen AND coalesce(a.doubt_segment = g.segment, TRUE) THEN a.doubt END
    ), '') AS note
FROM statements AS s
LEFT JOIN _spec_attribute AS a USING (attribute)
LEFT JOIN gpu AS g USING (gpu_id)
LEFT JOIN _spec_note AS n ON n.gpu_id = s.gpu_id AND n.attribute = s.attribute
