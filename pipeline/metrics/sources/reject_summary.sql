-- title: Rejected rows and prices by source and reason
-- description: One row per source and reason code, and one per reason code of all sources together (source `any`): select either, and do not add both up.
-- group: provenance
-- column: source_id | | Source, or any
-- column: reason_code | | Why they were rejected
-- column: n_rows | | Rows of table reject: rejected rows, and rejected prices of rows with several
-- unique: source_id, reason_code
-- check: n_rows > 0
WITH row AS (
    SELECT reason_code, unnest([source_id, 'any']) AS source_id FROM reject JOIN snapshot USING (snapshot_id)
)
SELECT source_id, reason_code, count(*) AS n_rows
FROM row
GROUP BY ALL
