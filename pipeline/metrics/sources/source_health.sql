-- title: Source health
-- description: One row per source: its newest snapshot, how old that was at the build's as_of, how many rows it gave, and what could not be read.
-- description: A source without a limit is a dated document that is never refreshed, and so never stale. One without a snapshot has no age.
-- group: provenance
-- column: source_id | | Source
-- column: last_snapshot_at | UTC | When the newest snapshot was fetched or transcribed
-- column: published_at | UTC | What the publisher dates the newest snapshot, where it does
-- column: age_days | day | Age of the newest snapshot at as_of, from its date: as published, else as fetched
-- column: stale | | Whether that age is above the source's limit
-- column: rows | | Rows that were kept, all snapshots together
-- column: rejects | | Rows of which no price or fact was accepted
-- column: shrink_ratio | ratio | Rows kept of the newest snapshot of a file over those of the one before; empty without an earlier one
-- column: problems | | Stored files that could not be read in this build
-- unique: source_id
-- check: age_days >= 0
-- check: problems >= 0
WITH
dated AS (
    SELECT *, coalesce(published_at, retrieved_at)::DATE AS observed_on, file_series(path) AS file FROM snapshot
),
ranked AS (
    SELECT *, lead(rows_accepted) OVER newest AS rows_before, row_number() OVER newest AS age_rank
    FROM dated
    WINDOW newest AS (PARTITION BY source_id, file ORDER BY observed_on DESC, retrieved_at DESC, path DESC)
),
held AS (
    SELECT
        source_id,
        max(retrieved_at) AS last_snapshot_at,
        max(published_at) AS published_at,
        max(observed_on) AS observed_on,
        sum(rows_accepted) AS rows,
        sum(rows_rejected) AS rejects,
        min(rows_accepted / nullif(rows_before, 0)) FILTER (age_rank = 1) AS shrink_ratio
    FROM ranked
    GROUP BY source_id
),
problem AS (SELECT source_id, count(*) AS problems FROM source_problem GROUP BY source_id)
SELECT
    source_id,
    last_snapshot_at,
    held.published_at,
    CASE WHEN observed_on IS NOT NULL THEN greatest(release.as_of - observed_on, 0) END AS age_days,
    coalesce(release.as_of - observed_on > stale_after_days, false) AS stale,
    coalesce(rows, 0)::BIGINT AS rows,
    coalesce(rejects, 0)::BIGINT AS rejects,
    shrink_ratio,
    coalesce(problems, 0) AS problems
FROM source
LEFT JOIN held USING (source_id)
LEFT JOIN problem USING (source_id)
CROSS JOIN release
