-- title: AutoDL's rule on the number of GPUs, applied to today's offers
-- description: One row per number of GPUs that the AutoDL guide advises for a kind of work. It has the current on-demand offers of exactly as many
-- description: GPUs of any NVIDIA model, and the cheapest of them.
-- group: guides
-- column: rule_id | | Rule in guide_rule
-- column: subject | | Work that the guide names
-- column: gpu_count | | GPUs that it advises
-- column: n_offers | | Current on-demand offers of that many
-- column: n_providers | | Providers of these
-- column: n_gpus | | GPU models among these
-- column: usd_per_hour | USD/h | Cheapest whole machine
-- column: gpu_model_id | | Its GPU model
-- column: gpu_name | | Name of the model
-- column: provider | | Provider of the cheapest machine
-- column: price_date | | Day of its price
-- unique: rule_id
-- check: n_providers <= n_offers
WITH offered AS (
    SELECT o.gpu_model_id, m.name AS gpu_name, coalesce(p.gpu_count, o.gpus, 1) AS gpu_count, o.provider,
        o.price_date, o.usd_per_gpu_hour * coalesce(p.gpu_count, o.gpus, 1) AS usd_per_hour, o.observation_id
    FROM offer AS o
    JOIN price_metric AS p USING (observation_id)
    JOIN gpu_model AS m ON m.gpu_model_id = o.gpu_model_id
    WHERE o.billing = 'on_demand' AND m.vendor = 'NVIDIA'
)
SELECT
    r.rule_id,
    r.subject,
    r.value::INTEGER AS gpu_count,
    count(o.provider) AS n_offers,
    count(DISTINCT o.provider) AS n_providers,
    count(DISTINCT o.gpu_model_id) AS n_gpus,
    min(o.usd_per_hour) AS usd_per_hour,
    arg_min(o.gpu_model_id, (o.usd_per_hour, o.observation_id)) AS gpu_model_id,
    arg_min(o.gpu_name, (o.usd_per_hour, o.observation_id)) AS gpu_name,
    arg_min(o.provider, (o.usd_per_hour, o.observation_id)) AS provider,
    arg_min(o.price_date, (o.usd_per_hour, o.observation_id)) AS price_date
FROM guide_rule AS r
LEFT JOIN offered AS o ON o.gpu_count = r.value
WHERE r.source_id = 'autodl-2022' AND r.topic = 'gpu_count' AND r.comparison = 'equal'
GROUP BY r.rule_id, r.subject, r.value
