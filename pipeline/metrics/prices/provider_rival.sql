-- title: A provider's prices against those of others
-- description: One row per provider, GPU, billing and term with a current rental offer: its cheapest against the cheapest of each other provider on the
-- description: same terms. Equal prices share a rank. Offers are those of offer_current.
-- group: prices
-- column: provider | | Who rents
-- column: gpu_id | | GPU
-- column: billing | | On what terms a rental is billed
-- column: commitment | | Term of a reservation or savings plan; `none` without one, `not stated` where it is not known
-- column: commitment_months | month | The term as a number
-- column: usd_per_gpu_hour | USD/(GPU·h) | Its cheapest offer
-- column: price_date | | Last day on which that was seen
-- column: rank | | Place by price among the providers; 1 = nobody is cheaper
-- column: n_providers | | Providers on the same terms, this one among them
-- column: usd_per_gpu_hour_elsewhere | USD/(GPU·h) | Cheapest offer of another provider
-- column: provider_elsewhere | | Who makes it
-- unique: provider, gpu_id, billing, commitment
-- check: rank BETWEEN 1 AND n_providers
-- check: (n_providers = 1) = (provider_elsewhere IS NULL)
WITH low AS (
    SELECT gpu_id, coalesce(billing, 'not stated') AS billing, commitment_text(billing, commitment_months) AS commitment, commitment_months,
        lower(provider) AS provider_key, min(provider) AS provider, min(usd) AS usd, arg_min(price_date, price_rank) AS price_date
    FROM offer_current
    WHERE way = 'rent' AND NOT stale
    GROUP BY ALL
)
SELECT
    own.provider, own.gpu_id, own.billing, own.commitment, own.commitment_months, own.usd AS usd_per_gpu_hour, own.price_date,
    count(other.provider_key) FILTER (other.usd < own.usd) + 1 AS rank,
    count(other.provider_key) + 1 AS n_providers,
    min(other.usd) AS usd_per_gpu_hour_elsewhere,
    first(other.provider ORDER BY other.usd, other.provider) FILTER (other.provider_key IS NOT NULL) AS provider_elsewhere
FROM low AS own
LEFT JOIN low AS other ON (other.gpu_id, other.billing, other.commitment) = (own.gpu_id, own.billing, own.commitment)
    AND other.provider_key <> own.provider_key
GROUP BY ALL
