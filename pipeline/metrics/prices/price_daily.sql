-- title: Prices by day
-- description: One row per day, GPU model or variant, kind, billing and commitment: what the offers current on that day cost. The low is the
-- description: cheapest offer. Median and quartiles are over providers, each with its cheapest offer, from three providers up; of purchases over
-- description: listings. An offer is current between days on which it was seen at the same price, and afterwards until a newer list leaves it out.
-- description: Without such a list it ends after 7 days (spot, marketplace), 100 days (list prices) or a year (purchases). Column `n_seen` counts
-- description: the offers seen on the day itself. A day without any sighting has no row. The row `any` of a model joins its variants and the offers
-- description: that do not state one: select one row, and do not add rows up. Whole GPUs with their host alone, without Windows, "from" prices,
-- description: estimates of launch prices, spot prices at or above on-demand, and prices that the provider's own list contradicts. More offers one
-- description: day is no change of price: see price_index. A variant's rows count offers that state it; rental_market also counts those that can be
-- description: it.
-- group: prices
-- as-in: _seller | gpu_model_id, gpu_id, kind, billing, commitment
-- column: date | | Day
-- column: n_offers | | Offers behind the figures: provider, variant and number of GPUs; of purchases listings
-- column: n_seen | | Offers of these seen on this day
-- column: n_providers | | Providers behind the figures
-- column: usd_min | USD/(GPU·h) or USD/GPU | Lowest price: of an hour of a rental, or of a GPU to own
-- column: low_provider | | Provider of it
-- column: usd_p25 | USD/(GPU·h) or USD/GPU | A quarter of the providers cost no more; empty below three
-- column: usd_median | USD/(GPU·h) or USD/GPU | Half of the providers cost no more; empty below three
-- column: usd_p75 | USD/(GPU·h) or USD/GPU | Three quarters of the providers cost no more; empty below three
-- unique: date, gpu_model_id, gpu_id, kind, billing, commitment
-- check: n_providers BETWEEN 1 AND n_offers
-- check: n_seen <= n_offers
-- check: usd_min <= usd_p25 AND usd_p25 <= usd_median AND usd_median <= usd_p75
WITH
-- sellers with this price or a lower one, and all
ranked AS (
    SELECT
        date, market_number, usd, n_sellers, n_providers, n_offers, n_seen, provider_number,
        sum(n_sellers) OVER (PARTITION BY date, market_number ORDER BY usd ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS up_to,
        sum(n_sellers) OVER (PARTITION BY date, market_number) AS n
    FROM _price_histogram
),
-- a quantile is between the prices on both sides of its place among the sellers, which are counted from 0
placed AS (
    SELECT
        date, market_number, n,
        CAST(sum(n_offers) AS BIGINT) AS n_offers,
        CAST(sum(n_seen) AS BIGINT) AS n_seen,
        CAST(sum(n_providers) AS BIGINT) AS n_providers,
        min(usd) AS usd_min,
        min(CASE WHEN up_to = n_sellers THEN provider_number END) AS provider_number,
        (n - 1) * 0.25E0 AS at_p25, (n - 1) * 0.5E0 AS at_median, (n - 1) * 0.75E0 AS at_p75,
        min(CASE WHEN up_to > floor((n - 1) * 0.25E0) THEN usd END) AS p25_below,
        min(CASE WHEN up_to > ceil((n - 1) * 0.25E0) THEN usd END) AS p25_above,
        min(CASE WHEN up_to > floor((n - 1) * 0.5E0) THEN usd END) AS median_below,
        min(CASE WHEN up_to > ceil((n - 1) * 0.5E0) THEN usd END) AS median_above,
        min(CASE WHEN up_to > floor((n - 1) * 0.75E0) THEN usd END) AS p75_below,
        min(CASE WHEN up_to > ceil((n - 1) * 0.75E0) THEN usd END) AS p75_above
    FROM ranked
    GROUP BY date, market_number, n
),
market AS (SELECT DISTINCT market_number, gpu_model_id, gpu_id, kind, billing, commitment FROM _seller),
provider AS (SELECT DISTINCT provider_number, provider AS low_provider FROM _seller)
SELECT
    p.date, m.gpu_model_id, m.gpu_id, m.kind, m.billing, m.commitment, p.n_offers, p.n_seen, p.n_providers, p.usd_min, l.low_provider,
    CASE WHEN n >= 3 THEN p25_below * (1 - at_p25 + floor(at_p25)) + p25_above * (at_p25 - floor(at_p25)) END AS usd_p25,
    CASE WHEN n >= 3 THEN median_below * (1 - at_median + floor(at_median)) + median_above * (at_median - floor(at_median)) END AS usd_median,
    CASE WHEN n >= 3 THEN p75_below * (1 - at_p75 + floor(at_p75)) + p75_above * (at_p75 - floor(at_p75)) END AS usd_p75
FROM placed AS p
JOIN market AS m ON m.market_number = p.market_number
JOIN provider AS l ON l.provider_number = p.provider_number
WHERE p.n_seen > 0
