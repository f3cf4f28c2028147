-- title: What each provider offers
-- description: One row per provider in `price`: its current rentals (offer, provider_rival), and what it ever sold.
-- group: prices
-- column: provider | | Who sells or rents
-- column: n_gpus | | GPU models that it rents out now
-- column: n_offers | | Its current rental offers: GPU, billing, term and number of GPUs
-- column: n_gpus_cheapest | | GPU models that others rent out, too, and of which nobody has a lower price on some billing and term
-- column: usd_per_gpu_hour_low | USD/(GPU·h) | Its lowest current on-demand price
-- column: n_gpus_to_buy | | GPUs that it has a price to own of, on any day
-- column: n_moves | | Changes of the price of whole GPUs for rent (price_move), of prices that statistics take
-- column: first_move | | Day of the oldest; empty without one
-- column: n_prices | | Prices kept, on any day and of any kind
-- column: first_day | | Day of the oldest price
-- column: last_day | | Day of the newest
-- unique: provider
-- check: n_gpus_cheapest <= n_gpus
-- check: n_gpus <= n_offers
-- check: first_day <= last_day
WITH
rental AS (
    SELECT provider, count(DISTINCT gpu_model_id) AS n_gpus, count(*) AS n_offers,
        min(usd_per_gpu_hour) FILTER (billing = 'on_demand') AS usd_per_gpu_hour_low
    FROM offer
    GROUP BY provider
),
cheapest AS (
    SELECT provider, count(DISTINCT gpu_model_id) AS n_gpus_cheapest FROM provider_rival
    WHERE rank = 1 AND n_providers > 1 AND gpu_id = 'any' GROUP BY provider
),
moved AS (
    SELECT provider, count(*) AS n_moves, min(valid_from) AS first_move
    FROM price_move
    WHERE kind = 'cloud_rental' AND partition = 'whole'
    GROUP BY provider
),
every AS (
    SELECT provider, count(DISTINCT gpu_id) FILTER (usd_per_gpu IS NOT NULL) AS n_gpus_to_buy,
        count(*) AS n_prices, min(observed_at) AS first_day, max(observed_at) AS last_day
    FROM price
    GROUP BY provider
)
SELECT
    provider, coalesce(n_gpus, 0) AS n_gpus, coalesce(n_offers, 0) AS n_offers, coalesce(n_gpus_cheapest, 0) AS n_gpus_cheapest,
    usd_per_gpu_hour_low, n_gpus_to_buy, coalesce(n_moves, 0) AS n_moves, first_move, n_prices, first_day, last_day
FROM every
LEFT JOIN rental USING (provider)
LEFT JOIN moved USING (provider)
LEFT JOIN cheapest USING (provider)
