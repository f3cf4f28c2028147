-- title: Stored files of each source
-- description: One row per source: its stored files and their rows, all of them together.
-- group: provenance
-- column: source_id | | Source
-- column: n_files | | Stored files
-- column: rows_read | row | Rows read of them
-- column: rows_accepted | row | Rows kept
-- column: rows_rejected | row | Rows rejected
-- column: last_retrieved_on | | Day on which the newest was fetched or transcribed
-- unique: source_id
SELECT
    s.source_id,
    count(n.snapshot_id) AS n_files,
    coalesce(sum(n.rows_read), 0)::BIGINT AS rows_read,
    coalesce(sum(n.rows_accepted), 0)::BIGINT AS rows_accepted,
    coalesce(sum(n.rows_rejected), 0)::BIGINT AS rows_rejected,
    max(n.retrieved_at)::DATE AS last_retrieved_on
FROM source AS s
LEFT JOIN snapshot AS n USING (source_id)
GROUP BY s.source_id
