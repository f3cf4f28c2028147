-- title: Rank of a GPU by speed
-- description: One row per GPU, kind of network and precision of performance_index. Equal speeds share a rank.
-- description: A prediction whose 90% interval spans more than a factor of 2 has none.
-- group: performance
-- as-in: performance_index | gpu_id, family, precision
-- column: index | ratio | Speed, RTX 2080 Ti = 1
-- column: rank | | Rank of the speed, 1 = fastest; empty where the interval is too wide
-- column: n_gpus | | GPUs that have one
-- unique: gpu_id, family, precision
-- check: rank BETWEEN 1 AND n_gpus
WITH speed AS (
    SELECT
        gpu_id, family, precision, index,
        CASE WHEN is_rankable(basis, ci_low, ci_high) THEN index END AS sure_index
    FROM performance_index
)
SELECT
    gpu_id, family, precision, index,
    CASE WHEN sure_index IS NOT NULL THEN rank() OVER (same ORDER BY sure_index DESC NULLS LAST) END AS rank,
    count(sure_index) OVER same AS n_gpus
FROM speed
WINDOW same AS (PARTITION BY family, precision)
