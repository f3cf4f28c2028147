-- The same intervals as `gpuledger aggregate`, in DuckDB's own SQL over all observations at once: what the bench compares with. Daily prices follow
-- by years (scale_plain_daily.sql).
-- Offers, listings, sellers and markets have numbers, because sorts and groups of numbers are several times quicker than of texts.
CREATE TEMP TABLE offer AS
SELECT
    *,
    row_number() OVER () AS offer_number,
    dense_rank() OVER (ORDER BY gpu_model_id, gpu_id, kind, billing, commitment, provider, listing) AS listing_number
FROM (
    SELECT
        offer_key, any_value(gpu_model_id) AS gpu_model_id, any_value(gpu_id) AS gpu_id, any_value(kind) AS kind, any_value(billing) AS billing,
        any_value(commitment) AS commitment, any_value(provider) AS provider, any_value(listing) AS listing
    FROM observation
    GROUP BY offer_key
);

CREATE TEMP TABLE seller AS
SELECT
    *,
    dense_rank() OVER (ORDER BY gpu_model_id, variant, kind, billing, commitment, provider, seller) AS seller_number,
    dense_rank() OVER (ORDER BY gpu_model_id, variant, kind, billing, commitment) AS market_number
FROM (
    SELECT DISTINCT
        listing_number, gpu_model_id, unnest(if(gpu_id IS NULL, ['any'], ['any', gpu_id])) AS variant, kind, billing, commitment, provider,
        if(kind = 'cloud_rental', provider, listing) AS seller
    FROM offer
);

CREATE TEMP TABLE period AS
WITH
list AS (
    SELECT
        source_id, provider, region, kind, billing, date,
        min(date) FILTER (WHERE listed) OVER (
            PARTITION BY source_id, provider, region, kind, billing ORDER BY date ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING
        ) AS next_date
    FROM (SELECT source_id, provider, region, kind, billing, date, bool_or(is_listed) AS listed FROM observation GROUP BY ALL)
),
seen AS (
    SELECT offer_number, listing_number, date, stated_until, next_date, max_age_days, usd, counts
    FROM observation
    JOIN list USING (source_id, provider, region, kind, billing, date)
    JOIN offer USING (offer_key)
)
SELECT
    offer_number, listing_number, usd, counts, date,
    CASE
        WHEN stated_until IS NOT NULL THEN least(stated_until, lead(date) OVER later - 1)
        ELSE least(lead(date) OVER later - 1, next_date - 1, date + max_age_days)
    END AS until
FROM seen
WINDOW later AS (PARTITION BY offer_number ORDER BY date);

COPY (
    WITH stretch AS (
        SELECT offer_number, usd, counts, min(date) AS first_day, max(until) AS last_day
        FROM (
            SELECT *, count(*) FILTER (WHERE begins) OVER (PARTITION BY offer_number ORDER BY date) AS number
            FROM (
                SELECT
                    *, (lag(until) OVER before, lag(usd) OVER before, lag(counts) OVER before) IS DISTINCT FROM (date - 1, usd, counts) AS begins
                FROM period
                WINDOW before AS (PARTITION BY offer_number ORDER BY date)
            )
        )
        GROUP BY offer_number, number, usd, counts
    )
    SELECT offer_key, usd, counts, first_day, last_day FROM stretch JOIN offer USING (offer_number)
) TO 'interval.parquet' (FORMAT parquet);
