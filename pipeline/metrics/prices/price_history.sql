-- title: Rental prices by day as pages draw them
-- description: One row per GPU model or variant, billing without a commitment, and day: price_daily with the index of matched offers. A day without
-- description: any sighting has no row: take the newest day before it (ASOF JOIN). Column `recent` marks the newest stretch of days without a gap
-- description: above 45 days; single dated documents are before it. Low and median also move when providers appear or disappear (`n_providers`);
-- description: price_line marks such steps. Column `usd_matched` shows where the price would be if the same offers had been listed throughout. It
-- description: carries the median of a chain's first recent day along the index, or its lowest price where it has fewer than three providers.
-- group: prices
-- as-in: price_index | gpu_model_id, gpu_id, date, chain_from
-- column: billing | | On what terms a rental is billed
-- column: recent | | Whether the day is in the newest stretch
-- column: n_offers | | Offers behind the figures, as in price_daily: provider, variant and number of GPUs, over all regions and machines
-- column: n_providers | | Providers behind the figures
-- column: usd_min | USD/(GPU·h) | Lowest price
-- column: usd_p25 | USD/(GPU·h) | A quarter of the providers cost no more; empty below three
-- column: usd_median | USD/(GPU·h) | Half of the providers cost no more; empty below three
-- column: usd_p75 | USD/(GPU·h) | Three quarters of the providers cost no more; empty below three
-- column: usd_matched | USD/(GPU·h) | Median of the chain's first recent day, or its lowest price where it has no median, along the index; empty outside the newest stretch
-- column: price_index | ratio | Index of matched offers, from price_index
-- column: n_matched | | Offers behind the step of the index, counted in each region and machine: can be more than n_offers
-- unique: gpu_model_id, gpu_id, billing, date
-- check: recent OR usd_matched IS NULL
WITH
daily AS (
    SELECT d.gpu_model_id, d.gpu_id, d.billing, d.date, d.n_offers, d.n_providers, d.usd_min, d.usd_p25, d.usd_median, d.usd_p75,
        i.price_index, i.n_matched, i.chain_from,
        coalesce(d.date - lag(d.date) OVER (PARTITION BY d.gpu_model_id, d.gpu_id, d.billing ORDER BY d.date) > longest_price_gap_days(), false) AS after_gap
    FROM price_daily AS d
    LEFT JOIN price_index AS i USING (gpu_model_id, gpu_id, kind, billing, date)
    WHERE d.kind = 'cloud_rental' AND d.commitment = 'none'
),
stretched AS (
    SELECT *, coalesce(date >= max(date) FILTER (after_gap) OVER (PARTITION BY gpu_model_id, gpu_id, billing), true) AS recent
    FROM daily
)
SELECT
    gpu_model_id, gpu_id, billing, date, recent, n_offers, n_providers, usd_min, usd_p25, usd_median, usd_p75,
    CASE WHEN recent THEN price_index * first_value(coalesce(usd_median, usd_min) / price_index) OVER (
        PARTITION BY gpu_model_id, gpu_id, billing, recent, chain_from ORDER BY date
    ) END AS usd_matched,
    price_index, n_matched, chain_from
FROM stretched
