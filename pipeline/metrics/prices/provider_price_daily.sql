-- title: Rental prices of each provider by day
-- description: One row per day, GPU model, billing and provider with a current offer without a commitment: its cheapest, over all variants, as in
-- description: price_daily, whose lowest price and median are over these rows.
-- group: prices
-- column: date | | Day
-- column: gpu_model_id | | GPU model
-- column: billing | | On what terms the rental is billed
-- column: provider | | Provider, in small letters
-- column: usd_min | USD/(GPU·h) | Lowest price
-- column: n_offers | | Current offers of the provider
-- column: n_seen | | Offers of these seen on this day
-- unique: date, gpu_model_id, billing, provider
-- check: usd_min > 0
-- check: n_seen <= n_offers
SELECT date, gpu_model_id, billing, provider, usd AS usd_min, n_offers, n_seen
FROM _seller_day
SEMI JOIN price_daily USING (date, gpu_model_id, gpu_id, kind, billing, commitment)
WHERE gpu_id = 'any' AND kind = 'cloud_rental' AND commitment = 'none'
