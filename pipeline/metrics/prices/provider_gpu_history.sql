-- title: A provider's first and newest price of each GPU
-- description: One row per provider, GPU model, billing and term whose whole GPUs were seen for rent on more than one day (price_change). The offers are
-- description: those of price_daily: whole GPUs with their host, without "from" prices and those that are wrong in their source.
-- group: prices
-- column: provider | | Provider in small letters
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
WITH change AS (
    SELECT c.* EXCLUDE (provider, billing), lower(c.provider) AS provider, coalesce(c.billing, 'not stated') AS billing,
        commitment_text(c.billing, c.commitment_months) AS commitment, m.offer_key IS NOT NULL AS moved
    FROM price_change AS c
    LEFT JOIN price_move AS m ON m.offer_key = c.offer_key AND m.valid_from = c.valid_from
    WHERE c.kind = 'cloud_rental' AND c.partition = 'whole' AND c.comparable
),
dated AS (
    SELECT *, max(valid_to) OVER (PARTITION BY provider, gpu_model_id, billing, commitment) AS newest FROM change
)
SELECT
    provider, gpu_model_id, billing, commitment, commitment_months,
    count(DISTINCT offer_key) AS n_offers,
    min(valid_from) AS first_day,
    max(valid_to) AS last_day,
    count(*) FILTER (moved) AS n_changes,
    arg_min(usd_per_gpu_hour, (valid_from, usd_per_gpu_hour)) AS usd_per_gpu_hour_first,
    min(usd_per_gpu_hour) FILTER (valid_to = newest) AS usd_per_gpu_hour_last,
    min(usd_per_gpu_hour) AS usd_per_gpu_hour_min,
    max(usd_per_gpu_hour) AS usd_per_gpu_hour_max
FROM dated
GROUP BY provider, gpu_model_id, billing, commitment, commitment_months
HAVING min(valid_from) < max(valid_to)
