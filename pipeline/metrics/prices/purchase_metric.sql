-- title: Purchase prices against specifications
-- description: One row per launch price or purchase offer of a known GPU, at its newest price: what a TFLOPS or a GB costs to own.
-- group: prices
-- as-in: price_latest | observation_id, source_id, observed_at
-- column: offer_key | | The offer in `price_latest`
-- column: stale | | Whether the price is stale at the build's as_of
-- column: kind | | Launch price, new or used
-- column: provider | | Who sells
-- column: gpu_id | | GPU
-- column: usd_per_gpu | USD/GPU | Price of one GPU
-- column: usd_per_fp32_tflop | USD/TFLOPS | Price of the FP32 vector rate
-- column: usd_per_fp16_tensor_tflop | USD/TFLOPS | Price of the dense FP16 matrix rate
-- column: usd_per_gb | USD/GB | Price of memory
-- column: estimated | | Whether the price is an estimate of its source: the maker published none, or another
-- column: last_known | | Whether it is the newest of its GPU and kind. Of launch prices: that of the specification, else the one nearest to the GPU's release, which may be estimated
-- unique: observation_id
-- check: usd_per_gpu > 0
SELECT
    p.observation_id,
    p.offer_key,
    p.source_id,
    p.observed_at,
    p.stale,
    p.kind,
    p.provider,
    p.gpu_id,
    p.usd_per_gpu,
    p.usd_per_gpu / g.fp32_tflops AS usd_per_fp32_tflop,
    p.usd_per_gpu / g.fp16_tensor_tflops AS usd_per_fp16_tensor_tflop,
    p.usd_per_gpu / g.memory_gb AS usd_per_gb,
    p.qualifier = 'estimate' AS estimated,
    row_number() OVER (
        PARTITION BY p.gpu_id, p.kind
        ORDER BY
            CASE WHEN p.kind = 'msrp' THEN coalesce(p.usd_per_gpu <> g.launch_msrp_usd, false) END,
            CASE WHEN p.kind = 'msrp' THEN abs(p.observed_at - g.release_date) END,
            p.observed_at DESC, estimated, p.usd_per_gpu, p.observation_id
    ) = 1 AS last_known
FROM price_latest AS p
JOIN gpu AS g ON g.gpu_id = p.gpu_id
WHERE p.kind IN ('msrp', 'purchase_new', 'purchase_used') AND p.usd_per_gpu IS NOT NULL
