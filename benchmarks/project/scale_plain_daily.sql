-- Daily prices from $first_day to $last_day, from the tables of scale_plain.sql. All days of 10^8 observations at once need more than 50 GB on the
-- disk where memory is limited to 6 GB.
WITH
listing_day AS (
    SELECT listing_number, day, min(usd) AS usd, bool_or(seen) AS seen
    FROM (
        SELECT listing_number, usd, begins + unnest(range(ends - begins + 1))::INTEGER AS day, day = date AS seen
        FROM (SELECT *, greatest(date, $first_day::DATE) AS begins, least(until, $last_day::DATE) AS ends FROM period WHERE counts)
        WHERE begins <= ends
    )
    GROUP BY listing_number, day
),
seller_day AS (
    SELECT
        market_number, seller_number, any_value(provider) AS provider, day, count(*) AS n_offers, count(*) FILTER (WHERE seen) AS n_seen,
        min(usd) AS usd
    FROM listing_day
    JOIN seller USING (listing_number)
    GROUP BY market_number, seller_number, day
),
daily AS (
    SELECT
        day, market_number, sum(n_offers)::BIGINT AS n_offers, sum(n_seen)::BIGINT AS n_seen, count(DISTINCT provider) AS n_providers,
        min(usd) AS usd_min, arg_min(provider, (usd, provider)) AS low_provider,
        if(count(*) >= 3, quantile_cont(usd, 0.25), NULL) AS usd_p25,
        if(count(*) >= 3, median(usd), NULL) AS usd_median,
        if(count(*) >= 3, quantile_cont(usd, 0.75), NULL) AS usd_p75
    FROM seller_day
    GROUP BY day, market_number
    HAVING sum(n_seen) > 0
)
SELECT day AS date, gpu_model_id, variant AS gpu_id, kind, billing, commitment, daily.* EXCLUDE (day, market_number)
FROM daily
JOIN (SELECT DISTINCT market_number, gpu_model_id, variant, kind, billing, commitment FROM seller) USING (market_number)
