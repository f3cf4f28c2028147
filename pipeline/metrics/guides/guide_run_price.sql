-- title: The guides' timed runs at today's prices
-- description: One row per run of a guide on a machine that it prices. The price of one GPU is that of its cheapest current on-demand offer of a single
-- description: GPU (rental_market). Where no timed GPU has a current offer at all, the guide's own price and date take its place (`current` = false).
-- group: guides
-- as-in: run_cost | source_id, machine, task, status, seconds, usd_per_run
-- column: gpu_id | | GPU of the machine
-- column: generation | | Its architecture, else the guide's word for it
-- column: current | | Whether the price is of a current offer; empty without a price
-- column: usd_per_gpu_hour | USD/(GPU·h) | Price of one GPU
-- column: is_pareto_optimal | | Whether no other run of the task is as fast and as cheap by the hour
-- column: price_date | | Day of the price
-- column: provider | | Provider of the cheapest offer
-- column: min_gpus | | Smallest number of GPUs in the offer; empty = not stated
-- column: usd_per_gpu_hour_median | USD/(GPU·h) | Median over providers of each one's cheapest offer
-- column: n_offers | | Current offers of a single GPU
-- column: n_providers | | Providers of these
-- column: guide_usd_per_hour | USD/h | Price that the guide states
-- column: guide_usd_per_run | USD | Cost of one run at it
-- column: guide_date | | Day of the guide's price
-- unique: source_id, machine, task
-- check: usd_per_run IS NULL OR usd_per_gpu_hour IS NOT NULL
-- check: (current IS NULL) = (usd_per_gpu_hour IS NULL)
WITH
run AS (
    SELECT r.*, g.gpu_id, m.gpu_count, m.usd_per_hour AS guide_usd_per_hour, coalesce(g.architecture, m.generation, 'unknown') AS generation,
        c.usd_per_run AS guide_usd_per_run, c.observed_at AS guide_date
    FROM guide_run AS r
    JOIN guide_machine AS m USING (source_id, machine)
    LEFT JOIN gpu AS g USING (gpu_id)
    LEFT JOIN run_cost AS c ON (c.source_id, c.machine, c.task) = (r.source_id, r.machine, r.task) AND c.own_price
    WHERE m.usd_per_hour IS NOT NULL
),
matched AS (
    SELECT run.*, p.* EXCLUDE (gpu_id), bool_or(p.gpu_id IS NOT NULL AND seconds IS NOT NULL) OVER () AS current
    FROM run
    LEFT JOIN rental_market AS p
        ON p.gpu_id = run.gpu_id AND run.gpu_count = 1 AND (p.billing, p.commitment, p.gpus) = ('on_demand', 'any', 'single')
),
priced AS (
    SELECT *, CASE WHEN current THEN usd_per_gpu_hour_low ELSE guide_usd_per_hour END AS usd_per_gpu_hour,
        CASE WHEN current THEN usd_per_run(usd_per_gpu_hour_low, seconds) ELSE guide_usd_per_run END AS usd_per_run
    FROM matched
)
SELECT
    p.source_id, p.machine, p.task, p.gpu_id, p.generation, p.status, p.seconds,
    CASE WHEN p.usd_per_gpu_hour IS NOT NULL THEN p.current END AS current, p.usd_per_gpu_hour, p.usd_per_run,
    p.usd_per_run IS NOT NULL AND NOT EXISTS (
        FROM priced AS o
        WHERE o.task = p.task AND (o.source_id, o.machine) <> (p.source_id, p.machine) AND o.usd_per_run IS NOT NULL
            AND o.seconds <= p.seconds AND o.usd_per_gpu_hour <= p.usd_per_gpu_hour
    ) AS is_pareto_optimal,
    CASE WHEN p.current THEN p.low_price_date ELSE p.guide_date END AS price_date,
    p.low_provider AS provider, p.low_min_gpus AS min_gpus, p.usd_per_gpu_hour_median AS usd_per_gpu_hour_median, p.n_offers, p.n_providers,
    p.guide_usd_per_hour, p.guide_usd_per_run, p.guide_date
FROM priced AS p
