-- title: Rejected rows of a snapshot
-- description: Number of rows of the file whose every price is rejected; one row may have several prices.
WITH row_of_file AS (
    SELECT split_part(_locator, ',', 1) AS locator, count(*) FILTER (code IS NULL) AS n_accepted
    FROM normalized
    GROUP BY ALL
)
SELECT count(*) AS rows_rejected
FROM row_of_file
WHERE n_accepted = 0
