-- title: Changes of price, with the price before
-- description: One row per change in price_change that moved the price, from one comparable price to another. A change that only the exchange rate
-- description: made has no row. A step that two sources show of one offer is one move, that of the offer which counts (offer_repeat). Their prices
-- description: before and after are the same within 1 percent, and the days on which each can have seen it are no more than 31 days apart.
-- group: prices
-- as-in: price_change | offer_key, valid_to, source_id, provider, gpu_model_id, gpu_id, partition, region, kind, billing
-- as-in: price_change | commitment_months
-- column: valid_from | | First day on which the new price was seen
-- column: listed | | Whether the source is one whose prices go stale; others are dated documents
-- column: usd_before | USD/(GPU·h) or USD/GPU | Price of one GPU before
-- column: usd | USD/(GPU·h) or USD/GPU | Price of one GPU since
-- column: change | fraction | Change of the price; below zero = cheaper
-- column: rank | | Rank among the moves of the provider, kind and partition, newest first
-- unique: offer_key, valid_from
-- check: usd_before > 0
-- check: change > -1 AND change <> 0
WITH
move AS (
    SELECT
        * EXCLUDE (usd_per_gpu_hour, usd_per_gpu),
        coalesce(usd_per_gpu_hour, usd_per_gpu) AS usd,
        coalesce(usd_per_gpu_hour, usd_per_gpu) / change_ratio AS usd_before
    FROM (
        SELECT *, lag(valid_to) OVER offer AS seen_before, lag(comparable) OVER offer AS comparable_before
        FROM price_change
        WINDOW offer AS (PARTITION BY offer_key ORDER BY valid_from)
    )
    WHERE change_ratio <> 1 AND comparable AND comparable_before
),
repeated AS (
    SELECT DISTINCT own.offer_key, own.valid_from
    FROM move AS own
    JOIN offer_repeat AS r ON r.offer_key = own.offer_key
    JOIN move AS other ON other.offer_key = r.repeats
    WHERE other.usd BETWEEN 0.99 * own.usd AND 1.01 * own.usd AND other.usd_before BETWEEN 0.99 * own.usd_before AND 1.01 * own.usd_before
        AND other.seen_before < own.valid_from + 31 AND own.seen_before < other.valid_from + 31
)
SELECT
    c.offer_key, c.valid_from, c.valid_to, c.source_id, s.stale_after_days IS NOT NULL AS listed, c.provider, c.gpu_model_id, c.gpu_id, c.partition, c.region,
    c.kind, c.billing, c.commitment_months, c.usd_before, c.usd,
    c.change_ratio - 1 AS change,
    row_number() OVER (
        PARTITION BY c.provider, c.kind, c.partition
        ORDER BY c.valid_from DESC, c.gpu_model_id, c.gpu_id, c.billing, c.region, c.offer_key
    ) AS rank
FROM (FROM move ANTI JOIN repeated USING (offer_key, valid_from)) AS c
JOIN source AS s USING (source_id)
