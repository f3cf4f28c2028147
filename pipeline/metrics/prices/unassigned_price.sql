-- title: Rows of price sources that can be of several GPUs
-- description: One row per GPU, source and group of GPUs: rejected rows whose label can be any of them, such as "H100" without a form factor. A rejected row
-- description: counts for each GPU that it can be.
-- group: prices
-- column: gpu_id | | GPU that the rows can be of
-- column: source_id | | Source of the rows
-- column: other_gpus | | The other GPUs that they can be of, comma-separated
-- column: n_rows | row | Rejected rows
-- unique: gpu_id, source_id, other_gpus
-- check: n_rows > 0
WITH ambiguous AS (
    -- the reason of the rejection names the GPUs
    SELECT source_id, string_split(regexp_extract(reason, ' can be (.+): state', 1), ', ') AS gpus
    FROM reject
    JOIN snapshot USING (snapshot_id)
    JOIN source USING (source_id)
    WHERE reason_code = 'AMBIGUOUS_GPU' AND source.kind = 'prices'
),
single AS (
    SELECT source_id, gpus, unnest(gpus) AS gpu_id FROM ambiguous
)
SELECT gpu_id, source_id, array_to_string(list_filter(gpus, lambda gpu: gpu <> gpu_id), ',') AS other_gpus, count(*) AS n_rows
FROM single
GROUP BY ALL
