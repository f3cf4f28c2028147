-- title: Cheapest rental of each card, by source, provider and terms
-- description: One row per card, source, provider, billing and commitment: the newest prices' lowest, so that a comparison of offers stays short
-- description: when a provider lists a card in many regions and machines. Whole cards alone, without the bare host and Windows.
-- group: prices
-- column: observation_id | | Price in `price`
-- column: source_id | | Source of the price
-- column: observed_at | | Day that the price stands for
-- column: stale | | Whether the price is stale at the build's as_of
-- column: provider | | Who rents
-- column: instance_type | | The provider's name of the machine
-- column: billing | | On what terms
-- column: gpu_id | | Card
-- column: usd_per_gpu_hour | USD/(GPU·h) | Price of one card
-- unique: observation_id
SELECT observation_id, source_id, observed_at, stale, provider, instance_type, billing, gpu_id, usd_per_gpu_hour
FROM price_metric
QUALIFY row_number() OVER (
    PARTITION BY gpu_id, source_id, lower(provider), billing, commitment_months ORDER BY stale, usd_per_gpu_hour, observation_id
) = 1
