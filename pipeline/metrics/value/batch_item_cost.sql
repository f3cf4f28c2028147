-- title: Cost of a batch item
-- description: One row per largest batch of a guide and rental price of the same GPU: hourly price over the items of the batch.
-- description: It says what room for one more item costs, not what an item costs to process.
-- group: guides
-- as-in: run_cost | machine, task, observation_id, gpu_id, provider, observed_at, stale, own_price, usd_per_hour
-- column: source_id | | Guide that found the batch
-- column: max_batch_items | item | Largest batch that ran
-- column: usd_per_batch_item | USD/(item·h) | Price of room for one item
-- unique: source_id, machine, task, observation_id
-- check: usd_per_batch_item > 0
WITH priced AS (
    SELECT DISTINCT source_id, machine, observation_id, gpu_id, provider, observed_at, stale, own_price, usd_per_hour
    FROM run_cost
)
SELECT
    b.source_id,
    b.machine,
    b.task,
    p.observation_id,
    p.gpu_id,
    p.provider,
    p.observed_at,
    p.stale,
    p.own_price,
    b.max_batch_items,
    p.usd_per_hour,
    p.usd_per_hour / b.max_batch_items AS usd_per_batch_item
FROM guide_max_batch AS b
JOIN priced AS p USING (source_id, machine)
