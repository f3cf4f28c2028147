-- title: The guides in figures
-- description: One row per guide: machines, published figures and statements in the data, and how many of them are wrong or hold.
-- group: guides
-- column: source_id | | Guide
-- column: published_at | UTC | Day of the newest stored version
-- column: n_machines | | Machines in guide_machine
-- column: n_figures | | Figures in published_figure
-- column: n_figures_agree | | Figures of audit that agree with their recomputation
-- column: n_figures_differ | | Figures of audit that differ
-- column: n_figures_checked | | Figures of audit that could be checked: those that agree and those that differ
-- column: n_figures_unchecked | | Figures of audit that cannot be checked
-- column: n_claims | | Statements in guide_claim
-- column: n_claims_hold | | Statements of these that hold
-- column: n_claims_fail | | Statements that fail
-- column: n_claims_mixed | | Statements of which one part holds and another fails
-- column: n_claims_unchecked | | Statements that nothing here decides
-- unique: source_id
-- check: n_claims_hold + n_claims_fail + n_claims_mixed + n_claims_unchecked = n_claims
WITH
machines AS (SELECT source_id, count(*) AS n FROM guide_machine GROUP BY source_id),
figures AS (SELECT source_id, count(*) AS n FROM published_figure GROUP BY source_id),
audited AS (
    SELECT source_id, count(*) FILTER (agrees) AS agree, count(*) FILTER (NOT agrees) AS differ, count(*) FILTER (agrees IS NULL) AS unchecked
    FROM audit
    GROUP BY source_id
),
claims AS (
    SELECT
        source_id, count(*) AS n, count(*) FILTER (verdict = 'holds') AS hold, count(*) FILTER (verdict = 'fails') AS fail,
        count(*) FILTER (verdict = 'mixed') AS mixed, count(*) FILTER (verdict = 'unchecked') AS unchecked
    FROM guide_claim
    GROUP BY source_id
),
newest AS (SELECT source_id, max(published_at) AS published_at FROM snapshot GROUP BY source_id)
SELECT
    s.source_id, newest.published_at, coalesce(machines.n, 0) AS n_machines, coalesce(figures.n, 0) AS n_figures,
    coalesce(audited.agree, 0) AS n_figures_agree, coalesce(audited.differ, 0) AS n_figures_differ,
    n_figures_agree + n_figures_differ AS n_figures_checked, coalesce(audited.unchecked, 0) AS n_figures_unchecked, coalesce(claims.n, 0) AS n_claims, coalesce(claims.hold, 0) AS n_claims_hold,
    coalesce(claims.fail, 0) AS n_claims_fail, coalesce(claims.mixed, 0) AS n_claims_mixed, coalesce(claims.unchecked, 0) AS n_claims_unchecked
FROM source AS s
LEFT JOIN newest USING (source_id)
LEFT JOIN machines USING (source_id)
LEFT JOIN figures USING (source_id)
LEFT JOIN audited USING (source_id)
LEFT JOIN claims USING (source_id)
WHERE s.kind = 'guide'
