-- title: Matched offers by GPU model, variant and provider
-- description: One row per GPU model, variant or provider, billing and day of rentals: the price level of that day. It is a chain of steps, each
-- description: the geometric mean of the price ratios in USD of offers seen on both sides. Between two sightings at most 45 days apart an offer has
-- description: its earlier price; the change counts on the day of the later one. A step needs three offers: where fewer connect two days a new
-- description: chain begins at 1. A change of what the price includes is no move, and an offer that another one of the day repeats (offer_repeat)
-- description: counts once.
-- group: prices
-- column: subject_kind | | model, gpu or provider
-- column: subject | | GPU model, variant, or provider
-- column: gpu_model_id | | GPU model of a model or variant
-- column: billing | | On what terms a rental is billed; `none` where that is not known
-- column: date | | Day
-- column: chain_from | | First day of the chain, on which the index is 1
-- column: price_index | ratio | Price level of the day; 1 on chain_from
-- column: n_matched | | Offers behind the step to this day; 0 on chain_from
-- column: n_offers | | Offers seen on this day or connected across it
-- column: n_gpus | | GPU models among them
-- unique: subject_kind, subject, billing, date
WITH
sighting AS (
    SELECT
        s.offer_key, s.gpu_model_id, s.gpu_id, s.provider, coalesce(s.billing, 'none') AS billing, d.date, s.usd,
        s.remark
    FROM _price_span AS s
    JOIN _price_day AS d USING (offer_key, observation_id)
    WHERE s.counts AND s.kind = 'cloud_rental'
),
connected AS (
    SELECT
        *,
        lag(date) OVER offer AS date_before,
        coalesce(date - lag(date) OVER offer <= longest_price_gap_days(), false) AS linked,
        CASE WHEN remark IS NOT DISTINCT FROM lag(remark) OVER offer THEN ln(usd / lag(usd) OVER offer) ELSE 0 END AS moved
    FROM sighting
    WINDOW offer AS (PARTITION BY offer_key ORDER BY date)
),
-- on the day on which a fuller list begins, the offers of the other list still connect the days
repeated AS (
    SELECT r.offer_key, other.date, bool_or(other.linked) AS by_linked
    FROM offer_repeat AS r
    JOIN connected AS other ON other.offer_key = r.repeats
    GROUP BY ALL
),
own AS (
    SELECT c.*, r.by_linked IS NULL AS single, c.linked AND NOT coalesce(r.by_linked, false) AS links
    FROM connected AS c
    LEFT JOIN repeated AS r USING (offer_key, date)
),
grouped AS (
    SELECT 'model' AS subject_kind, gpu_model_id AS subject, * FROM own
    UNION ALL
    SELECT 'gpu' AS subject_kind, gpu_id AS subject, * FROM own WHERE gpu_id IS NOT NULL
    UNION ALL
    SELECT 'provider' AS subject_kind, provider AS subject, * FROM own
),
-- a step between two sightings begins after the first, moves on the last and ends after it
turn AS (
    SELECT subject_kind, subject, billing, date, 0 AS begun, CASE WHEN links THEN moved ELSE 0 END AS moved FROM grouped
    UNION ALL
    SELECT subject_kind, subject, billing, date_before + 1 AS date, 1 AS begun, 0 AS moved FROM grouped WHERE links
    UNION ALL
    SELECT subject_kind, subject, billing, date + 1 AS date, -1 AS begun, 0 AS moved FROM grouped WHERE links
),
matched AS (
    SELECT
        subject_kind, subject, billing, date,
        sum(moved) AS moved,
        sum(sum(begun)) OVER (PARTITION BY subject_kind, subject, billing ORDER BY date) AS n
    FROM turn
    GROUP BY subject_kind, subject, billing, date
),
seen AS (
    SELECT subject_kind, subject, billing, date, count(*) FILTER (single) AS n_seen, count(DISTINCT gpu_model_id) AS n_gpus,
        any_value(gpu_model_id) FILTER (subject_kind <> 'provider') AS gpu_model_id
    FROM grouped
    GROUP BY ALL
),
step AS (
    SELECT s.*, CASE WHEN m.n >= 3 THEN m.n::BIGINT ELSE 0 END AS n_matched, CASE WHEN m.n >= 3 THEN m.moved / m.n ELSE 0 END AS moved
    FROM seen AS s
    LEFT JOIN matched AS m USING (subject_kind, subject, billing, date)
),
chained AS (
    SELECT *, max(date) FILTER (n_matched = 0) OVER (PARTITION BY subject_kind, subject, billing ORDER BY date) AS chain_from
    FROM step
)
SELECT
    subject_kind,
    subject,
    gpu_model_id,
    billing,
    date,
    chain_from,
    exp(sum(moved) OVER (PARTITION BY subject_kind, subject, billing, chain_from ORDER BY date)) AS price_index,
    n_matched,
    greatest(n_seen, n_matched) AS n_offers,
    n_gpus
FROM chained
