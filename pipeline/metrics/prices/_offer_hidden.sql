-- title: Offers that another source lists in their place
-- description: One row per offer and the offer of another source at whose price it is listed. An offer that repeats another (offer_repeat) is
-- description: listed at the other's price, unless its own was seen well after it. Then the newer price counts, even where it is withdrawn since.
-- description: The same price without the variant says less, and does not count. A stale offer does not replace a current one, and one that leaves
-- description: the host out shows that the other does too.
-- group: prices
-- column: offer_key | | Offer that is not listed
-- column: listed_as | | Offer that is listed in its place
-- column: seen_last | | Where both have the same price, the last day on which either source showed it
-- unique: offer_key, listed_as
WITH listed AS (
    SELECT l.offer_key, l.gpu_id, coalesce(l.usd_per_gpu_hour, l.usd_per_gpu) AS usd, l.last_day, l.stale, l.includes_host, s.counts
    FROM price_latest AS l
    JOIN (SELECT observation_id, bool_or(counts) AS counts FROM _price_span GROUP BY observation_id) AS s USING (observation_id)
),
pair AS (
    SELECT
        r.offer_key,
        r.repeats,
        CASE WHEN round(own.usd - other.usd, 4) = 0 THEN greatest(own.last_day, other.last_day) END AS seen_last,
        coalesce(own.counts AND own.last_day - other.last_day > r.replaces_after_days, false)
            AND (own.gpu_id IS NOT DISTINCT FROM other.gpu_id OR own.usd <> other.usd) AS newer
    FROM offer_repeat AS r
    JOIN listed AS own ON own.offer_key = r.offer_key
    JOIN listed AS other ON other.offer_key = r.repeats
    WHERE (own.stale OR NOT other.stale) AND (other.counts OR other.includes_host = false)
)
SELECT
    CASE WHEN newer THEN repeats ELSE offer_key END AS offer_key,
    CASE WHEN newer THEN offer_key ELSE repeats END AS listed_as,
    seen_last
FROM pair
