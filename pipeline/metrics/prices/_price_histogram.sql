-- title: Distinct prices by day
-- description: One row per day, GPU model or variant, kind, billing, commitment and distinct lowest price of a seller, with the number of sellers that have
-- description: it. Every column but the key is a sum or a minimum, so that histograms of disjoint sellers add up, and quantiles from it are exact.
-- description: Portable SQL: `gpuledger aggregate` runs this file on DuckDB and on Spark.
-- group: prices
-- column: date | | Day
-- column: gpu_model_id | | GPU model
-- column: gpu_id | | Variant that the offers state; `any` = all variants of the model and offers that do not state one
-- column: kind | | What is paid for
-- column: billing | | On what terms a rental is billed; `none` for a purchase
-- column: commitment | | Term of a reservation or savings plan; `none` without one, `not stated` where it is not known
-- column: usd | USD/(GPU·h) or USD/GPU | Price
-- column: n_sellers | | Sellers whose lowest price it is
-- column: n_providers | | Providers whose lowest price it is
-- column: n_offers | | Current offers of these sellers, at this price or above
-- column: n_seen | | Offers of these seen on this day
-- column: first_provider | | First of these providers in the alphabet
-- unique: date, gpu_model_id, gpu_id, kind, billing, commitment, usd
-- check: n_sellers > 0
WITH
seller AS (SELECT * FROM _seller_day),
ranked AS (
    -- of rentals every provider is one seller
    SELECT *, 1 AS place FROM seller WHERE kind = 'cloud_rental'
    UNION ALL
    SELECT
        *,
        row_number() OVER (PARTITION BY date, gpu_model_id, gpu_id, kind, billing, commitment, provider ORDER BY usd, seller) AS place
    FROM seller
    WHERE kind <> 'cloud_rental'
)
SELECT
    date, gpu_model_id, gpu_id, kind, billing, commitment, usd,
    count(*) AS n_sellers,
    count(CASE WHEN place = 1 THEN 1 END) AS n_providers,
    CAST(sum(n_offers) AS BIGINT) AS n_offers,
    CAST(sum(n_seen) AS BIGINT) AS n_seen,
    min(provider) AS first_provider
FROM ranked
GROUP BY date, gpu_model_id, gpu_id, kind, billing, commitment, usd
