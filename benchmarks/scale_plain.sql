-- The same intervals and daily prices as `gpuledger aggregate`, in DuckDB's own SQL over all observations at once: what the bench compares with.
CREATE TEMP TABLE period AS
WITH
list AS (
    SELECT
        source_id, provider, region, kind, billing, date,
        min(date) FILTER (WHERE listed) OVER (
            PARTITION BY source_id, provider, region, kind, billing ORDER BY date ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING
        ) AS next_date
    FROM (SELECT source_id, provider, region, kind, billing, date, bool_or(is_listed) AS listed FROM observation GROUP BY ALL)
)
SELECT
    offer_key, gpu_model_id, gpu_id, kind, billing, commitment, provider, listing, usd, counts, date,
    CASE
        WHEN stated_until IS NOT NULL THEN least(stated_until, lead(date) OVER later - 1)
        ELSE least(lead(date) OVER later - 1, next_date - 1, date + max_age_days)
    END AS until
FROM observation
JOIN list USING (source_id, provider, region, kind, billing, date)
WINDOW later AS (PARTITION BY offer_key ORDER BY date);

COPY (
    SELECT offer_key, usd, counts, min(date) AS first_day, max(until) AS last_day
    FROM (
        SELECT *, count(*) FILTER (WHERE begins) OVER (PARTITION BY offer_key ORDER BY date) AS number
        FROM (
            SELECT *, (lag(until) OVER before, lag(usd) OVER before, lag(counts) OVER before) IS DISTINCT FROM (date - 1, usd, counts) AS begins
            FROM period
            WINDOW before AS (PARTITION BY offer_key ORDER BY date)
        )
    )
    GROUP BY offer_key, number, usd, counts
) TO 'interval.parquet' (FORMAT parquet);

COPY (
    WITH
    listing AS (
        SELECT day, gpu_model_id, gpu_id, kind, billing, commitment, provider, listing, min(usd) AS usd, bool_or(seen) AS seen
        FROM (SELECT *, unnest(range(until - date + 1)) AS after, date + after::INTEGER AS day, after = 0 AS seen FROM period WHERE counts)
        GROUP BY ALL
    ),
    seller AS (
        SELECT
            day, gpu_model_id, variant, kind, billing, commitment, provider, if(kind = 'cloud_rental', provider, listing) AS seller,
            count(*) AS n_offers, count(*) FILTER (WHERE seen) AS n_seen, min(usd) AS usd
        FROM (SELECT *, unnest(if(gpu_id IS NULL, ['any'], ['any', gpu_id])) AS variant FROM listing)
        GROUP BY ALL
    )
    SELECT
        day AS date, gpu_model_id, variant AS gpu_id, kind, billing, commitment, sum(n_offers)::BIGINT AS n_offers, sum(n_seen)::BIGINT AS n_seen,
        count(DISTINCT provider) AS n_providers, min(usd) AS usd_min, arg_min(provider, (usd, provider)) AS low_provider,
        if(count(*) >= 3, quantile_cont(usd, 0.25), NULL) AS usd_p25,
        if(count(*) >= 3, median(usd), NULL) AS usd_median,
        if(count(*) >= 3, quantile_cont(usd, 0.75), NULL) AS usd_p75
    FROM seller
    GROUP BY ALL
    HAVING sum(n_seen) > 0
) TO 'price_daily.parquet' (FORMAT parquet);
