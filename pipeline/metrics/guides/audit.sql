-- title: Audit of the guides' figures
-- description: One row per published figure: what it is, and what comes out when it is computed again.
-- description: A derived figure is recomputed from the guide's own inputs, rounded half up to the printed decimals; with the same formula on
-- description: the vendors' figures. A specification is set against the vendor's. Where the guide says `about`, 10 percent of difference still agrees.
-- description: Whole numbers from 1,000 on that end in zero are compared in tens.
-- description: Where the vendor prints a specification with fewer decimals than the guide, the two are compared at the vendor's decimals.
-- description: A figure named ..._at_least or ..._at_most is a bound and agrees when the recomputed figure meets it.
-- group: audit
-- column: figure_id | | Name: source/subject/quantity
-- column: source_id | | Guide
-- column: subject | | What the figure is about
-- column: quantity | | Which quantity
-- column: unit | | Unit as the guide means it
-- column: role | | derived from others, spec of a GPU, or given
-- column: published | see unit | Figure that the guide prints
-- column: published_text | | The figure as printed
-- column: recomputed | see unit | Recomputed, unrounded; empty where it cannot be
-- column: recomputed_rounded | see unit | Recomputed, rounded half up to the printed decimals
-- column: recomputed_shown | see unit | Recomputed, as pages print it: rounded to the printed decimals, but to no fewer than two significant digits
-- column: from_vendor | see unit | The same formula on the vendors' figures; empty where that has no sense
-- column: agrees | | Whether published and recomputed agree; empty where it cannot be recomputed
-- column: formula | | The arithmetic with the numbers put in
-- column: note | | Why it disagrees or cannot be recomputed, or what else to know
-- column: context | | Place of the figure in the guide
-- unique: figure_id
-- check: agrees OR note IS NOT NULL
-- check: agrees IS NOT NULL OR note IS NOT NULL
-- check: recomputed IS NULL OR formula IS NOT NULL
WITH recomputation AS (
    FROM _recomputed_paperspace
    UNION ALL BY NAME FROM _recomputed_dettmers
    UNION ALL BY NAME FROM _recomputed_pro_vs_consumer
    UNION ALL BY NAME FROM _recomputed_autodl
    UNION ALL BY NAME FROM _recomputed_wechat
    UNION ALL BY NAME FROM _recomputed_spec
)
SELECT
    f.figure_id,
    f.source_id,
    f.subject,
    f.quantity,
    f.unit,
    f.role,
    f.value AS published,
    f.value_text AS published_text,
    r.recomputed,
    round_half_up(r.recomputed, f.decimals) AS recomputed_rounded,
    round_half_up(r.recomputed, greatest(f.decimals, least(8, decimals_for_two_digits(r.recomputed)))) AS recomputed_shown,
    r.from_vendor,
    CASE
        WHEN r.recomputed IS NULL THEN NULL
        WHEN f.quantity LIKE '%_at_least' THEN r.recomputed >= f.value
        WHEN f.quantity LIKE '%_at_most' THEN r.recomputed <= f.value
        WHEN f.role = 'spec' AND decimals_of(r.recomputed) < f.decimals AND round_half_up(f.value, decimals_of(r.recomputed)) = r.recomputed
            THEN true
        ELSE round_half_up(r.recomputed, f.decimals) = f.value OR abs(r.recomputed - f.value) <= f.tolerance * abs(f.value)
    END AS agrees,
    r.formula,
    r.note,
    f.note AS context
FROM published_figure AS f
LEFT JOIN recomputation AS r USING (figure_id)
