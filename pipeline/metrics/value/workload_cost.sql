-- title: Cost of a run on every GPU
-- description: One row per workload and GPU of workload_time: what a run costs at the rent in gpu_price, and at the cheapest current on-demand offer.
-- description: Low and high are those of the time.
-- group: performance
-- column: workload | | Kind of network, decoding, or a guide's task
-- column: gpu_id | | GPU
-- column: rental_usd_per_hour | USD/(GPU·h) | Rent of the GPU, from gpu_price
-- column: usd_per_run | USD | Cost of one run
-- column: usd_per_run_low | USD | Low end
-- column: usd_per_run_high | USD | High end
-- column: usd_per_run_cheapest | USD | Cost of one run at the cheapest offer
-- column: usd_per_run_cheapest_low | USD | Low end
-- column: usd_per_run_cheapest_high | USD | High end
-- unique: workload, gpu_id
-- check: usd_per_run_low <= usd_per_run AND usd_per_run <= usd_per_run_high
-- check: usd_per_run_cheapest <= usd_per_run
-- check: usd_per_run_cheapest_low <= usd_per_run_cheapest AND usd_per_run_cheapest <= usd_per_run_cheapest_high
SELECT
    w.workload,
    w.gpu_id,
    p.rental_usd_per_hour,
    usd_per_run(p.rental_usd_per_hour, w.seconds) AS usd_per_run,
    usd_per_run(p.rental_usd_per_hour, w.seconds_low) AS usd_per_run_low,
    usd_per_run(p.rental_usd_per_hour, w.seconds_high) AS usd_per_run_high,
    usd_per_run(p.rental_usd_per_hour_min, w.seconds) AS usd_per_run_cheapest,
    usd_per_run(p.rental_usd_per_hour_min, w.seconds_low) AS usd_per_run_cheapest_low,
    usd_per_run(p.rental_usd_per_hour_min, w.seconds_high) AS usd_per_run_cheapest_high
FROM workload_time AS w
LEFT JOIN gpu_price AS p USING (gpu_id)
