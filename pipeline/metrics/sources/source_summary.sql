-- title: Stored files of each source
-- description: One row per source: its stored files and their rows, all of them together.
-- group: provenance
-- column: source_id | | Source
-- column: n_files | | Stored files
-- column: rows_read | | Rows read of them
-- column: rows_accepted | | Rows kept
-- column: rows_rejected | | Rows of which no price or fact was accepted
-- column: last_retrieved_on | | Day on which the newest was fetched or transcribed
-- column: origins | | How the files were obtained: fetched, carried_over or transcribed, comma-separated
-- column: extents | | How much of the published files they are: whole, excerpt or compiled, comma-separated
-- unique: source_id
SELECT
    s.source_id,
    count(n.snapshot_id) AS n_files,
    coalesce(sum(n.rows_read), 0)::BIGINT AS rows_read,
    coalesce(sum(n.rows_accepted), 0)::BIGINT AS rows_accepted,
    coalesce(sum(n.rows_rejected), 0)::BIGINT AS rows_rejected,
    max(n.retrieved_at)::DATE AS last_retrieved_on,
    string_agg(DISTINCT n.origin, ', ' ORDER BY n.origin) AS origins,
    string_agg(DISTINCT n.extent, ', ' ORDER BY n.extent) AS extents
FROM source AS s
LEFT JOIN snapshot AS n USING (source_id)
GROUP BY s.source_id
