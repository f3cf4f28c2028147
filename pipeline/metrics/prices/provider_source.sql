-- title: Which sources list a provider
-- description: One row per provider and source: the prices of it that were kept, on any day and of any kind.
-- group: prices
-- column: provider | | Who sells or rents
-- column: source_id | | Source
-- column: n_prices | | Prices kept
-- column: first_day | | Day of the oldest
-- column: last_day | | Day of the newest
-- unique: provider, source_id
-- check: n_prices > 0
-- check: first_day <= last_day
SELECT provider, source_id, count(*) AS n_prices, min(observed_at) AS first_day, max(observed_at) AS last_day
FROM price
GROUP BY ALL
