-- title: Cost of the guides' runs
-- description: One row per timed run of a guide and rental of the same GPU. Rentals are the guide's own price, and the cheapest newest price of
-- description: each source, provider and terms that statistics count. A run that ended out of memory stays, without a cost. own_price marks the
-- description: price that the guide itself gives for the machine.
-- group: guides
-- as-in: _rental_cheapest | observation_id, gpu_id, provider, observed_at, stale
-- as-in: guide_run | machine, task, seconds
-- column: source_id | | Guide that timed the run
-- column: own_price | | Whether the guide gives this price for this machine
-- column: status | | How the run ended
-- column: usd_per_hour | USD/h | Price of as many GPUs as the machine has
-- column: usd_per_run | USD | Cost of one run
-- unique: source_id, machine, task, observation_id
-- check: (status = 'ok') = (usd_per_run IS NOT NULL)
WITH rental AS (
    FROM _rental_cheapest
    UNION
    SELECT p.observation_id, p.source_id, p.observed_at, p.stale, p.provider, p.instance_type, p.billing, p.gpu_id, p.usd_per_gpu_hour
    FROM price_metric AS p
    JOIN guide_machine AS m ON m.source_id = p.source_id AND m.machine = p.instance_type
)
SELECT
    r.source_id,
    r.machine,
    r.task,
    p.observation_id,
    m.gpu_id,
    p.provider,
    p.observed_at,
    p.stale,
    p.source_id = r.source_id AND coalesce(p.instance_type = r.machine, false) AS own_price,
    r.status,
    r.seconds,
    p.usd_per_gpu_hour * m.gpu_count AS usd_per_hour,
    usd_per_run(p.usd_per_gpu_hour * m.gpu_count, r.seconds) AS usd_per_run
FROM guide_run AS r
JOIN guide_machine AS m USING (source_id, machine)
JOIN rental AS p USING (gpu_id)
