-- title: Tasks of Paperspace's guide on GPUs side by side
-- description: One row per comparison, machine and task of Paperspace's guide of 2022, where the guide timed every GPU model of the comparison.
-- description: Time and cost of a run are at the guide's price, and at the cheapest current on-demand price of the guide's own variant of the GPU.
-- description: The latter is empty without an offer.
-- group: guides
-- as-in: gpu_comparison | gpu_model_id, provider, price_date
-- column: comparison_id | | Comparison in gpu_comparison
-- column: task | | Task of the guide
-- column: machine | | Machine, as the guide calls it
-- column: gpu_id | | GPU of the machine
-- column: position | | Position of the model in the comparison
-- column: status | | ok = finished, oom = out of memory
-- column: seconds | s | Time of a run
-- column: guide_date | | Date of the guide
-- column: guide_usd_per_hour | USD/h | The guide's price
-- column: guide_usd_per_run | USD | Cost of a run at that price
-- column: usd_per_gpu_hour | USD/(GPU·h) | Cheapest current price of one GPU, as in guide_run_price
-- column: usd_per_run | USD | Cost of a run at the current price
-- unique: comparison_id, task, machine
-- check: (status = 'ok') = (seconds IS NOT NULL)
WITH
run AS (
    SELECT r.task, r.machine, r.gpu_id, r.status, r.seconds, r.guide_date, r.guide_usd_per_hour, r.guide_usd_per_run, g.gpu_model_id,
        CASE WHEN r.current THEN r.usd_per_gpu_hour END AS usd_per_gpu_hour, r.provider, CASE WHEN r.current THEN r.price_date END AS price_date,
        CASE WHEN r.current THEN r.usd_per_run END AS usd_per_run
    FROM guide_run_price AS r
    JOIN gpu AS g USING (gpu_id)
    WHERE r.source_id = 'paperspace-2022'
),
complete AS (
    SELECT comparison_id
    FROM gpu_comparison
    GROUP BY comparison_id
    HAVING bool_and(gpu_model_id IN (SELECT gpu_model_id FROM run))
)
SELECT
    c.comparison_id, r.task, r.machine, r.gpu_id, r.gpu_model_id, c.position, r.status, r.seconds, r.guide_date, r.guide_usd_per_hour, r.guide_usd_per_run,
    r.usd_per_gpu_hour, r.provider, r.price_date, r.usd_per_run
FROM gpu_comparison AS c
JOIN complete USING (comparison_id)
JOIN run AS r ON r.gpu_model_id = c.gpu_model_id
ORDER BY c.comparison_id, r.task, c.position, r.machine
