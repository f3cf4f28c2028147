-- title: Where a guide contradicts itself
-- description: One row per GPU that a guide recommends and advises against, by name or as one of a class, both by the same author. The purposes differ, and
-- description: both are given. guide_conflict has what two authors disagree on; contradictory figures are statements in guide_claim.
-- group: guides
-- column: source_id | | Guide
-- column: author | | Author of both
-- column: gpu_model_id | | GPU model
-- column: raw_gpu_name | | GPU, as the recommendation writes it
-- column: recommended_for | | Purposes
-- column: avoided_for | | Purposes, or who should not buy it
-- column: avoided_as | | GPU or class that the advice names
-- unique: source_id, author, gpu_model_id
WITH
advice AS (
    SELECT r.*, g.gpu_model_id, g.name
    FROM guide_recommendation AS r
    LEFT JOIN gpu AS g USING (gpu_id)
),
-- what the name of a GPU of the class contains; a Tesla is any GPU for data centers
avoided AS (
    SELECT *, nullif(regexp_extract(gpu_class, '^any (\w+)( card)?$', 1) || regexp_extract(gpu_class, '^(.+) series$', 1), '') AS class
    FROM advice
    WHERE stance = 'avoid'
)
SELECT
    r.source_id,
    r.author,
    r.gpu_model_id,
    min(r.raw_gpu_name) AS raw_gpu_name,
    string_agg(DISTINCT r.purpose, '; ' ORDER BY r.purpose) AS recommended_for,
    string_agg(DISTINCT a.purpose, '; ' ORDER BY a.purpose) AS avoided_for,
    string_agg(DISTINCT coalesce(a.gpu_class, a.raw_gpu_name), '; ' ORDER BY coalesce(a.gpu_class, a.raw_gpu_name)) AS avoided_as
FROM advice AS r
JOIN avoided AS a ON a.source_id = r.source_id AND a.author = r.author
JOIN gpu AS g ON g.gpu_id = r.gpu_id
WHERE r.stance = 'recommended'
    AND (r.gpu_model_id = a.gpu_model_id OR contains(r.name, a.class) OR a.class = 'Tesla' AND g.segment = 'datacenter')
GROUP BY r.source_id, r.author, r.gpu_model_id
