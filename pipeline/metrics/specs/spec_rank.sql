-- title: Rank of a GPU by specification
-- description: One row per GPU and key figure that is known. Equal values share a rank. Power and launch price rank from the lowest, the others from the
-- description: highest.
-- group: specs
-- as-in: _gpu_value | gpu_id, attribute, value
-- column: lower_is_better | | Whether rank 1 is the lowest value
-- column: rank | | Rank of the value
-- column: reverse_rank | | Rank from the other end
-- column: n_gpus | | GPUs whose value is known
-- unique: gpu_id, attribute
-- check: rank BETWEEN 1 AND n_gpus
SELECT
    gpu_id, attribute, value,
    attribute IN ('tdp_w', 'launch_msrp_usd') AS lower_is_better,
    rank() OVER (PARTITION BY attribute ORDER BY CASE WHEN lower_is_better THEN value ELSE -value END) AS rank,
    rank() OVER (PARTITION BY attribute ORDER BY CASE WHEN lower_is_better THEN -value ELSE value END) AS reverse_rank,
    count(*) OVER (PARTITION BY attribute) AS n_gpus
FROM _gpu_value
WHERE attribute IN ('memory_gb', 'memory_bandwidth_gb_per_s', 'fp32_tflops', 'fp16_tensor_tflops', 'tdp_w', 'launch_msrp_usd')
