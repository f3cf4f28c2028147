-- title: Which rental each purchase is compared with
-- description: One row per purchase price of break_even, without the guide's own case: the rental that pages set beside it. Current before stale, on
-- description: demand before other terms, then the cheapest; of stale ones the newest. An offer that a newer list leaves out is stale (price_latest).
-- group: systems
-- column: purchase_id | | Purchase in break_even
-- column: rental_observation_id | | Rental in break_even
-- column: gpu_id | | GPU
-- column: purchase_rank | | Place among the purchase prices of the GPU: as in offer_current, the newest street price first, of one day new before used, and launch prices last
-- column: is_example | | The one that the page of renting or buying begins with: the newest GPU with a price of a new one and a current on-demand offer
-- unique: purchase_id
WITH
pair AS (
    SELECT DISTINCT purchase_id, rental_observation_id, buy_gpu_id AS gpu_id, purchase_kind, purchase_date, gpu_usd,
        break_even_days IS NOT NULL AS pays_off
    FROM break_even
    WHERE NOT guide_case
),
chosen AS (
    SELECT pair.*, g.release_date,
        pays_off AND purchase_kind = 'purchase_new' AND NOT p.stale AND p.billing IS NOT DISTINCT FROM 'on_demand' AS can_be_example
    FROM pair
    JOIN price_latest AS p ON p.observation_id = pair.rental_observation_id
    JOIN gpu AS g ON g.gpu_id = pair.gpu_id
    QUALIFY row_number() OVER (
        PARTITION BY purchase_id
        ORDER BY p.stale, p.billing IS DISTINCT FROM 'on_demand', CASE WHEN NOT p.stale THEN p.usd_per_gpu_hour END,
            p.observed_at DESC, p.usd_per_gpu_hour, rental_observation_id
    ) = 1
)
SELECT
    purchase_id, rental_observation_id, gpu_id,
    row_number() OVER (
        PARTITION BY gpu_id ORDER BY purchase_kind = 'msrp', purchase_date DESC, purchase_kind, gpu_usd, purchase_id
    ) AS purchase_rank,
    can_be_example AND row_number() OVER (
        ORDER BY can_be_example DESC, release_date DESC NULLS LAST, purchase_date DESC, gpu_usd, purchase_id
    ) = 1 AS is_example
FROM chosen
