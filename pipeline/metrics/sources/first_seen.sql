-- title: GPUs and providers by the day on which they were first seen
-- description: One row per GPU and per provider in price_change, of sources whose prices go stale; dated documents are left out.
-- group: sources
-- column: subject_kind | | gpu or provider
-- column: subject | | GPU, or provider
-- column: provider | | The provider as a source writes it; empty for a GPU
-- column: date | | First day on which a price of it was seen
-- unique: subject_kind, subject
WITH listed AS (
    SELECT c.*
    FROM price_change AS c
    JOIN source AS s USING (source_id)
    WHERE s.stale_after_days IS NOT NULL
)
SELECT 'gpu' AS subject_kind, gpu_id AS subject, NULL AS provider, min(valid_from) AS date
FROM listed
WHERE gpu_id IS NOT NULL
GROUP BY gpu_id
UNION ALL BY NAME
SELECT 'provider' AS subject_kind, provider AS subject, provider, min(valid_from) AS date
FROM listed
GROUP BY provider
