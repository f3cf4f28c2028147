-- title: Statements that are rules of thumb
-- description: One row per statement that a rule of thumb tests: its verdict is that of the rule, for each kind of network and precision.
-- group: audit
-- column: claim_id | | Statement
-- column: parts | | Whether the rule holds, by kind of network and precision
-- column: arithmetic | | The figure of each test, with the smallest value that confirms the rule
-- unique: claim_id
WITH test AS (
    SELECT
        *,
        family || ' ' || precision || ' ' || coalesce(number_text(round(value, 3)), 'not known')
            || coalesce(' (95% interval ' || number_text(round(ci_low, 3)) || ' to ' || number_text(round(ci_high, 3)) || ')', '') AS shown
    FROM rule_of_thumb
    WHERE claim_id IS NOT NULL
),
rule AS (
    SELECT
        claim_id,
        statement || ', ' || replace(quantity, '_', ' ') || coalesce(' of at least ' || number_text(round(expected, 3)), '') || ': '
            || string_agg(shown, ', ' ORDER BY family, precision) AS shown
    FROM test
    GROUP BY claim_id, statement, quantity, expected
),
shown_rule AS (SELECT claim_id, string_agg(shown, '; ' ORDER BY shown) AS arithmetic FROM rule GROUP BY claim_id)
SELECT claim_id, list(holds ORDER BY family, precision) AS parts, any_value(arithmetic) AS arithmetic
FROM test
JOIN shown_rule USING (claim_id)
GROUP BY claim_id
