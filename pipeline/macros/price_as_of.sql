-- title: Prices as they were known on a day
-- description: One row of `price` per offer: its newest price seen on or before that day. Column `stale` is as on that day: too old, or left out of
-- description: a newer list of the same source, provider, region and billing. STALE is among the flags where stale is true. A price announced for
-- description: later waits for its day. Example: SELECT * FROM price_as_of(DATE '2026-08-01') WHERE NOT stale. It reads tables price, snapshot and
-- description: source_day of the database in use: where several files are attached, run USE first.
-- parameter: on_day | | Day, as a DATE
-- returns: | Rows of price, one per offer
WITH
begun AS (
    SELECT
        p.*,
        s.extent,
        coalesce(p.region, 'none') AS area,
        price_seen_from(p.observed_at, p.effective_from, p.effective_to) AS first_day,
        least(price_seen_to(p.observed_at, p.effective_from, p.effective_to), on_day) AS until_day
    FROM price AS p
    JOIN snapshot AS s USING (snapshot_id)
    WHERE first_day <= on_day
),
seen AS (
    SELECT
        b.*,
        -- day of the list that shows the price; a price whose source was not read on each of its days holds between those days, too
        CASE
            WHEN b.days_observed <= b.effective_to - b.effective_from THEN greatest(b.first_day, coalesce(d.date, b.until_day))
            ELSE b.until_day
        END AS shown_on
    FROM begun AS b
    ASOF LEFT JOIN source_day AS d ON (d.source_id, d.region) = (b.source_id, b.area) AND d.date <= b.until_day
),
known AS (
    SELECT
        *,
        -- day of the newest list, of any region where the price states none; an excerpt of a list leaves out offers that are still listed
        CASE
            WHEN region IS NULL THEN max(shown_on) FILTER (extent <> 'excerpt') OVER (PARTITION BY source_id, provider, kind, billing)
            ELSE max(shown_on) FILTER (extent <> 'excerpt') OVER (PARTITION BY source_id, provider, region, kind, billing)
        END AS list_day
    FROM seen
),
newest AS (
    SELECT * EXCLUDE (extent, area, first_day, until_day, shown_on, list_day) REPLACE (
        on_day - until_day > max_price_age_days(kind, billing) OR (kind = 'cloud_rental' AND coalesce(until_day < list_day, false)) AS stale
    )
    FROM known
    QUALIFY row_number() OVER (PARTITION BY offer_key ORDER BY until_day DESC, first_day DESC, observed_at DESC, amount, observation_id) = 1
)
SELECT * REPLACE (nullif(concat_ws(',', without_flag(flags, 'STALE'), CASE WHEN stale THEN 'STALE' END), '') AS flags)
FROM newest
