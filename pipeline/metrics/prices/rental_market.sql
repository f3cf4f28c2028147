-- title: What renting a GPU costs now
-- description: One row per GPU, billing, term and number of GPUs, from the current offers of offer_current: the cheapest offer with its provider, and the
-- description: median over providers of each one's cheapest offer, so that a provider with many regions and machines counts once. The row `any` of a
-- description: term or number joins all of them: select one row, and do not add rows up.
-- group: prices
-- column: gpu_id | | GPU
-- column: billing | | On what terms a rental is billed; `not stated` where it is not known
-- column: commitment | | Term of a reservation or savings plan; `none` without one, `not stated` where it is not known, `any` = all terms
-- column: gpus | | `single` = offers of one GPU, or of a number that is not stated; `any` = offers of several GPUs at once as well
-- column: n_offers | | Current offers
-- column: n_providers | | Providers of these
-- column: usd_per_gpu_hour_low | USD/(GPU·h) | Price of the cheapest offer
-- column: usd_per_gpu_hour_median | USD/(GPU·h) | Median over providers of each one's cheapest offer
-- column: low_provider | | Provider of the cheapest offer
-- column: low_min_gpus | | Smallest number of GPUs in the offer; empty = not stated
-- column: low_price_date | | Last day on which it was seen
-- column: low_source_id | | Source of it
-- column: low_observation_id | | Its price in `price`
-- column: price_date_first | | Earliest last day on which one of the offers was seen
-- column: price_date_last | | Latest last day on which one of the offers was seen
-- unique: gpu_id, billing, commitment, gpus
-- check: n_providers BETWEEN 1 AND n_offers
-- check: usd_per_gpu_hour_low <= usd_per_gpu_hour_median
-- check: low_price_date BETWEEN price_date_first AND price_date_last
WITH
offer AS (
    SELECT *, lower(provider) AS provider_key
    FROM offer_current
    WHERE way = 'rent' AND NOT stale
),
grouped AS (
    SELECT
        * EXCLUDE (billing),
        coalesce(billing, 'not stated') AS billing,
        unnest([commitment_text(billing, commitment_months), 'any']) AS commitment
    FROM offer
),
sized AS (
    SELECT *, 'any' AS gpus FROM grouped
    UNION ALL
    SELECT *, 'single' AS gpus FROM grouped WHERE coalesce(lot = 1, true)
),
provider_low AS (
    SELECT gpu_id, billing, commitment, gpus, provider_key, count(*) AS n_offers, min(usd) AS usd, min(price_rank) AS price_rank,
        min(price_date) AS price_date_first, max(price_date) AS price_date_last
    FROM sized
    GROUP BY ALL
),
market AS (
    SELECT gpu_id, billing, commitment, gpus, sum(n_offers)::BIGINT AS n_offers, count(*) AS n_providers,
        min(usd) AS usd_per_gpu_hour_low, median(usd) AS usd_per_gpu_hour_median, min(price_rank) AS price_rank,
        min(price_date_first) AS price_date_first, max(price_date_last) AS price_date_last
    FROM provider_low
    GROUP BY ALL
)
SELECT
    m.gpu_id, m.billing, m.commitment, m.gpus, m.n_offers, m.n_providers, m.usd_per_gpu_hour_low, m.usd_per_gpu_hour_median,
    low.provider AS low_provider, low.lot AS low_min_gpus, low.price_date AS low_price_date, low.source_id AS low_source_id,
    low.observation_id AS low_observation_id, m.price_date_first, m.price_date_last
FROM market AS m
JOIN offer AS low USING (gpu_id, price_rank)
