-- title: First and last rental price of each GPU and billing
-- description: One row per GPU model or variant and billing without a commitment: the first and the last day of price_history.
-- group: prices
-- as-in: price_history | gpu_model_id, gpu_id, billing
-- column: n_days | | Days with a price
-- column: first_day | | First of them
-- column: last_day | | Last of them
-- column: n_offers_first | | Offers of the first day, as in price_daily: provider, variant and number of GPUs, over all regions and machines
-- column: n_offers_last | | Offers of the last day, likewise
-- column: usd_first | USD/(GPU·h) | Lowest price of the first day
-- column: usd_last | USD/(GPU·h) | Lowest price of the last day
-- column: price_index | ratio | Index of matched offers on the last day
-- column: n_matched | | Offers behind its last step, counted in each region and machine: can be more than n_offers_last; 0 where the last day shares none with the day before
-- column: chain_from | | Day on which the index is 1
-- unique: gpu_model_id, gpu_id, billing
SELECT
    gpu_model_id,
    gpu_id,
    billing,
    count(*) AS n_days,
    min(date) AS first_day,
    max(date) AS last_day,
    first(n_offers ORDER BY date) AS n_offers_first,
    last(n_offers ORDER BY date) AS n_offers_last,
    first(usd_min ORDER BY date) AS usd_first,
    last(usd_min ORDER BY date) AS usd_last,
    last(price_index ORDER BY date) AS price_index,
    last(n_matched ORDER BY date) AS n_matched,
    last(chain_from ORDER BY date) AS chain_from
FROM price_history
GROUP BY gpu_model_id, gpu_id, billing
