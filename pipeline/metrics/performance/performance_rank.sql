-- title: Rank of a GPU by speed
-- description: One row per GPU, kind of network and precision of performance_index, and one per GPU of decode_index (family `decode`). Equal speeds share a rank.
-- group: performance
-- column: gpu_id | | GPU
-- column: family | | Kind of network, or decode
-- column: precision | | fp16 = 16-bit or mixed; fp32 with TF32; `any` for decode
-- column: index | ratio | Speed, RTX 2080 Ti = 1
-- column: rank | | Rank of the speed, 1 = fastest
-- column: n_gpus | GPU | GPUs that have one
-- unique: gpu_id, family, precision
-- check: rank BETWEEN 1 AND n_gpus
WITH speed AS (
    SELECT gpu_id, family, precision, index FROM performance_index
    UNION ALL
    SELECT gpu_id, 'decode' AS family, 'any' AS precision, index FROM decode_index
)
SELECT
    gpu_id, family, precision, index,
    rank() OVER (PARTITION BY family, precision ORDER BY index DESC) AS rank,
    count(*) OVER (PARTITION BY family, precision) AS n_gpus
FROM speed
