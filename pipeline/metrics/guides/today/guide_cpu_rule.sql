-- title: AutoDL's rule on processor cores, applied to today's offers
-- description: One row per NVIDIA model with current on-demand rentals that state their processor threads. It counts the machines with fewer
-- description: threads per GPU than the AutoDL guide asks for (4), up to its upper figure (8), and more. A machine is a provider's instance type,
-- description: counted once over its regions.
-- group: guides
-- column: gpu_model_id | | GPU model
-- column: gpu_name | | Name of the model
-- column: n_machines | | Current on-demand machines
-- column: n_stated | | Of these, with stated processor threads
-- column: n_below | | Fewer threads per GPU than the guide's lower figure
-- column: n_within | | From the lower to the upper figure
-- column: n_above | | More than the upper figure
-- column: vcpus_per_gpu_low | | Fewest threads per GPU
-- column: vcpus_per_gpu_high | | Most threads per GPU
-- column: host_gb_per_gpu_low | GB | Least main memory per GPU
-- column: host_gb_per_gpu_high | GB | Most main memory per GPU
-- unique: gpu_model_id
-- check: n_below + n_within + n_above = n_stated
WITH
rule AS (
    SELECT max(value) FILTER (rule_id = 'cpu-cores-per-gpu-low') AS low, max(value) FILTER (rule_id = 'cpu-cores-per-gpu-high') AS high
    FROM guide_rule
    WHERE source_id = 'autodl-2022'
),
machine AS (
    SELECT gpu_model_id, provider, coalesce(instance_type, offer_key) AS instance, gpu_count,
        max(vcpus_per_gpu) AS vcpus, max(host_gb_per_gpu) AS host_gb
    FROM price_metric
    WHERE NOT stale AND billing = 'on_demand'
    GROUP BY ALL
)
SELECT
    gpu_model_id,
    any_value(g.name) AS gpu_name,
    count(*) AS n_machines,
    count(vcpus) AS n_stated,
    count(*) FILTER (vcpus < rule.low) AS n_below,
    count(*) FILTER (vcpus BETWEEN rule.low AND rule.high) AS n_within,
    count(*) FILTER (vcpus > rule.high) AS n_above,
    min(vcpus) AS vcpus_per_gpu_low,
    max(vcpus) AS vcpus_per_gpu_high,
    min(host_gb) AS host_gb_per_gpu_low,
    max(host_gb) AS host_gb_per_gpu_high
FROM machine
CROSS JOIN rule
JOIN gpu_model AS g USING (gpu_model_id)
WHERE g.vendor = 'NVIDIA'
GROUP BY gpu_model_id
HAVING count(vcpus) > 0
