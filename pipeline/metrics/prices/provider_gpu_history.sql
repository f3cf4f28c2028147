-- title: A provider's first and newest price of each GPU
-- description: One row per provider, GPU model, billing and term whose whole GPUs were seen for rent on more than one day. The offers are those of
-- description: price_daily: whole GPUs with their host, without "from" prices and those that are wrong in their source. A price in another
-- description: currency is in USD at the rate of each day on which it was seen, so that it can differ without a change of price.
-- group: prices
-- column: provider | | Provider
-- column: gpu_model_id | | GPU model
-- column: billing | | On what terms a rental is billed; `not stated` where it is not known
-- column: commitment | | Term of a reservation or savings plan; `none` without one, `not stated` where it is not known
-- column: commitment_months | month | The term as a number
-- column: n_offers | | Offers seen
-- column: first_day | | First day on which one was seen
-- column: last_day | | Last day on which one was seen
-- column: n_changes | | Changes of an offer's price; one that two sources show counts once (price_move)
-- column: usd_per_gpu_hour_first | USD/(GPU·h) | Lowest price of the first day
-- column: usd_per_gpu_hour_last | USD/(GPU·h) | Lowest price of the last day
-- column: usd_per_gpu_hour_min | USD/(GPU·h) | Lowest price of all days
-- column: usd_per_gpu_hour_max | USD/(GPU·h) | Highest price of all days
-- unique: provider, gpu_model_id, billing, commitment
-- check: first_day < last_day
-- check: usd_per_gpu_hour_min <= usd_per_gpu_hour_max
WITH
seen AS (
    SELECT
        * REPLACE (coalesce(billing, 'not stated') AS billing),
        commitment_text(billing, commitment_months) AS commitment
    FROM _price_span
    WHERE kind = 'cloud_rental' AND counts
),
dated AS (
    SELECT *, max(last_day) OVER (PARTITION BY provider, gpu_model_id, billing, commitment) AS newest FROM seen
),
moved AS (
    SELECT provider, gpu_model_id, coalesce(billing, 'not stated') AS billing,
        commitment_text(billing, commitment_months) AS commitment, count(*) AS n_changes
    FROM price_move
    WHERE kind = 'cloud_rental' AND partition = 'whole'
    GROUP BY ALL
)
SELECT
    provider, gpu_model_id, billing, commitment, commitment_months,
    count(DISTINCT offer_key) AS n_offers,
    min(first_day) AS first_day,
    max(last_day) AS last_day,
    coalesce(any_value(moved.n_changes), 0) AS n_changes,
    arg_min(usd, (first_day, usd)) AS usd_per_gpu_hour_first,
    min(usd) FILTER (last_day = newest) AS usd_per_gpu_hour_last,
    min(usd) AS usd_per_gpu_hour_min,
    max(usd) AS usd_per_gpu_hour_max
FROM dated
LEFT JOIN moved USING (provider, gpu_model_id, billing, commitment)
GROUP BY provider, gpu_model_id, billing, commitment, commitment_months
HAVING min(first_day) < max(last_day)
