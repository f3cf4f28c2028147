-- title: Time for which each price is current
-- description: One row per offer and stretch of days without a gap on which its price is current and the same. A price is current from the day on
-- description: which it was seen to the day before its offer was seen again. Otherwise it ends at its age limit, or before that on the day before
-- description: the next list of the same source, provider, region, kind and billing. If the price states no region, a list of any region counts.
-- description: Where an offer that it repeats (offer_repeat) is current, it does not count, unless it was seen well after that one
-- description: (`replaces_after_days`): then it ends the other. Portable SQL: `gpuledger aggregate` runs this file on DuckDB and on Spark.
-- group: prices
-- as-in: _price_sighting | source_id, offer_key, gpu_model_id, gpu_id, kind, billing, commitment, provider, region, usd, counts
-- column: first_day | | First day on which the price is current
-- column: last_day | | Last day on which it is current
-- column: seen_on | | Last day on which it was seen
-- column: stated_until | | Last day for which the source states the price seen on that day; empty = not stated
-- column: listing | | Offers that statistics count as one
-- column: max_age_days | day | Days for which a price is current if no later list follows
-- unique: offer_key, first_day
-- check: first_day <= last_day
-- check: seen_on <= last_day
WITH
list AS (
    SELECT source_id, provider, region, kind, billing, date, max(CASE WHEN is_listed THEN date END) AS listed_on
    FROM _price_sighting
    WHERE region <> 'none'
    GROUP BY source_id, provider, region, kind, billing, date
    UNION ALL
    SELECT source_id, provider, 'none', kind, billing, date, max(CASE WHEN is_listed THEN date END)
    FROM _price_sighting
    GROUP BY source_id, provider, kind, billing, date
),
next_list AS (
    SELECT
        source_id, provider, region, kind, billing, date,
        min(listed_on) OVER (
            PARTITION BY source_id, provider, region, kind, billing ORDER BY date ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING
        ) AS next_date
    FROM list
),
seen AS (
    SELECT
        s.offer_key, s.date, s.stated_until, s.gpu_id, s.usd, s.counts, s.max_age_days, l.next_date,
        lead(s.date) OVER (PARTITION BY s.offer_key ORDER BY s.date) AS seen_again
    FROM _price_sighting AS s
    JOIN next_list AS l
        ON l.source_id = s.source_id AND l.provider = s.provider AND l.region = s.region AND l.kind = s.kind AND l.billing = s.billing
        AND l.date = s.date
),
lasting AS (
    SELECT
        offer_key, date, stated_until, gpu_id, usd, counts,
        CASE
            WHEN stated_until IS NOT NULL THEN least(stated_until, seen_again - 1)
            ELSE least(seen_again - 1, next_date - 1, date + max_age_days)
        END AS until
    FROM seen
),
-- first day on which another source has a newer price of the offer; the same price without the variant would say less
replaced AS (
    SELECT other.offer_key, other.date, min(own.date) AS from_day
    FROM offer_repeat AS r
    JOIN lasting AS own ON own.offer_key = r.offer_key
    JOIN lasting AS other ON other.offer_key = r.repeats AND own.date <= other.until
    WHERE own.counts AND own.date > other.date + CAST(r.replaces_after_days AS INTEGER) AND other.stated_until IS NULL
        AND (own.gpu_id IS NOT DISTINCT FROM other.gpu_id OR own.usd <> other.usd)
    GROUP BY other.offer_key, other.date
),
period AS (
    SELECT l.offer_key, l.date, l.stated_until, l.usd, l.counts, least(l.until, r.from_day - 1) AS until
    FROM lasting AS l
    LEFT JOIN replaced AS r ON r.offer_key = l.offer_key AND r.date = l.date
),
-- first day on which an offer that this one repeats is current
elsewhere AS (
    SELECT own.offer_key, own.date, min(other.date) AS from_day
    FROM offer_repeat AS r
    JOIN period AS own ON own.offer_key = r.offer_key
    JOIN period AS other ON other.offer_key = r.repeats AND other.date <= own.until AND other.until >= own.date
    GROUP BY own.offer_key, own.date
),
part AS (
    SELECT p.offer_key, p.date AS seen_on, p.stated_until, p.date AS first_day, least(p.until, e.from_day - 1) AS last_day, p.usd, p.counts
    FROM period AS p
    LEFT JOIN elsewhere AS e ON e.offer_key = p.offer_key AND e.date = p.date
    WHERE p.until >= p.date AND (e.from_day IS NULL OR e.from_day > p.date)
    UNION ALL
    SELECT p.offer_key, p.date, p.stated_until, greatest(p.date, e.from_day), p.until, p.usd, false
    FROM period AS p
    JOIN elsewhere AS e ON e.offer_key = p.offer_key AND e.date = p.date
    WHERE p.until >= p.date
),
-- a stretch begins and ends where the price before or after it does not continue it
edge AS (
    SELECT
        *,
        CASE WHEN lag(last_day) OVER days = first_day - 1 AND lag(usd) OVER days = usd AND lag(counts) OVER days = counts THEN 0 ELSE 1 END AS begins,
        CASE WHEN lead(first_day) OVER days = last_day + 1 AND lead(usd) OVER days = usd AND lead(counts) OVER days = counts THEN 0 ELSE 1 END AS ends
    FROM part
    WINDOW days AS (PARTITION BY offer_key ORDER BY first_day)
),
stretch AS (
    SELECT
        offer_key, first_day, begins, usd, counts,
        CASE WHEN ends = 1 THEN last_day ELSE lead(last_day) OVER days END AS last_day,
        CASE WHEN ends = 1 THEN seen_on ELSE lead(seen_on) OVER days END AS seen_on,
        CASE WHEN ends = 1 THEN stated_until ELSE lead(stated_until) OVER days END AS stated_until
    FROM edge
    WHERE begins = 1 OR ends = 1
    WINDOW days AS (PARTITION BY offer_key ORDER BY first_day)
)
SELECT
    s.source_id, s.offer_key, i.first_day, i.last_day, i.seen_on, i.stated_until, s.gpu_model_id, s.gpu_id, s.kind, s.billing, s.commitment, s.provider,
    s.region, s.listing, i.usd, i.counts, s.max_age_days
FROM stretch AS i
JOIN _price_sighting AS s ON s.offer_key = i.offer_key AND s.date = i.seen_on
WHERE i.begins = 1
