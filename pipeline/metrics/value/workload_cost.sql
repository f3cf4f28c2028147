-- title: Cost of a run on every GPU
-- description: One row per workload and GPU of workload_time: what a run on one GPU costs, at the cheapest current on-demand offer of one GPU, and at the
-- description: rent in gpu_price. As in `scenario_rank`, an offer that does not state the variant counts for the weakest that it can be. Low and high are those
-- description: of the time.
-- group: performance
-- column: workload | | Kind of network, decoding, or a guide's task
-- column: gpu_id | | GPU
-- column: rental_usd_per_gpu_hour | USD/(GPU·h) | Rent of the GPU, from gpu_price
-- column: usd_per_run | USD | Cost of one run at that rent
-- column: usd_per_run_low | USD | Cost of seconds_low of workload_time
-- column: usd_per_run_high | USD | Cost of seconds_high of workload_time
-- column: cheapest_usd_per_gpu_hour | USD/(GPU·h) | Price of the cheapest offer of one GPU
-- column: cheapest_provider | | Provider of the cheapest offer
-- column: cheapest_price_date | | Last day on which it was seen
-- column: cheapest_variant_stated | | Whether it states the variant
-- column: cheapest_observation_id | | Its price in `price`
-- column: usd_per_run_cheapest | USD | Cost of one run at the cheapest offer
-- column: usd_per_run_cheapest_low | USD | Cost of seconds_low of workload_time at the cheapest offer
-- column: usd_per_run_cheapest_high | USD | Cost of seconds_high of workload_time at the cheapest offer
-- unique: workload, gpu_id
-- check: usd_per_run_low <= usd_per_run AND usd_per_run <= usd_per_run_high
-- check: usd_per_run_cheapest_low <= usd_per_run_cheapest AND usd_per_run_cheapest <= usd_per_run_cheapest_high
-- check: (cheapest_usd_per_gpu_hour IS NULL) = (cheapest_observation_id IS NULL)
WITH cheapest AS (
    SELECT
        least_gpu_id AS gpu_id, usd AS cheapest_usd_per_gpu_hour, provider AS cheapest_provider, price_date AS cheapest_price_date,
        gpu_id IS NOT NULL AS cheapest_variant_stated, observation_id AS cheapest_observation_id
    FROM offer_current
    WHERE acquisition = 'rent' AND billing = 'on_demand' AND NOT stale AND coalesce(min_gpus = 1, true)
    QUALIFY row_number() OVER (PARTITION BY least_gpu_id ORDER BY usd, price_rank) = 1
)
SELECT
    w.workload,
    w.gpu_id,
    p.rental_usd_per_gpu_hour,
    usd_per_run(p.rental_usd_per_gpu_hour, w.seconds) AS usd_per_run,
    usd_per_run(p.rental_usd_per_gpu_hour, w.seconds_low) AS usd_per_run_low,
    usd_per_run(p.rental_usd_per_gpu_hour, w.seconds_high) AS usd_per_run_high,
    c.* EXCLUDE (gpu_id),
    usd_per_run(cheapest_usd_per_gpu_hour, w.seconds) AS usd_per_run_cheapest,
    usd_per_run(cheapest_usd_per_gpu_hour, w.seconds_low) AS usd_per_run_cheapest_low,
    usd_per_run(cheapest_usd_per_gpu_hour, w.seconds_high) AS usd_per_run_cheapest_high
FROM workload_time AS w
LEFT JOIN gpu_price AS p USING (gpu_id)
LEFT JOIN cheapest AS c ON c.gpu_id = w.gpu_id
