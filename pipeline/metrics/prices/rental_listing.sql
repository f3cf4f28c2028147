-- title: Rentals as pages list them
-- description: One row per GPU, provider, terms, number of GPUs, source and day of price: offers that differ by region or machine alone share a row. An offer that
-- description: another source lists too has no row of its own (`also_in` of the other names its source), unless their prices are in conflict.
-- group: prices
-- column: observation_id | | Lowest of the row's prices in `price`
-- column: gpu_id | | GPU
-- column: gpu_name | | Its name
-- column: provider | | Who rents
-- column: billing | | On what terms a rental is billed
-- column: commitment_months | month | Term of a commitment
-- column: tier | | The provider's class of service
-- column: min_gpus | | Smallest number of GPUs in the offer; empty = not stated
-- column: stale | | Whether the prices are stale at the build's as_of
-- column: source_id | | Source of the prices
-- column: price_date | | Last day on which the prices were seen
-- column: usd_per_gpu_hour_low | USD/(GPU·h) | Lowest price of one GPU
-- column: usd_per_gpu_hour_high | USD/(GPU·h) | Highest price
-- column: n_offers | | Offers that share the row
-- column: n_counted | | Offers of these that statistics count (offer_current)
-- column: upfront | | Whether a part is paid at the start
-- column: flags | | Remarks on the prices, comma-separated codes
-- column: also_in | | Other sources that list the same, comma-separated
-- unique: observation_id
-- check: n_counted <= n_offers
-- check: usd_per_gpu_hour_low <= usd_per_gpu_hour_high
SELECT
    arg_min(observation_id, (usd, observation_id)) AS observation_id,
    gpu_id, gpu_name, provider, billing, commitment_months, tier, min_gpus, stale, source_id, price_date,
    min(usd) AS usd_per_gpu_hour_low,
    max(usd) AS usd_per_gpu_hour_high,
    count(*) AS n_offers,
    count(*) FILTER (counted) AS n_counted,
    bool_or(upfront_usd > 0) AS upfront,
    string_agg(DISTINCT flags, ',' ORDER BY flags) AS flags,
    string_agg(DISTINCT also_in, ',' ORDER BY also_in) AS also_in
FROM offer_listing
WHERE kind = 'cloud_rental' AND (NOT repeated OR coalesce(contains(flags, 'CONFLICT'), false))
GROUP BY gpu_id, gpu_name, provider, billing, commitment_months, tier, min_gpus, stale, source_id, price_date
