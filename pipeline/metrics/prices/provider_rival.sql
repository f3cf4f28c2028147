-- title: A provider's prices against those of others
-- description: One row per provider, GPU model or variant, billing and term with a current rental offer: its cheapest against the cheapest of each other
-- description: provider on the same terms. Equal prices share a rank. Offers are those of table `offer`, by variant as in rental_market.
-- group: prices
-- as-in: offer | provider, gpu_model_id, commitment, commitment_months
-- column: gpu_id | | Variant; `any` = all variants of the model
-- column: billing | | On what terms a rental is billed
-- column: usd_per_gpu_hour | USD/(GPU·h) | Its cheapest offer
-- column: stated_gpu_id | | Variant of that; empty where its source does not state it
-- column: price_date | | Last day on which that was seen
-- column: rank | | Place by price among the providers; 1 = nobody is cheaper
-- column: n_providers | | Providers on the same terms, this one among them
-- column: usd_per_gpu_hour_elsewhere | USD/(GPU·h) | Cheapest offer of another provider
-- column: provider_elsewhere | | Who makes it
-- unique: provider, gpu_model_id, gpu_id, billing, commitment
-- check: rank BETWEEN 1 AND n_providers
-- check: (n_providers = 1) = (provider_elsewhere IS NULL)
WITH
joined AS (
    SELECT o.* EXCLUDE (gpu_id), v.gpu_id, o.gpu_id AS stated_gpu_id
    FROM offer AS o, unnest([o.least_gpu_id, 'any']) AS v(gpu_id)
),
low AS (
    SELECT gpu_model_id, gpu_id, billing, commitment, commitment_months, provider,
        min(usd_per_gpu_hour) AS usd,
        arg_min(struct_pack(stated_gpu_id, price_date), (usd_per_gpu_hour, -epoch(price_date), observation_id)) AS cheapest
    FROM joined
    GROUP BY ALL
)
SELECT
    own.provider, own.gpu_model_id, own.gpu_id, own.billing, own.commitment, own.commitment_months, own.usd AS usd_per_gpu_hour,
    own.cheapest.stated_gpu_id, own.cheapest.price_date,
    count(other.provider) FILTER (other.usd < own.usd) + 1 AS rank,
    count(other.provider) + 1 AS n_providers,
    min(other.usd) AS usd_per_gpu_hour_elsewhere,
    first(other.provider ORDER BY other.usd, other.provider) AS provider_elsewhere
FROM low AS own
LEFT JOIN low AS other
    ON (other.gpu_model_id, other.gpu_id, other.billing, other.commitment) = (own.gpu_model_id, own.gpu_id, own.billing, own.commitment)
    AND other.provider <> own.provider
GROUP BY ALL
