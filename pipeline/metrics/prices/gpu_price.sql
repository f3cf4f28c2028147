-- title: What a GPU costs
-- description: One row per GPU with a price. Its current on-demand price is that of rental_market: the market median from three providers up, else
-- description: the market low. Its last known purchase price is the lowest of the newest street prices, of new GPUs before used ones of the same
-- description: day, else the launch price. Rankings use a purchase price if purchase_current or, where the reader asks for older prices, if
-- description: purchase_in_range.
-- group: prices
-- column: gpu_id | | GPU
-- column: rental_usd_per_gpu_hour | USD/(GPU·h) | Market median of the on-demand rent from three providers up, else the market low
-- column: rental_basis | | median or low
-- column: rental_usd_per_gpu_hour_min | USD/(GPU·h) | Lowest current on-demand offer
-- column: n_offers | | Current on-demand offers
-- column: n_providers | | Providers of these
-- column: purchase_usd | USD/GPU | Last known price of a GPU to own
-- column: purchase_kind | | Purchase new, purchase used or launch price (MSRP)
-- column: purchase_date | | Day of that price
-- column: purchase_observation_id | | That price in `price`
-- column: purchase_current | | Whether that price is current: new or used, and no older than a year
-- column: purchase_in_range | | Whether that price is of the dates in purchase_range
-- unique: gpu_id
-- check: (rental_usd_per_gpu_hour IS NOT NULL) = (n_offers > 0)
-- check: rental_usd_per_gpu_hour_min <= rental_usd_per_gpu_hour
-- check: (purchase_usd IS NULL) = (purchase_kind IS NULL)
WITH rental AS (
    SELECT
        gpu_id,
        coalesce(usd_per_gpu_hour_median, usd_per_gpu_hour_low) AS rental_usd_per_gpu_hour,
        CASE WHEN usd_per_gpu_hour_median IS NULL THEN 'low' ELSE 'median' END AS rental_basis,
        usd_per_gpu_hour_low AS rental_usd_per_gpu_hour_min,
        n_offers,
        n_providers
    FROM rental_market
    WHERE billing = 'on_demand' AND commitment = 'any' AND gpus = 'any' AND gpu_id <> 'any'
),
purchase AS (
    SELECT gpu_id, usd AS purchase_usd, kind AS purchase_kind, price_date AS purchase_date, observation_id AS purchase_observation_id,
        is_current_purchase(kind, stale) AS purchase_current, in_purchase_range AS purchase_in_range
    FROM offer_current
    WHERE acquisition = 'buy' AND gpu_id IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY gpu_id ORDER BY preference, price_rank) = 1
)
SELECT
    gpu_id,
    rental_usd_per_gpu_hour,
    rental_basis,
    rental_usd_per_gpu_hour_min,
    coalesce(n_offers, 0) AS n_offers,
    coalesce(n_providers, 0) AS n_providers,
    purchase_usd,
    purchase_kind,
    purchase_date,
    purchase_observation_id,
    purchase_current,
    purchase_in_range
FROM rental
FULL JOIN purchase USING (gpu_id)
