-- title: Accepted prices of a snapshot
-- description: The rows of `normalized` that no rule rejects, in the order of the file.
-- input: normalized | | Prices of one snapshot with the rule that each breaks
SELECT * EXCLUDE (code, reason, _row)
FROM normalized
WHERE code IS NULL
ORDER BY _row
