-- title: Cheapest rental of each GPU, by source, provider and terms
-- description: One row per GPU, source, provider, billing and commitment: the lowest of the newest prices. So a comparison of offers stays short
-- description: when a provider lists a GPU in many regions and machines. Prices that statistics count alone (`counts` of _price_span).
-- group: prices
-- as-in: price_metric | observation_id, source_id, observed_at, stale, provider, instance_type, billing, usd_per_gpu_hour
-- column: gpu_id | | GPU
-- unique: observation_id
SELECT observation_id, source_id, observed_at, stale, provider, instance_type, billing, gpu_id, usd_per_gpu_hour
FROM price_metric
SEMI JOIN (FROM _price_span WHERE counts) USING (observation_id)
WHERE gpu_id IS NOT NULL
QUALIFY row_number() OVER (
    PARTITION BY gpu_id, source_id, provider, billing, commitment_months ORDER BY stale, usd_per_gpu_hour, observation_id
) = 1
