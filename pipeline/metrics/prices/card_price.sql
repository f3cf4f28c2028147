-- title: What a card costs
-- description: One row per card with a price: the median of its current on-demand rentals, each offer once, and its purchase price: the lowest of the
-- description: newest street prices, else the launch price. No stale rental is in it; a purchase price keeps its kind and day.
-- group: prices
-- column: gpu_id | | Card
-- column: rental_usd_per_hour | USD/(GPU·h) | Median of current on-demand offers
-- column: rental_usd_per_hour_min | USD/(GPU·h) | Lowest of them
-- column: n_offers | | Current on-demand offers
-- column: n_providers | | Providers of these
-- column: purchase_usd | USD/GPU | Price of a card to own
-- column: purchase_kind | | purchase_new, purchase_used or msrp (launch price)
-- column: purchase_date | | Day of that price
-- column: purchase_observation_id | | That price in `price`
-- unique: gpu_id
-- check: (rental_usd_per_hour IS NOT NULL) = (n_offers > 0)
-- check: rental_usd_per_hour_min <= rental_usd_per_hour
-- check: (purchase_usd IS NULL) = (purchase_kind IS NULL)
WITH rental AS (
    SELECT
        gpu_id,
        median(usd) AS rental_usd_per_hour,
        min(usd) AS rental_usd_per_hour_min,
        count(*) AS n_offers,
        count(DISTINCT lower(provider)) AS n_providers
    FROM offer_current
    WHERE way = 'rent' AND billing = 'on_demand' AND NOT stale
    GROUP BY gpu_id
),
purchase AS (
    SELECT gpu_id, usd AS purchase_usd, kind AS purchase_kind, price_date AS purchase_date, observation_id AS purchase_observation_id
    FROM offer_current
    WHERE way = 'buy'
    QUALIFY row_number() OVER (PARTITION BY gpu_id ORDER BY preference, usd, observation_id) = 1
)
SELECT
    gpu_id,
    rental_usd_per_hour,
    rental_usd_per_hour_min,
    coalesce(n_offers, 0) AS n_offers,
    coalesce(n_providers, 0) AS n_providers,
    purchase_usd,
    purchase_kind,
    purchase_date,
    purchase_observation_id
FROM rental
FULL JOIN purchase USING (gpu_id)
