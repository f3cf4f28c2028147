-- title: Days on which each price was seen
-- description: One row per price of an offer in USD and the days on which it was seen, without overlap: a later price ends the one before. Column
-- description: `comparable` says whether it can be compared with other prices. These are not: the bare host, Windows, a GPU without its host,
-- description: "from" prices, estimates, and prices out of stock. Nor are spot prices at or above on-demand, and prices that their source has wrong
-- description: or the provider's own list contradicts. Column `counts` says whether statistics take it: comparable prices of whole GPUs. A jump
-- description: counts: it is a flag alone.
-- group: prices
-- as-in: price | offer_id, instance_type, gpu_count, partition, region, commitment_months
-- column: offer_key | | The offer, the same on every day
-- column: first_day | | First day on which the price was seen
-- column: last_day | | Last day on which it was seen
-- column: observation_id | | Price in `price`
-- column: source_id | | Source of the price
-- column: provider | | Who sells or rents
-- column: gpu_model_id | | GPU model
-- column: gpu_id | | Variant of the model; empty where the source does not state it
-- column: min_gpus | | Smallest number of GPUs in the offer; empty = not stated
-- column: kind | | What is paid for
-- column: billing | | On what terms a rental is billed
-- column: amount | as stated | Price as a number, in its currency and unit
-- column: currency | | Currency code
-- column: price_unit | | What one amount pays for
-- column: usd | USD/(GPU·h) or USD/GPU | Price of one GPU, for an hour or to own
-- column: jump | | Whether it is far from the offer's price before
-- column: remark | | Remark of the parser; prices with different ones are not comparable
-- column: seen_daily | | Whether it was seen on each of these days; if not, on those of source_day
-- column: comparable | | Whether it can be compared with other prices, of shares of a GPU too
-- column: counts | | Whether statistics take it
-- unique: offer_key, first_day
-- check: first_day <= last_day
WITH
-- providers whose own price list is among the sources
own_list AS (
    SELECT DISTINCT provider
    FROM price
    JOIN source USING (source_id)
    WHERE own_list_of = provider
),
seen AS (
    SELECT
        price.*,
        price_seen_from(observed_at, effective_from, effective_to) AS first_day,
        least(price_seen_to(observed_at, effective_from, effective_to), release.as_of) AS seen_to,
        coalesce(usd_per_gpu_hour, usd_per_gpu) AS usd,
        coalesce(contains(flags, 'JUMP'), false) AS jump
    FROM price
    CROSS JOIN release
    WHERE first_day <= release.as_of AND usd IS NOT NULL AND gpu_model_id IS NOT NULL
),
single AS (
    SELECT *
    FROM seen
    QUALIFY row_number() OVER (PARTITION BY offer_key, first_day ORDER BY seen_to DESC, observed_at DESC, amount, observation_id) = 1
),
following AS (
    SELECT
        *,
        least(seen_to, lead(first_day) OVER later - 1) AS last_day
    FROM single
    WINDOW later AS (PARTITION BY offer_key ORDER BY first_day)
)
SELECT
    offer_key, first_day, last_day, observation_id, following.source_id, following.provider, offer_id, instance_type, gpu_model_id, gpu_id,
    gpu_count, coalesce(min_gpus, gpu_count) AS min_gpus, partition, region, following.kind, billing, commitment_months, amount, currency, price_unit, usd, jump,
    remark, coalesce(days_observed > effective_to - effective_from, true) AS seen_daily,
    price_basis IS DISTINCT FROM 'host_only' AND os IS DISTINCT FROM 'windows' AND qualifier NOT IN ('from', 'estimate') AND in_stock IS DISTINCT FROM false
        AND NOT coalesce(contains(flags, 'SPOT_NOT_BELOW_ON_DEMAND'), false)
        AND remark IS DISTINCT FROM 'SOURCE_ERROR'
        AND (following.kind <> 'cloud_rental' OR includes_host IS DISTINCT FROM false)
        AND NOT (
            coalesce(contains(flags, 'CONFLICT'), false) AND own_list.provider IS NOT NULL
            AND source.own_list_of IS DISTINCT FROM own_list.provider
        ) AS comparable,
    comparable AND is_whole_gpu(partition, price_basis, os) AS counts
FROM following
JOIN source USING (source_id)
LEFT JOIN own_list ON own_list.provider = following.provider
