-- title: Changes of price, with the price before
-- description: One row per change in price_change that moved the price. A change that only the exchange rate made has no row.
-- group: prices
-- column: offer_key | | The offer, the same on every day
-- column: valid_from | | First day on which the new price was seen
-- column: valid_to | | Last day on which it was seen
-- column: source_id | | Source of the price
-- column: listed | | Whether the source is one whose prices go stale; others are dated documents
-- column: provider | | Who sells or rents
-- column: gpu_model_id | | GPU model
-- column: gpu_id | | Variant of the model; empty where the source does not state it
-- column: partition | | Whether a whole GPU is offered
-- column: region | | Region, as the provider names it
-- column: kind | | What is paid for
-- column: billing | | On what terms a rental is billed
-- column: commitment_months | month | Term of a commitment
-- column: usd_before | USD/(GPU·h) or USD/GPU | Price of one GPU before
-- column: usd | USD/(GPU·h) or USD/GPU | Price of one GPU since
-- column: change | fraction | Change of the price; below zero = cheaper
-- column: place | | Place among the moves of the provider, kind and partition, newest first
-- unique: offer_key, valid_from
-- check: usd_before > 0
-- check: change > -1 AND change <> 0
SELECT
    c.offer_key, c.valid_from, c.valid_to, c.source_id, s.stale_after_days IS NOT NULL AS listed, c.provider, c.gpu_model_id, c.gpu_id, c.partition, c.region,
    c.kind, c.billing, c.commitment_months,
    coalesce(c.usd_per_gpu_hour, c.usd_per_gpu) / c.change_ratio AS usd_before,
    coalesce(c.usd_per_gpu_hour, c.usd_per_gpu) AS usd,
    c.change_ratio - 1 AS change,
    row_number() OVER (
        PARTITION BY lower(c.provider), c.kind, c.partition
        ORDER BY c.valid_from DESC, c.gpu_model_id, c.gpu_id, c.billing, c.region, c.offer_key
    ) AS place
FROM price_change AS c
JOIN source AS s USING (source_id)
WHERE c.change_ratio <> 1
