-- title: Statements of the guides, checked
-- description: One row per statement of a guide, with a verdict that comes from a computation over this dataset and the arithmetic behind it.
-- group: audit
-- as-in: _guide_statement | claim_id, place, quote
-- column: source_id | | Guide
-- column: statement | | What the guide says, in our words
-- column: verdict | | holds, fails, mixed (one part holds, another fails) or unchecked (something is missing)
-- column: arithmetic | | The numbers behind the verdict, or what is missing
-- column: predicted | | GPUs whose speed in the arithmetic is predicted, not measured; empty = none
-- unique: claim_id
-- check: verdict IN ('holds', 'fails', 'mixed', 'unchecked')
-- check: arithmetic IS NOT NULL
WITH computed AS (
    FROM _claims_figures
    UNION ALL BY NAME FROM _claims_paperspace
    UNION ALL BY NAME FROM _claims_dettmers
    UNION ALL BY NAME FROM _claims_pro_vs_consumer
    UNION ALL BY NAME FROM _claims_autodl
    UNION ALL BY NAME FROM _claims_wechat
    UNION ALL BY NAME FROM _claims_rules
    UNION ALL BY NAME FROM _claims_formulas
),
predicted AS (
    SELECT i.claim_id, string_agg(DISTINCT g.name, ', ' ORDER BY g.name) AS predicted
    FROM claim_input AS i
    JOIN performance_index AS p ON i.reference = concat_ws('/', 'index', p.gpu_id, p.family, p.precision) AND p.basis = 'predicted'
    JOIN gpu AS g USING (gpu_id)
    GROUP BY i.claim_id
)
SELECT s.claim_id, s.source_id, s.statement, s.place, s.quote, verdict(c.parts) AS verdict, c.arithmetic, p.predicted
FROM _guide_statement AS s
LEFT JOIN computed AS c USING (claim_id)
LEFT JOIN predicted AS p USING (claim_id)
