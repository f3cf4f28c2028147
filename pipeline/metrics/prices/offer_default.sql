-- title: The price that calculators begin with
-- description: One row per GPU and acquisition: the offer that `gpuledger break-even` and the calculators of the site take where the reader gives no price. Current
-- description: before stale, a stated variant before offers that do not state it (least_gpu_id), on demand before other terms, then by preference and price (offer_current).
-- group: prices
-- as-in: offer_current | acquisition, observation_id, provider, kind, billing, usd, stale
-- column: gpu_id | | GPU
-- column: price_date | | Last day on which the price was seen
-- unique: gpu_id, acquisition
SELECT least_gpu_id AS gpu_id, acquisition, observation_id, provider, kind, billing, usd, price_date, stale
FROM offer_current
QUALIFY row_number() OVER (
    PARTITION BY least_gpu_id, acquisition ORDER BY stale, gpu_id IS NULL, billing IS DISTINCT FROM 'on_demand', preference, price_rank
) = 1
