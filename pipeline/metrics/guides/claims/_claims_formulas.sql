-- title: Statements that formulas decide
-- description: One row per statement with formulas in claim_part: the truth of each part, and the formulas with their numbers.
-- group: audit
-- column: claim_id | | Statement
-- column: parts | | Truth of each part; empty where an input is not known
-- column: arithmetic | | The formulas with their numbers
-- unique: claim_id
SELECT claim_id, list(holds ORDER BY part) AS parts, string_agg(arithmetic, '; ' ORDER BY part) AS arithmetic
FROM claim_part
GROUP BY claim_id
