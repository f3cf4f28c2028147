-- title: Which price of each offer is the newest
-- description: One row per offer: the price that was known last at the build's as_of. A price announced for a later day waits for that day.
-- group: prices
-- column: offer_key | | The offer, the same on every day
-- column: observation_id | | Price in `price`
-- column: last_day | | Last day on which the price was seen, or the day from which it is announced
-- column: stale | | Whether it is too old, or left out of a newer list
-- unique: offer_key
WITH known AS (
    SELECT
        price.* EXCLUDE (snapshot_id),
        price_seen_from(observed_at, effective_from, effective_to) AS first_day,
        least(price_seen_to(observed_at, effective_from, effective_to), release.as_of) AS last_day,
        -- day of the newest list, of any region where the price states none; an excerpt of a list leaves out offers that are still listed
        CASE
            WHEN region IS NULL THEN max(last_day) FILTER (extent <> 'excerpt') OVER (PARTITION BY price.source_id, provider, kind, billing)
            ELSE max(last_day) FILTER (extent <> 'excerpt') OVER (PARTITION BY price.source_id, provider, region, kind, billing)
        END AS list_day
    FROM price
    JOIN snapshot USING (snapshot_id)
    CROSS JOIN release
    WHERE first_day <= release.as_of
)
SELECT offer_key, observation_id, last_day, stale OR (kind = 'cloud_rental' AND coalesce(last_day < list_day, false)) AS stale
FROM known
QUALIFY row_number() OVER (PARTITION BY offer_key ORDER BY last_day DESC, first_day DESC, observed_at DESC, amount, observation_id) = 1
