-- title: Distinct prices by day
-- description: One row per day, GPU model or variant, kind, billing, commitment and distinct lowest price of a seller, with the number of sellers that have
-- description: it. Every column but the key is a sum or a minimum, so that histograms of disjoint sellers add up, and quantiles from it are exact.
-- description: Portable SQL: `gpuledger aggregate` runs this file on DuckDB and on Spark.
-- group: prices
-- column: date | | Day
-- column: market_number | | Number of the GPU model or variant, kind, billing and commitment, as in _seller: another computation may number otherwise
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
day AS (
    SELECT d.date, d.usd, d.n_offers, d.n_seen, s.seller_number, s.market_number, s.provider_number, s.kind
    FROM _seller_day AS d
    JOIN _seller AS s ON s.seller_number = d.seller_number
),
ranked AS (
    -- of rentals every provider is one seller
    SELECT *, 1 AS place FROM day WHERE kind = 'cloud_rental'
    UNION ALL
    SELECT *, row_number() OVER (PARTITION BY date, market_number, provider_number ORDER BY usd, seller_number)
    FROM day
    WHERE kind <> 'cloud_rental'
),
counted AS (
    SELECT
        date, market_number, usd,
        count(*) AS n_sellers,
        count(CASE WHEN place = 1 THEN 1 END) AS n_providers,
        CAST(sum(n_offers) AS BIGINT) AS n_offers,
        CAST(sum(n_seen) AS BIGINT) AS n_seen,
        min(provider_number) AS provider_number
    FROM ranked
    GROUP BY date, market_number, usd
),
market AS (SELECT DISTINCT market_number, gpu_model_id, gpu_id, kind, billing, commitment FROM _seller),
provider AS (SELECT DISTINCT provider_number, provider FROM _seller)
SELECT
    c.date, c.market_number, m.gpu_model_id, m.gpu_id, m.kind, m.billing, m.commitment, c.usd, c.n_sellers, c.n_providers, c.n_offers, c.n_seen,
    p.provider AS first_provider
FROM counted AS c
JOIN market AS m ON m.market_number = c.market_number
JOIN provider AS p ON p.provider_number = c.provider_number
