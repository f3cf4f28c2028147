-- Observations of one month of a made-up history, in the columns of table _price_sighting. Every value follows from a hash: no chance.
-- $offers offers are listed on a day. An offer is listed for 200 to 1,000 days, then another has its place. List prices change about every
-- 100 days, spot prices every 5 to 14. A daily source misses about one day in 50; two sources are read once a week.
WITH
place AS (SELECT unnest(range($offers)) AS place),
born AS (
    SELECT place, (hash(place) % 8)::INTEGER AS source, 200 + (hash(place, 1) % 801)::INTEGER AS life_days FROM place
),
day AS (SELECT unnest(range($first_day::DATE, $last_day::DATE + 1, INTERVAL 1 DAY))::DATE AS date),
listed AS (
    SELECT
        place, source, date, date - DATE '2010-01-01' + (hash(place, 2) % life_days)::INTEGER AS age,
        age // life_days AS generation, (hash(place, generation) >> 1)::BIGINT AS h
    FROM born
    CROSS JOIN day
    WHERE CASE WHEN source < 6 THEN hash(source, date) % 50 > 0 ELSE (date - DATE '2010-01-01') % 7 = source - 6 END
),
offer AS (
    SELECT
        *, h % 107 AS model, (h >> 8) % 5 AS variant, (h >> 16) % 20 AS firm, (h >> 24) % 30 AS area, 1 << ((h >> 32) % 4)::INTEGER AS lot,
        CASE WHEN source = 7 THEN 'purchase_new' ELSE 'cloud_rental' END AS kind,
        CASE WHEN source = 7 THEN 'none' ELSE ['on_demand', 'on_demand', 'on_demand', 'spot', 'spot', 'reserved', 'marketplace'][1 + (h >> 40) % 7] END AS billing
    FROM listed
),
named AS (
    SELECT
        *, md5(concat_ws('|', source, place, generation)) AS offer_key,
        CASE WHEN variant > 0 THEN 'model-' || model || '-variant-' || (variant % 2) END AS gpu_id,
        CASE billing WHEN 'spot' THEN 5 + h % 10 WHEN 'marketplace' THEN 3 + h % 10 ELSE 60 + h % 80 END AS period_days
    FROM offer
)
SELECT
    'source-' || source AS source_id, strftime(date, '%Y-%m') AS month, offer_key, date,
    CASE WHEN source = 6 THEN date + 6 END AS stated_until,
    'model-' || model AS gpu_model_id, gpu_id, kind, billing,
    CASE billing WHEN 'reserved' THEN (12 + 24 * (h % 2)) || ' months' ELSE 'none' END AS commitment,
    'provider-' || (source % 3 * 10 + firm) AS provider,
    'region-' || area AS region,
    CASE WHEN source = 7 THEN offer_key ELSE concat_ws('/', coalesce(gpu_id, ''), lot) END AS listing,
    round((0.2 + model * model / 800) * (1 + h % 101 / 200) * (0.9 + hash(offer_key, age // period_days) % 21 / 100), 4) AS usd,
    h % 20 > 0 AS counts,
    source <> 5 AS is_listed,
    CASE WHEN source = 7 THEN 365 WHEN billing IN ('spot', 'marketplace') THEN 7 ELSE 100 END AS max_age_days
FROM named
