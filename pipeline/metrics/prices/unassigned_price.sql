-- title: Prices that can be of several GPUs
-- description: One row per GPU, source and group of GPUs: prices whose label names a model and leaves its variant open, such as "H100" without a form
-- description: factor. A price counts for each GPU that it can be.
-- group: prices
-- column: gpu_id | | GPU that the prices can be of
-- column: source_id | | Source of the prices
-- column: other_gpus | | The other GPUs that they can be of, comma-separated
-- column: n_rows | | Prices
-- unique: gpu_id, source_id, other_gpus
-- check: n_rows > 0
WITH single AS (
    SELECT source_id, string_split(candidates, ',') AS gpus, unnest(gpus) AS gpu_id FROM price WHERE candidates IS NOT NULL
)
SELECT gpu_id, source_id, array_to_string(list_filter(gpus, lambda gpu: gpu <> gpu_id), ',') AS other_gpus, count(*) AS n_rows
FROM single
GROUP BY ALL
