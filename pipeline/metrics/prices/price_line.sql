-- title: Lines of rental prices by day
-- description: What the price charts draw. One row per GPU model, billing, line and day, over the variants of the model and without a commitment.
-- description: Lines are the cheapest offer (`cheapest`) and the median of providers (`median`) of price_daily, and the cheapest offer of each
-- description: provider of provider_price_daily. A line is drawn within a stretch alone. A new one begins after 45 days without a price, and where
-- description: one number of providers is 1.5 times the other or more. It also begins where the cheapest price moves by a factor of 1.25 or more
-- description: because its provider appears or disappears. Such a step is no move of the market.
-- group: prices
-- as-in: provider_price_daily | gpu_model_id, billing, date
-- column: line | | `cheapest`, `median`, or the provider
-- column: usd | USD/(GPU·h) | Price
-- column: provider | | Whose price it is; empty for the median
-- column: n_offers | | Offers behind the price
-- column: n_providers | | Providers behind the price
-- column: stretch | | Number of the stretch within the line, from 0
-- column: few_offers | | Whether no day of the stretch has a third of the line's most offers, so that its level does not compare
-- unique: gpu_model_id, billing, line, date
-- check: usd > 0
-- check: stretch >= 0
-- check: (line = 'median') = (provider IS NULL)
WITH
line AS (
    SELECT gpu_model_id, billing, 'cheapest' AS line, date, usd_min AS usd, low_provider AS provider, n_offers, n_providers
    FROM price_daily
    WHERE gpu_id = 'any' AND kind = 'cloud_rental' AND commitment = 'none'
    UNION ALL
    SELECT gpu_model_id, billing, 'median', date, usd_median, NULL, n_offers, n_providers
    FROM price_daily
    WHERE gpu_id = 'any' AND kind = 'cloud_rental' AND commitment = 'none' AND usd_median IS NOT NULL
    UNION ALL
    SELECT gpu_model_id, billing, provider, date, usd_min, provider, n_offers, 1
    FROM provider_price_daily
),
-- each day with the day before it, and of the two the lower price's provider and the higher price's day
step AS (
    SELECT
        *,
        lag(date) OVER days AS date_before,
        lag(usd) OVER days AS usd_before,
        lag(n_providers) OVER days AS n_before,
        CASE WHEN usd < usd_before THEN provider ELSE lag(provider) OVER days END AS low_provider,
        CASE WHEN usd < usd_before THEN date_before ELSE date END AS high_date
    FROM line
    WINDOW days AS (PARTITION BY gpu_model_id, billing, line ORDER BY date)
),
marked AS (
    SELECT
        s.*,
        date_before IS NOT NULL AND (
            s.date - date_before > longest_price_gap_days()
            OR 2 * greatest(s.n_providers, n_before) >= 3 * least(s.n_providers, n_before)
            OR (s.line = 'cheapest' AND p.provider IS NULL
                AND greatest(usd, usd_before) >= least_cheapest_step() * least(usd, usd_before))
        ) AS is_first
    FROM step AS s
    LEFT JOIN provider_price_daily AS p
        ON p.gpu_model_id = s.gpu_model_id AND p.billing = s.billing AND p.provider = s.low_provider AND p.date = s.high_date
),
numbered AS (
    SELECT *, CAST(sum(CAST(is_first AS INTEGER)) OVER (PARTITION BY gpu_model_id, billing, line ORDER BY date) AS INTEGER) AS stretch
    FROM marked
)
SELECT
    gpu_model_id, billing, line, date, usd, provider, n_offers, n_providers, stretch,
    line IN ('cheapest', 'median') AND 3 * max(n_offers) OVER (PARTITION BY gpu_model_id, billing, line, stretch)
        < max(n_offers) OVER (PARTITION BY gpu_model_id, billing, line) AS few_offers
FROM numbered
