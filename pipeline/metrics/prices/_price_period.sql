-- title: Time for which each price is current
-- description: One row per price of an offer that counts and day on which it was seen, with the last day on which it is current: the day before it was seen
-- description: again at the same price, else the day before the next list of the same source, provider, region, kind and billing, or the age limit of
-- description: such prices (max_price_age_days), whichever is first. A price that another offer repeats (offer_repeat) ends where that one begins.
-- group: prices
-- column: offer_key | | The offer, the same on every day
-- column: observation_id | | Price in `price`
-- column: date | | Day on which the price was seen
-- column: until | | Last day on which it is current
-- unique: offer_key, date
-- check: date <= until
WITH
offer AS (
    SELECT
        s.offer_key, s.observation_id, s.source_id, lower(s.provider) AS provider, coalesce(s.region, '') AS region, s.kind,
        coalesce(s.billing, '') AS billing, p.snapshot_id, s.counts
    FROM _price_span AS s
    JOIN price AS p USING (observation_id)
    WHERE s.counts OR p.includes_host = false
),
day AS (
    SELECT
        *, lead(date) OVER later AS seen_again, lead(observation_id) OVER later = observation_id AS unchanged
    FROM (FROM _price_day SEMI JOIN offer USING (offer_key, observation_id))
    WINDOW later AS (PARTITION BY offer_key ORDER BY date)
),
seen AS (FROM day JOIN offer USING (offer_key, observation_id)),
-- an excerpt of a list leaves out offers that are still listed
list AS (
    SELECT DISTINCT source_id, provider, region, kind, billing, date
    FROM seen
    JOIN (SELECT snapshot_id FROM snapshot WHERE extent <> 'excerpt') USING (snapshot_id)
),
period AS (
    SELECT offer_key, observation_id, date, counts, seen_again - 1 AS until FROM seen WHERE unchanged
    UNION ALL
    SELECT
        s.offer_key, s.observation_id, s.date, s.counts,
        least(s.seen_again - 1, l.date - 1, s.date + max_price_age_days(s.kind, nullif(s.billing, ''))) AS until
    FROM seen AS s
    ASOF LEFT JOIN list AS l
        ON (l.source_id, l.provider, l.region, l.kind, l.billing) = (s.source_id, s.provider, s.region, s.kind, s.billing) AND l.date > s.date
    WHERE s.unchanged IS NOT true
),
-- first day on which an offer that this one repeats is current
elsewhere AS (
    SELECT own.offer_key, own.date, min(other.date) AS from_day
    FROM offer_repeat AS r
    JOIN period AS own USING (offer_key)
    JOIN period AS other ON other.offer_key = r.repeats AND other.date <= own.until AND other.until >= own.date
    GROUP BY ALL
)
SELECT p.offer_key, p.observation_id, p.date, least(p.until, e.from_day - 1) AS until
FROM period AS p
LEFT JOIN elsewhere AS e USING (offer_key, date)
WHERE p.counts AND coalesce(p.date < e.from_day, true)
