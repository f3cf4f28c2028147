-- title: Rental prices of each provider by day
-- description: One row per day, GPU model, billing and provider with a current offer without a commitment: its cheapest, over all variants. The
-- description: offers are those of price_daily, whose lowest price and median are over these rows.
-- group: prices
-- as-in: price_daily | date, gpu_model_id, n_seen
-- column: billing | | On what terms the rental is billed
-- column: provider | | Provider
-- column: usd_min | USD/(GPU·h) | Lowest price
-- column: n_offers | | Current offers of the provider
-- unique: date, gpu_model_id, billing, provider
-- check: usd_min > 0
-- check: n_seen <= n_offers
SELECT d.date, s.gpu_model_id, s.billing, s.provider, d.usd AS usd_min, d.n_offers, d.n_seen
FROM _seller_day AS d
JOIN _seller AS s USING (seller_number)
SEMI JOIN price_daily AS p
    ON p.date = d.date AND p.gpu_model_id = s.gpu_model_id AND p.gpu_id = s.gpu_id AND p.kind = s.kind AND p.billing = s.billing
    AND p.commitment = s.commitment
WHERE s.gpu_id = 'any' AND s.kind = 'cloud_rental' AND s.commitment = 'none'
