-- title: The guides' GPUs by number, at today's prices
-- description: One row per GPU that a guide lists and number of GPUs in one machine. It has the cheapest current on-demand offer of exactly as
-- description: many, and what of the host it states. As in rental_market, an offer that does not state its number of GPUs counts as a single GPU.
-- description: One that does not state the variant counts for the weakest that it can be.
-- group: guides
-- column: gpu_id | | GPU
-- column: gpu_count | | GPUs in one machine
-- column: n_offers | | Current on-demand offers of that many
-- column: n_providers | | Providers of these
-- column: usd_per_hour | USD/h | Cheapest whole machine
-- column: provider | | Provider of the cheapest machine
-- column: price_date | | Day of its price
-- column: vcpus_per_gpu | | Its processor threads for each GPU; empty where not stated
-- column: host_gb_per_gpu | GB | Its main memory for each GPU; empty where not stated
-- unique: gpu_id, gpu_count
-- check: usd_per_hour > 0
WITH offered AS (
    SELECT o.least_gpu_id AS gpu_id, coalesce(p.gpu_count, o.gpus, 1) AS gpu_count, o.provider, o.price_date,
        o.usd_per_gpu_hour * coalesce(p.gpu_count, o.gpus, 1) AS usd_per_hour, p.vcpus_per_gpu, p.host_gb_per_gpu, o.observation_id
    FROM offer AS o
    JOIN price_metric AS p USING (observation_id)
    WHERE o.billing = 'on_demand' AND o.least_gpu_id IN (SELECT gpu_id FROM guide_machine)
)
SELECT
    gpu_id,
    gpu_count,
    count(*) AS n_offers,
    count(DISTINCT provider) AS n_providers,
    min(usd_per_hour) AS usd_per_hour,
    arg_min(provider, (usd_per_hour, observation_id)) AS provider,
    arg_min(price_date, (usd_per_hour, observation_id)) AS price_date,
    first(vcpus_per_gpu ORDER BY usd_per_hour, observation_id) AS vcpus_per_gpu,
    first(host_gb_per_gpu ORDER BY usd_per_hour, observation_id) AS host_gb_per_gpu
FROM offered
WHERE gpu_count IN (1, 2, 4, 8)
GROUP BY gpu_id, gpu_count
