-- title: Distinct prices by day
-- description: One row per day, market (_seller) and distinct lowest price of a seller, with the number of sellers that have it. Every column but the key is
-- description: a sum or a minimum, so that histograms of disjoint sellers add up, and quantiles from it are exact. Markets and providers have the numbers of
-- description: _seller: to add up histograms of other computations, join the names there first.
-- description: Portable SQL: `gpuledger aggregate` runs this file on DuckDB and on Spark.
-- group: prices
-- column: date | | Day
-- column: market_number | | Number of the GPU model or variant, kind, billing and commitment
-- column: usd | USD/(GPU·h) or USD/GPU | Price
-- column: n_sellers | | Sellers whose lowest price it is
-- column: n_providers | | Providers whose lowest price it is
-- column: n_offers | | Current offers of these sellers, at this price or above
-- column: n_seen | | Offers of these seen on this day
-- column: provider_number | | First of these providers in the alphabet
-- unique: date, market_number, usd
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
)
SELECT
    date, market_number, usd,
    count(*) AS n_sellers,
    count(CASE WHEN place = 1 THEN 1 END) AS n_providers,
    CAST(sum(n_offers) AS BIGINT) AS n_offers,
    CAST(sum(n_seen) AS BIGINT) AS n_seen,
    min(provider_number) AS provider_number
FROM ranked
GROUP BY date, market_number, usd
