-- title: Price index of matched offers
-- description: One row per card, billing and day of rentals: how prices moved since the chain's first day, from offers seen both on that day and
-- description: on the card's day before with data, at most 7 days earlier. Each step is the geometric mean of their price ratios in USD, so that an
-- description: offer that comes or goes moves nothing. Where no offer connects two days, a new chain begins at 1: chains are not comparable.
-- description: It takes the same offers as price_daily; an offer that several sources list counts once in each step.
-- group: prices
-- column: gpu_id | | Card
-- column: kind | | What is paid for: cloud_rental
-- column: billing | | On what terms a rental is billed; `none` where that is not known
-- column: date | | Day
-- column: chain_from | | First day of the chain, on which the index is 1
-- column: price_index | ratio | Price level of the day; 1 on chain_from
-- column: n_matched | | Offers behind the step to this day; 0 on chain_from
-- column: n_offers | | Offers seen on this day, and no fewer than n_matched
-- unique: gpu_id, kind, billing, date
-- check: price_index > 0
-- check: n_matched <= n_offers
-- check: (n_matched = 0) = (date = chain_from)
WITH
seen AS (
    SELECT offer_key, gpu_id, coalesce(billing, 'none') AS billing, first_day + unnest(range(last_day - first_day + 1))::INTEGER AS date, usd
    FROM _price_span
    WHERE counts AND kind = 'cloud_rental'
),
own AS (
    SELECT *, lag(date) OVER offer AS own_before, usd / lag(usd) OVER offer AS ratio
    FROM seen
    WINDOW offer AS (PARTITION BY offer_key ORDER BY date)
),
calendar AS (
    SELECT gpu_id, billing, date, lag(date) OVER (PARTITION BY gpu_id, billing ORDER BY date) AS date_before
    FROM (SELECT DISTINCT gpu_id, billing, date FROM seen)
),
listed AS (
    SELECT *, coalesce(own_before = date_before AND date - date_before <= 7, false) AS matched
    FROM own
    JOIN calendar USING (gpu_id, billing, date)
),
repeated AS (
    SELECT r.offer_key, other.date, bool_or(other.matched) AS by_matched
    FROM offer_repeat AS r
    JOIN listed AS other ON other.offer_key = r.repeats
    GROUP BY ALL
),
step AS (
    SELECT
        gpu_id,
        billing,
        date,
        count(*) FILTER (matched AND NOT coalesce(by_matched, false)) AS n_matched,
        greatest(count(*) FILTER (by_matched IS NULL), n_matched) AS n_offers,
        coalesce(avg(ln(ratio)) FILTER (matched AND NOT coalesce(by_matched, false)), 0) AS moved
    FROM listed
    LEFT JOIN repeated USING (offer_key, date)
    GROUP BY ALL
),
chained AS (
    SELECT *, max(date) FILTER (n_matched = 0) OVER (PARTITION BY gpu_id, billing ORDER BY date) AS chain_from
    FROM step
)
SELECT
    gpu_id,
    'cloud_rental' AS kind,
    billing,
    date,
    chain_from,
    exp(sum(moved) OVER (PARTITION BY gpu_id, billing, chain_from ORDER BY date)) AS price_index,
    n_matched,
    n_offers
FROM chained
