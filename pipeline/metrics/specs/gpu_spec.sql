-- title: Specification values and their sources
-- description: One row per GPU, attribute and source statement, for every value that gpu carries. Exactly one row per GPU and attribute is chosen,
-- description: and it equals gpu. Chosen is the best ranked outside source whose value, times its factor, equals gpu's exactly: vendor documents
-- description: rank before device readings, and these before all others (column kind). Where there is none, the chosen row is our own
-- description: (gpuledger-compiled). Column `status` of a chosen row is confirmed (an outside source is within 2 percent), contradicted (all of
-- description: them differ more) or unconfirmed (none states it). Products of units and clock (kind arithmetic) are shown, but confirm nothing.
-- description: Rows of a database whose terms do not allow it are not in the table; `database_check` says whether it agrees, and does not count as
-- description: confirmation.
-- group: specs
-- as-in: _spec_value | gpu_id, attribute, publisher_id
-- column: value | see unit | Value in this dataset's convention, where the attribute is a number
-- column: value_text | | Value, where the attribute is a text, a version, a day or yes/no
-- column: unit | | Unit of value; empty where it has none
-- column: source_id | | Source with the statement
-- column: publisher | | Name of the publisher
-- column: kind | | Kind of document
-- column: licence | | Licence of the publisher, or the basis on which the fact is cited
-- column: address | | Where the statement is published; empty where the citation names the document
-- column: snapshot_id | | Stored file with the statement
-- column: locator | | Place of the statement in that file
-- column: value_as_stated | see unit | Value as the source prints it, before sparse or FP16-accumulate figures are brought to dense, FP32-accumulate ones
-- column: citation | | Row, key or page within the source; empty for our own rows
-- column: chosen | | Whether gpu carries this row's value
-- column: agrees | | Whether the row lies within 2 percent of gpu (texts, days, versions: is the same); for our own rows whether an independent outside source does; empty = none states a value
-- column: rule | | exact, stated = outside source that equals gpu, or does not; arithmetic = a check; within_2_percent, unconfirmed, contradicted = our own value and what outside sources say of it
-- column: status | | Of chosen rows: confirmed, unconfirmed or contradicted by outside sources that may be published
-- column: confirmed_by | | Of chosen rows: publishers within 2 percent, best rank first
-- column: database_check | | Of chosen rows: result of a comparison with one database whose rows are not published
-- column: note | | What the source's figure means, why it was passed over, or why the chosen value deserves doubt
-- unique: gpu_id, attribute, source_id, locator
-- check: (value IS NULL) <> (value_text IS NULL)
-- check: rule IN ('exact', 'stated', 'arithmetic', 'within_2_percent', 'unconfirmed', 'contradicted')
-- check: chosen = (source_id = 'gpuledger-compiled') OR (chosen AND rule = 'exact')
-- check: rule <> 'exact' OR agrees
-- check: rule NOT IN ('within_2_percent', 'unconfirmed', 'contradicted') OR (chosen AND source_id = 'gpuledger-compiled')
-- check: (rule = 'unconfirmed') <= (agrees IS NULL)
-- check: chosen = (status IS NOT NULL)
-- check: status IN ('confirmed', 'unconfirmed', 'contradicted')
-- check: database_check IN ('agrees with one database', 'differs from one database')
-- check: (status = 'confirmed') = (confirmed_by IS NOT NULL)
-- check: note NOT ILIKE '%recalled%'
-- check: note NOT LIKE '%.;%'
-- check: licence IS NOT NULL
-- check: snapshot_id IS NOT NULL
WITH
numbers AS (
    SELECT gpu_id, attribute, value
    FROM (
        SELECT gpu_id, COLUMNS(* EXCLUDE (
            gpu_id, gpu_model_id, name, vendor, architecture, segment, form_factor, release_date, memory_type,
            compute_capability, min_cuda_version, max_cuda_version, sparsity_2_4, announced_on, launched_on, shipped_on
        ))::DOUBLE
        FROM gpu
    )
    UNPIVOT (value FOR attribute IN (COLUMNS(* EXCLUDE (gpu_id))))
),
texts AS (
    SELECT gpu_id, attribute, value_text
    FROM (
        SELECT gpu_id, architecture, segment, form_factor, memory_type, compute_capability, min_cuda_version, max_cuda_version,
            release_date::VARCHAR AS release_date, announced_on::VARCHAR AS announced_on, launched_on::VARCHAR AS launched_on,
            shipped_on::VARCHAR AS shipped_on,
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
publisher AS (
    SELECT *, list_position([
        'vendor document', 'vendor code', 'vendor document, quoted', 'device reading', 'submission record', 'encyclopedia',
        'database', 'compilation', 'code table', 'paper', 'press'
    ], kind) AS kind_rank
    FROM spec_publisher
),
stated AS (
    -- Some sources write a version as a number: 9 means 9.0.
    SELECT v.*, own.value AS own_value, own.value_text AS own_text, p.kind, p.title AS publisher, p.kind_rank,
        CASE WHEN v.attribute <> 'compute_capability' THEN v.value * v.factor END AS converted,
        coalesce(v.value_text, CASE WHEN v.attribute = 'compute_capability' THEN printf('%.1f', v.value * v.factor) END) AS converted_text,
        p.kind <> 'arithmetic' AS independent
    FROM _spec_value AS v
    LEFT JOIN own USING (gpu_id, attribute)
    LEFT JOIN publisher AS p USING (publisher_id)
),
assessed AS (
    -- SXM and HBM without a number agree with every generation of them, but state none.
    SELECT *,
        coalesce(converted = own_value, converted_text = own_text, FALSE) AS equal,
        coalesce(
            abs(converted - own_value) <= 0.02 * own_value,
            converted_text = own_text OR (converted_text IN ('SXM', 'HBM') AND starts_with(own_text, converted_text))
        ) AS agrees
    FROM stated
),
ranked AS (
    SELECT *,
        equal AND independent AND row_number() OVER (
            PARTITION BY gpu_id, attribute
            ORDER BY equal AND independent DESC, kind_rank, publisher_id, length(locator), locator
        ) = 1 AS chosen
    FROM assessed
),
supporter AS (
    SELECT gpu_id, attribute, string_agg(publisher, '; ' ORDER BY kind_rank, publisher) AS confirmed_by
    FROM (SELECT DISTINCT gpu_id, attribute, publisher, kind_rank FROM assessed WHERE independent AND agrees)
    GROUP BY ALL
),
heard AS (
    SELECT gpu_id, attribute, bool_or(chosen) AS chosen_outside, bool_or(agrees) FILTER (independent) AS confirmed
    FROM ranked
    GROUP BY ALL
),
compared AS (
    -- The outcome is of one value: it does not apply to a later one.
    SELECT c.gpu_id, c.attribute,
        CASE WHEN c.agrees THEN 'agrees with one database' ELSE 'differs from one database' END AS database_check
    FROM _spec_database_check AS c
    JOIN own USING (gpu_id, attribute)
    WHERE coalesce(own.value = try_cast(c.compared_value AS DOUBLE), own.value_text = c.compared_value)
),
statements AS (
    SELECT gpu_id, attribute, converted AS value, converted_text AS value_text, source_id, publisher_id, address, snapshot_id, locator,
        value AS value_as_stated, citation, chosen, agrees, note,
        CASE WHEN NOT independent THEN 'arithmetic' WHEN equal THEN 'exact' ELSE 'stated' END AS rule
    FROM ranked
    UNION ALL BY NAME
    SELECT gpu_id, attribute, value, value_text, 'gpuledger-compiled' AS source_id, 'gpuledger-compiled' AS publisher_id,
        (SELECT snapshot_id FROM snapshot WHERE source_id = 'gpuledger-compiled' AND path = 'data/specs/gpus.csv') AS snapshot_id,
        'row ' || gpu_id || ', column ' || attribute AS locator,
        value AS value_as_stated, TRUE AS chosen, confirmed AS agrees,
        CASE WHEN confirmed IS NULL THEN 'unconfirmed' WHEN confirmed THEN 'within_2_percent' ELSE 'contradicted' END AS rule
    FROM own
    LEFT JOIN heard USING (gpu_id, attribute)
    WHERE chosen_outside IS NOT TRUE
)
-- The maintainers' note is on the chosen value and on why the others were passed over; a row that agrees needs none.
SELECT s.gpu_id, s.attribute, s.value, s.value_text, a.unit, s.source_id, s.publisher_id, p.title AS publisher, p.kind, p.licence,
    s.address, s.snapshot_id, s.locator, s.value_as_stated, s.citation, s.chosen, s.agrees, s.rule,
    CASE WHEN s.chosen THEN CASE WHEN s.agrees IS NULL THEN 'unconfirmed' WHEN s.agrees THEN 'confirmed' ELSE 'contradicted' END END AS status,
    CASE WHEN s.chosen THEN u.confirmed_by END AS confirmed_by,
    CASE WHEN s.chosen THEN c.database_check END AS database_check,
    nullif(replace(concat_ws('; ',
        s.note,
        CASE WHEN s.chosen OR NOT s.agrees THEN n.note END,
        CASE WHEN s.chosen AND coalesce(a.doubt_segment = g.segment, TRUE) THEN a.doubt END
    ), '.; ', '; '), '') AS note
FROM statements AS s
LEFT JOIN _spec_attribute AS a USING (attribute)
LEFT JOIN gpu AS g USING (gpu_id)
LEFT JOIN publisher AS p ON p.publisher_id = s.publisher_id
LEFT JOIN supporter AS u ON u.gpu_id = s.gpu_id AND u.attribute = s.attribute
LEFT JOIN compared AS c ON c.gpu_id = s.gpu_id AND c.attribute = s.attribute
LEFT JOIN _spec_note AS n ON n.gpu_id = s.gpu_id AND n.attribute = s.attribute
