-- title: Current rental offers
-- description: One row per provider, GPU, billing, term and number of GPUs: the cheapest of the provider's current listings in any region, machine and source.
-- description: The GPU is a variant, or a GPU model where the source does not state the variant. Listings are those of offer_current.
-- group: prices
-- as-in: price_latest | gpu_model_id, gpu_id, unstated, candidates, includes_host
-- as-in: offer_current | least_gpu_id
-- column: observation_id | | Cheapest listing, in `price`
-- column: provider | | Who rents
-- column: billing | | On what terms it is billed; `not stated` where it is not known
-- column: commitment | | Term of a reservation or savings plan; `none` without one, `not stated` where it is not known
-- column: commitment_months | month | The term as a number
-- column: gpus | | Smallest number of GPUs in the offer; empty = not stated
-- column: usd_per_gpu_hour | USD/(GPU·h) | Price of one GPU
-- column: usd_per_gpu_hour_high | USD/(GPU·h) | Price in the dearest listing
-- column: n_listings | | Listings, by region, machine and class of service
-- column: region | | Region of the cheapest listing, as the provider names it
-- column: instance_type | | The provider's name of its machine
-- column: price_date | | Last day on which the cheapest listing was seen
-- column: source_id | | Source of the cheapest listing
-- column: flags | | Remarks on its price, comma-separated codes as in `price`
-- unique: observation_id
-- check: usd_per_gpu_hour > 0
-- check: usd_per_gpu_hour <= usd_per_gpu_hour_high
-- check: (gpu_id IS NULL) = (candidates IS NOT NULL)
WITH listing AS (
    SELECT
        c.*,
        coalesce(c.billing, 'not stated') AS terms,
        row_number() OVER own AS place,
        max(c.usd) OVER own AS usd_high,
        count(*) OVER own AS n_listings
    FROM offer_current AS c
    WHERE c.acquisition = 'rent' AND NOT c.stale
    WINDOW own AS (
        PARTITION BY c.provider, c.gpu_model_id, c.gpu_id, c.billing, c.commitment_months, c.min_gpus ORDER BY c.price_rank
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    )
)
SELECT
    l.observation_id, l.gpu_model_id, l.gpu_id, l.least_gpu_id, p.unstated, p.candidates, l.provider, l.terms AS billing,
    commitment_text(l.billing, l.commitment_months) AS commitment, l.commitment_months, l.min_gpus AS gpus, l.usd AS usd_per_gpu_hour,
    l.usd_high AS usd_per_gpu_hour_high, l.n_listings, p.region, p.instance_type, p.includes_host, l.price_date, l.source_id, p.flags
FROM listing AS l
JOIN price_latest AS p USING (observation_id)
WHERE l.place = 1
