-- title: When files that people maintain were last changed
-- description: One row per day and source of stored files that are neither prices nor exchange rates.
-- group: sources
-- column: date | | Day on which the files were fetched or transcribed
-- column: source_id | | Source
-- column: n_rows | | Rows kept of them
-- column: paths | | The files, comma-separated
-- unique: date, source_id
SELECT retrieved_at::DATE AS date, source_id, sum(rows_accepted)::BIGINT AS n_rows, string_agg(path, ',' ORDER BY path) AS paths
FROM snapshot
JOIN source USING (source_id)
WHERE source.kind NOT IN ('prices', 'rates')
GROUP BY ALL
