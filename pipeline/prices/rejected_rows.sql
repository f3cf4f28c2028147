-- title: Rejected rows of a snapshot
-- description: Number of rows of the file whose every price is rejected; one row may have several prices.
-- input: normalized | | Prices of one snapshot with the rule that each breaks
-- column: rows_rejected | | Rows
WITH row_of_file AS (
    SELECT split_part(_locator, ',', 1) AS locator, count(*) FILTER (code IS NULL) AS n_accepted
    FROM normalized
    GROUP BY ALL
)
SELECT count(*) AS rows_rejected
FROM row_of_file
WHERE n_accepted = 0
