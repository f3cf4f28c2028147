-- title: Matched offers by GPU and by provider
-- description: One row per GPU or provider, billing and day of rentals: the price level from offers seen both on that day and on the subject's day
-- description: before with data, at most 7 days earlier, as a chain of the geometric means of their price ratios in USD. Where no offer connects
-- description: two days a new chain begins at 1. An offer that another one of the same step repeats (offer_repeat) counts once.
-- group: prices
-- column: subject_kind | | GPU or provider
-- column: subject | | GPU, or provider in small letters
-- column: billing | | On what terms a rental is billed; `none` where that is not known
-- column: date | | Day
-- column: chain_from | | First day of the chain, on which the index is 1
-- column: price_index | ratio | Price level of the day; 1 on chain_from
-- column: n_matched | | Offers behind the step to this day; 0 on chain_from
-- column: n_offers | | Offers seen on this day, and no fewer than n_matched
-- column: n_gpus | | GPUs among them
-- unique: subject_kind, subject, billing, date
WITH
seen AS (
    SELECT
        offer_key,
        gpu_id,
        lower(provider) AS provider,
        coalesce(billing, 'none') AS billing,
        date,
        usd,
        remark
    FROM _price_span
    JOIN _price_day USING (offer_key, observation_id)
    WHERE counts AND kind = 'cloud_rental'
),
own AS (
    SELECT
        *,
        CASE WHEN remark IS NOT DISTINCT FROM lag(remark) OVER offer THEN lag(date) OVER offer END AS own_before,
        usd / lag(usd) OVER offer AS ratio
    FROM seen
    WINDOW offer AS (PARTITION BY offer_key ORDER BY date)
),
grouped AS (
    SELECT 'card' AS subject_kind, gpu_id AS subject, * FROM own
    UNION ALL
    SELECT 'provider' AS subject_kind, provider AS subject, * FROM own
),
calendar AS (
    SELECT *, lag(date) OVER (PARTITION BY subject_kind, subject, billing ORDER BY date) AS date_before
    FROM (SELECT DISTINCT subject_kind, subject, billing, date FROM grouped)
),
listed AS (
    SELECT *, coalesce(own_before = date_before AND date - date_before <= 7, false) AS matched
    FROM grouped
    JOIN calendar USING (subject_kind, subject, billing, date)
),
repeated AS (
    SELECT r.offer_key, other.subject_kind, other.date, bool_or(other.matched) AS by_matched
    FROM offer_repeat AS r
    JOIN listed AS other ON other.offer_key = r.repeats
    GROUP BY ALL
),
step AS (
    SELECT
        subject_kind,
        subject,
        billing,
        date,
        count(DISTINCT gpu_id) AS n_gpus,
        count(*) FILTER (matched AND NOT coalesce(by_matched, false)) AS n_matched,
        greatest(count(*) FILTER (by_matched IS NULL), n_matched) AS n_offers,
        coalesce(avg(ln(ratio)) FILTER (matched AND NOT coalesce(by_matched, false)), 0) AS moved
    FROM listed
    LEFT JOIN repeated USING (offer_key, subject_kind, date)
    GROUP BY ALL
),
chained AS (
    SELECT *, max(date) FILTER (n_matched = 0) OVER (PARTITION BY subject_kind, subject, billing ORDER BY date) AS chain_from
    FROM step
)
SELECT
    subject_kind,
    subject,
    billing,
    date,
    chain_from,
    exp(sum(moved) OVER (PARTITION BY subject_kind, subject, billing, chain_from ORDER BY date)) AS price_index,
    n_matched,
    n_offers,
    n_gpus
FROM chained
