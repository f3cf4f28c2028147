-- title: Cost of renting a GPU now
-- description: One row per GPU model or variant, billing, term and number of GPUs, from the current offers of `offer`. The market low is the
-- description: cheapest offer with its provider. The market median is over providers, each with its cheapest offer, from three providers up. An
-- description: offer that does not state the variant counts for the weakest that it can be, as in all rankings. The row `any` of a GPU, term or
-- description: number joins all of them: select one row, and do not add rows up.
-- group: prices
-- column: gpu_model_id | | GPU model
-- column: gpu_id | | Variant; `any` = all variants of the model
-- column: billing | | On what terms a rental is billed; `not stated` where it is not known
-- column: commitment | | Term of a reservation or savings plan; `none` without one, `not stated` where it is not known, `any` = all terms
-- column: gpus | | `single` = offers of one GPU, or of a number that is not stated; `any` = offers of several GPUs at once as well
-- column: n_offers | | Current offers
-- column: n_offers_unstated | | Current offers that do not state the variant
-- column: n_providers | | Providers of the current offers
-- column: usd_per_gpu_hour_low | USD/(GPU·h) | Price of the cheapest offer
-- column: usd_per_gpu_hour_median | USD/(GPU·h) | Median over providers of each one's cheapest offer; empty below three providers
-- column: low_provider | | Provider of the cheapest offer
-- column: low_gpu_id | | Variant of the cheapest offer; empty where its source does not state it
-- column: low_variant_stated | | Whether the source of the cheapest offer states its variant
-- column: low_min_gpus | | Smallest number of GPUs in the offer; empty = not stated
-- column: low_commitment_months | month | Term of its commitment; empty without one, and where it is not known
-- column: low_price_date | | Last day on which it was seen
-- column: low_source_id | | Source of it
-- column: low_observation_id | | Its price in `price`
-- column: shortest_commitment | | Whether this is the shortest term of the GPU, billing and number of GPUs, which pages show
-- column: price_date_first | | Earliest last day on which one of the offers was seen
-- column: price_date_last | | Latest last day on which one of the offers was seen
-- unique: gpu_model_id, gpu_id, billing, commitment, gpus
-- check: n_providers BETWEEN 1 AND n_offers
-- check: n_offers_unstated <= n_offers
-- check: usd_per_gpu_hour_low <= usd_per_gpu_hour_median
-- check: (n_providers >= 3) = (usd_per_gpu_hour_median IS NOT NULL)
-- check: low_price_date BETWEEN price_date_first AND price_date_last
WITH
grouped AS (
    SELECT
        o.* EXCLUDE (commitment, gpu_id, gpus),
        v.gpu_id,
        o.gpu_id AS stated_gpu_id,
        o.gpus AS min_gpus,
        unnest([o.commitment, 'any']) AS commitment
    FROM offer AS o, unnest([o.least_gpu_id, 'any']) AS v(gpu_id)
),
sized AS (
    SELECT *, 'any' AS gpus FROM grouped
    UNION ALL
    SELECT *, 'single' AS gpus FROM grouped WHERE coalesce(min_gpus = 1, true)
),
ranked AS (
    SELECT *, row_number() OVER (
        PARTITION BY gpu_model_id, gpu_id, billing, commitment, gpus
        ORDER BY usd_per_gpu_hour, price_date DESC, min_gpus NULLS LAST, provider, observation_id
    ) AS place
    FROM sized
),
provider_low AS (
    SELECT gpu_model_id, gpu_id, billing, commitment, gpus, provider, count(*) AS n_offers,
        count(*) - count(stated_gpu_id) AS n_offers_unstated, min(usd_per_gpu_hour) AS usd, min(place) AS place,
        min(price_date) AS price_date_first, max(price_date) AS price_date_last
    FROM ranked
    GROUP BY ALL
),
market AS (
    SELECT gpu_model_id, gpu_id, billing, commitment, gpus, sum(n_offers)::BIGINT AS n_offers,
        sum(n_offers_unstated)::BIGINT AS n_offers_unstated, count(*) AS n_providers,
        min(usd) AS usd_per_gpu_hour_low, CASE WHEN count(*) >= 3 THEN median(usd) END AS usd_per_gpu_hour_median,
        min(price_date_first) AS price_date_first, max(price_date_last) AS price_date_last
    FROM provider_low
    GROUP BY ALL
)
SELECT
    m.gpu_model_id, m.gpu_id, m.billing, m.commitment, m.gpus, m.n_offers, m.n_offers_unstated, m.n_providers,
    m.usd_per_gpu_hour_low, m.usd_per_gpu_hour_median,
    low.provider AS low_provider, low.stated_gpu_id AS low_gpu_id, low.stated_gpu_id IS NOT NULL AS low_variant_stated,
    low.min_gpus AS low_min_gpus, low.commitment_months AS low_commitment_months, low.price_date AS low_price_date, low.source_id AS low_source_id,
    low.observation_id AS low_observation_id,
    row_number() OVER (
        PARTITION BY m.gpu_model_id, m.gpu_id, m.billing, m.gpus
        ORDER BY m.commitment = 'any', m.commitment <> 'none', low.commitment_months NULLS LAST
    ) = 1 AS shortest_commitment,
    m.price_date_first, m.price_date_last
FROM market AS m
JOIN ranked AS low USING (gpu_model_id, gpu_id, billing, commitment, gpus)
WHERE low.place = 1
