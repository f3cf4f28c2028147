-- title: Cost of the guides' tasks on every priced GPU
-- description: One row per timed task of a guide and GPU with a current on-demand price or a purchase price. Time is from workload_time, cost at
-- description: the cheapest offer of one GPU in workload_cost. Electricity is of the GPU at its power limit and the rest of the machine. Low and
-- description: high are those of the time; empty is unknown. run_cost has the same runs at each single price.
-- group: guides
-- as-in: workload_time | gpu_id, seconds_high, n_timed
-- column: workload | | Task in guide_run
-- column: status | | ok or oom (out of memory); empty where it is not known
-- column: basis | | measured, or predicted from the index and the times of other GPUs
-- column: seconds | s | Time of one run on one GPU
-- column: seconds_low | s | Low end of the 90% interval, of a prediction
-- column: outside_interval | | Whether the measured time lies outside the interval that the other timed GPUs predict
-- column: rental_usd_per_gpu_hour | USD/(GPU·h) | Cheapest offer of one GPU, from workload_cost
-- column: n_offers | | Current on-demand offers, from gpu_price
-- column: usd_per_run | USD | Cost of one run
-- column: usd_per_run_low | USD | Cost of seconds_low
-- column: usd_per_run_high | USD | Cost of seconds_high
-- column: electricity_kwh_per_run | kWh | Electricity of one run in a machine of one's own, bounded by the power limit
-- column: electricity_usd_per_run | USD | Its price at the assumed price of a kWh
-- column: co2_kg_per_run | kg | Carbon dioxide of it on the assumed grid
-- unique: workload, gpu_id
-- check: usd_per_run_low <= usd_per_run AND usd_per_run <= usd_per_run_high
-- check: status IS NOT DISTINCT FROM 'ok' OR usd_per_run IS NULL
SELECT
    w.workload,
    w.gpu_id,
    w.status,
    w.basis,
    w.seconds,
    w.seconds_low,
    w.seconds_high,
    w.n_timed,
    w.outside_interval,
    c.cheapest_usd_per_gpu_hour AS rental_usd_per_gpu_hour,
    p.n_offers,
    c.usd_per_run_cheapest AS usd_per_run,
    c.usd_per_run_cheapest_low AS usd_per_run_low,
    c.usd_per_run_cheapest_high AS usd_per_run_high,
    s.machine_watts / 1000 * w.seconds / 3600 AS electricity_kwh_per_run,
    s.machine_watts / 1000 * w.seconds / 3600 * kwh.value AS electricity_usd_per_run,
    co2_kg(s.machine_watts / 1000 * w.seconds / 3600, grid.value) AS co2_kg_per_run
FROM workload_time AS w
JOIN workload_cost AS c USING (workload, gpu_id)
JOIN gpu_price AS p USING (gpu_id)
LEFT JOIN system_build AS s ON s.gpu_id = w.gpu_id AND s.gpu_count = 1
JOIN assumption AS kwh ON kwh.assumption_id = 'usd_per_kwh'
JOIN assumption AS grid ON grid.assumption_id = 'kg_co2_per_kwh'
WHERE w.kind = 'task'
