-- title: Where the guides disagree
-- description: One row per GPU model and pair of authors of whom one recommends it and the other advises against it. The advice names the GPU or a
-- description: class (any Quadro, any Tesla, GTX 16 series). The two may be about different purposes, both of which are given. Advice for a class
-- description: is not spread over its GPUs, nor is advice against a kind of cooler (Founders Edition).
-- group: guides
-- column: gpu_model_id | | GPU model
-- column: raw_gpu_name | | GPU, as the one who recommends it writes it
-- column: recommended_source_id | | Guide that recommends it
-- column: recommended_by | | Author of the advice for the GPU
-- column: recommended_for | | Purposes
-- column: avoided_source_id | | Guide that advises against it
-- column: avoided_by | | Author of the advice against the GPU
-- column: avoided_for | | Purposes, or who should not buy it
-- column: avoided_as | | GPU or class that the advice names
-- unique: gpu_model_id, recommended_source_id, recommended_by, avoided_source_id, avoided_by
-- check: recommended_by <> avoided_by
WITH
advice AS (
    SELECT r.*, split_part(r.author, ' (', 1) AS who, g.gpu_model_id, g.name
    FROM guide_recommendation AS r
    LEFT JOIN gpu AS g USING (gpu_id)
),
recommended AS (SELECT * FROM advice WHERE stance = 'recommended' AND gpu_id IS NOT NULL),
-- what a GPU's name holds if it is of the class
avoided AS (
    SELECT *, nullif(regexp_extract(gpu_class, '^any (\w+)( card)?$', 1) || regexp_extract(gpu_class, '^(.+) series$', 1), '') AS class
    FROM advice
    WHERE stance = 'avoid'
)
SELECT
    r.gpu_model_id,
    min(r.raw_gpu_name) AS raw_gpu_name,
    r.source_id AS recommended_source_id,
    r.author AS recommended_by,
    string_agg(DISTINCT r.purpose, '; ' ORDER BY r.purpose) AS recommended_for,
    a.source_id AS avoided_source_id,
    a.author AS avoided_by,
    string_agg(DISTINCT a.purpose, '; ' ORDER BY a.purpose) AS avoided_for,
    string_agg(DISTINCT coalesce(a.raw_gpu_name, a.gpu_class), '; ' ORDER BY coalesce(a.raw_gpu_name, a.gpu_class)) AS avoided_as
FROM recommended AS r
JOIN avoided AS a ON r.who <> a.who AND (r.gpu_model_id = a.gpu_model_id OR contains(r.name, a.class))
GROUP BY r.gpu_model_id, r.source_id, r.author, a.source_id, a.author
