-- title: Offers as lists show them
-- description: One row per rental of a whole GPU and per price to own, at its newest price, counted in statistics or not. Column `state` says
-- description: whether it is current, stale, or left out of offer_current. An offer is repeated where a listed offer of another source counts in
-- description: its place (offer_repeat); a stale offer does not replace a current one. JUMP is among the flags for 90 days.
-- group: prices
-- as-in: price_latest | observation_id, gpu_model_id, gpu_id, unstated, candidates, provider, kind, billing, commitment_months
-- as-in: price_latest | tier, source_id, includes_host
-- as-in: offer_current | min_gpus, usd, price_date, stale
-- column: offer_key | | The offer in `price_latest`
-- column: gpu_name | | Name of the variant, else of the model
-- column: memory_gb | GB | Memory of the GPU; empty where the variants differ
-- column: upfront_usd | USD | Payment at the start of a commitment
-- column: flags | | Remarks on the price, comma-separated codes as in `price`
-- column: counted | | Whether offer_current has it
-- column: state | | current, stale, or not counted
-- column: repeated | | Whether a listed offer of another source counts in its place
-- column: also_in | | Other sources that list the same offer at the same price, comma-separated
-- unique: observation_id
-- check: usd > 0
-- check: state IN ('current', 'stale', 'not counted')
WITH
listed AS (
    SELECT l.*, coalesce(l.usd_per_gpu_hour, l.usd_per_gpu) AS usd, p.upfront_usd,
        price_seen_from(p.observed_at, p.effective_from, p.effective_to) >= r.as_of - 90 AS is_new
    FROM price_latest AS l
    JOIN price AS p USING (observation_id)
    CROSS JOIN release AS r
    WHERE l.kind IN ('cloud_rental', 'msrp', 'purchase_new', 'purchase_used') AND usd IS NOT NULL AND l.gpu_model_id IS NOT NULL
        AND (l.kind <> 'cloud_rental' OR is_whole_gpu(l.partition, l.price_basis, l.os))
),
again AS (
    SELECT listed_as AS offer_key, string_agg(DISTINCT source_id, ',' ORDER BY source_id) AS also_in, max(h.seen_last) AS seen_last
    FROM _offer_hidden AS h
    JOIN listed USING (offer_key)
    WHERE h.seen_last IS NOT NULL
    GROUP BY listed_as
)
SELECT
    l.observation_id, l.offer_key, l.gpu_model_id, l.gpu_id, l.unstated, l.candidates, coalesce(g.name, n.name) AS gpu_name,
    CASE WHEN l.gpu_id IS NULL THEN n.memory_gb ELSE g.memory_gb END AS memory_gb, l.provider, l.kind, l.billing, l.commitment_months, l.tier,
    coalesce(l.min_gpus, l.gpu_count) AS min_gpus, l.usd, l.upfront_usd,
    CASE WHEN l.kind = 'msrp' THEN l.last_day ELSE coalesce(c.price_date, a.seen_last, l.last_day) END AS price_date, l.stale, l.source_id, l.includes_host,
    CASE WHEN l.is_new THEN l.flags ELSE without_flag(l.flags, 'JUMP') END AS flags,
    c.observation_id IS NOT NULL AS counted,
    CASE WHEN l.stale THEN 'stale' WHEN counted THEN 'current' ELSE 'not counted' END AS state,
    l.offer_key IN (SELECT offer_key FROM _offer_hidden) AS repeated,
    a.also_in
FROM listed AS l
JOIN gpu_model AS n USING (gpu_model_id)
LEFT JOIN gpu AS g USING (gpu_id)
LEFT JOIN offer_current AS c USING (observation_id)
LEFT JOIN again AS a USING (offer_key)
