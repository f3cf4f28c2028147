-- title: GPUs of the platforms that the guides review, at today's prices
-- description: One row per platform, tier and NVIDIA model that a guide names as its hardware. It has the cheapest current on-demand offer of a
-- description: single GPU of that model, in any variant, and the hours of it that the monthly price of the platform buys.
-- group: guides
-- column: source_id | | Guide
-- column: platform | | Platform in guide_platform
-- column: tier | | Tier of the platform
-- column: gpu_model_id | | GPU model that the guide names
-- column: gpu_name | | Name of the GPU
-- column: usd_per_month | USD/month | Price of the tier in the guide
-- column: usd_per_gpu_hour | USD/(GPU·h) | Price of one GPU in the cheapest offer today
-- column: provider | | Provider of the cheapest offer
-- column: price_date | | Day of that price
-- column: n_offers | | Current offers
-- column: hours_for_the_price | h/month | Hours of that offer for the monthly price; empty for a free tier
-- unique: source_id, platform, tier, gpu_model_id
-- check: usd_per_gpu_hour > 0
WITH named AS (
    SELECT p.source_id, p.platform, p.tier, p.usd_per_month, m.gpu_model_id, m.name AS gpu_name
    FROM guide_platform AS p
    JOIN gpu_model AS m ON regexp_matches(p.hardware, '\b' || regexp_replace(m.name, '^NVIDIA (Tesla )?', '') || '\b')
    WHERE m.vendor = 'NVIDIA'
)
SELECT
    n.source_id,
    n.platform,
    n.tier,
    n.gpu_model_id,
    n.gpu_name,
    n.usd_per_month,
    p.usd_per_gpu_hour_low AS usd_per_gpu_hour,
    p.low_provider AS provider,
    p.low_price_date AS price_date,
    p.n_offers,
    nullif(n.usd_per_month, 0) / p.usd_per_gpu_hour_low AS hours_for_the_price
FROM named AS n
LEFT JOIN rental_market AS p
    ON p.gpu_model_id = n.gpu_model_id AND (p.gpu_id, p.billing, p.commitment, p.gpus) = ('any', 'on_demand', 'any', 'single')
