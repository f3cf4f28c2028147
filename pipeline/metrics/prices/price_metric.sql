-- title: Rental prices against specifications
-- description: One row per rental of whole GPUs, at its newest price: what a TFLOPS, a GB, a core or moved memory costs. The bare host and Windows are
-- description: left out. Where the source does not state the variant, `_low` and `_high` are the range over the variants that it can be, and the
-- description: figure between them is empty.
-- description: A figure is empty where the GPU's value is not known. Stale prices stay in this table, marked, and belong in no statistic.
-- group: prices
-- as-in: price_latest | observation_id, source_id, observed_at, instance_type, commitment_months, region, gpu_model_id, gpu_id
-- column: offer_key | | The offer in `price_latest`
-- column: stale | | Whether the price is stale at the build's as_of
-- column: flags | | Remarks on the price, comma-separated codes as in `price`
-- column: provider | | Who rents
-- column: billing | | On what terms
-- column: gpu_count | | GPUs in the machine
-- column: usd_per_gpu_hour | USD/(GPU·h) | Price of one GPU
-- column: usd_per_fp32_tflop_hour | USD/(TFLOPS·h) | Price of the FP32 vector rate
-- column: usd_per_fp32_tflop_hour_low | USD/(TFLOPS·h) | Lowest over the variants that it can be
-- column: usd_per_fp32_tflop_hour_high | USD/(TFLOPS·h) | Highest over them
-- column: usd_per_fp16_tensor_tflop_hour | USD/(TFLOPS·h) | Price of the dense FP16 matrix rate
-- column: usd_per_fp16_tensor_tflop_hour_low | USD/(TFLOPS·h) | Lowest over the variants that it can be
-- column: usd_per_fp16_tensor_tflop_hour_high | USD/(TFLOPS·h) | Highest over them
-- column: usd_per_gb_hour | USD/(GB·h) | Price of memory
-- column: usd_per_gb_hour_low | USD/(GB·h) | Lowest over the variants that it can be
-- column: usd_per_gb_hour_high | USD/(GB·h) | Highest over them
-- column: usd_per_100_cuda_cores_hour | USD/h | Price of 100 FP32 lanes
-- column: usd_per_pb_moved | USD/PB | Price of memory traffic at peak bandwidth
-- column: paperspace_throughput_cost | as published | Paperspace's figure of throughput cost, which is no price per GB
-- column: usd_per_month | USD/month | Price of 730 hours
-- column: vcpus_per_gpu | | Processor threads for each GPU
-- column: host_gb_per_gpu | GB | Main memory for each GPU
-- column: cpu_starved | | Whether a GPU has fewer threads than AutoDL's rule of 2022 asks for
-- unique: observation_id
-- check: usd_per_gpu_hour > 0
WITH
offered AS (
    SELECT *, string_split(coalesce(gpu_id, candidates), ',') AS variants
    FROM price_latest
    WHERE kind = 'cloud_rental' AND is_whole_gpu(partition, price_basis, os) AND usd_per_gpu_hour IS NOT NULL AND gpu_model_id IS NOT NULL
),
span AS (
    SELECT
        variants,
        min(fp32_tflops) AS fp32_low, max(fp32_tflops) AS fp32_high,
        min(fp16_tensor_tflops) AS fp16_tensor_low, max(fp16_tensor_tflops) AS fp16_tensor_high,
        min(memory_gb) AS gb_low, max(memory_gb) AS gb_high
    FROM (SELECT DISTINCT variants, unnest(variants) AS gpu_id FROM offered)
    JOIN gpu USING (gpu_id)
    GROUP BY variants
)
SELECT
    p.observation_id,
    p.offer_key,
    p.source_id,
    p.observed_at,
    p.stale,
    p.flags,
    p.provider,
    p.instance_type,
    p.billing,
    p.commitment_months,
    p.region,
    p.gpu_model_id,
    p.gpu_id,
    p.gpu_count,
    p.usd_per_gpu_hour,
    p.usd_per_gpu_hour / g.fp32_tflops AS usd_per_fp32_tflop_hour,
    p.usd_per_gpu_hour / s.fp32_high AS usd_per_fp32_tflop_hour_low,
    p.usd_per_gpu_hour / s.fp32_low AS usd_per_fp32_tflop_hour_high,
    p.usd_per_gpu_hour / g.fp16_tensor_tflops AS usd_per_fp16_tensor_tflop_hour,
    p.usd_per_gpu_hour / s.fp16_tensor_high AS usd_per_fp16_tensor_tflop_hour_low,
    p.usd_per_gpu_hour / s.fp16_tensor_low AS usd_per_fp16_tensor_tflop_hour_high,
    p.usd_per_gpu_hour / g.memory_gb AS usd_per_gb_hour,
    p.usd_per_gpu_hour / s.gb_high AS usd_per_gb_hour_low,
    p.usd_per_gpu_hour / s.gb_low AS usd_per_gb_hour_high,
    100 * p.usd_per_gpu_hour / g.cuda_cores AS usd_per_100_cuda_cores_hour,
    p.usd_per_gpu_hour / (g.memory_bandwidth_gb_per_s * 3600) * 1e6 AS usd_per_pb_moved,
    paperspace_throughput_cost(p.usd_per_gpu_hour, g.memory_bandwidth_gb_per_s) AS paperspace_throughput_cost,
    p.usd_per_gpu_hour * 730 AS usd_per_month,
    p.vcpus / p.gpu_count AS vcpus_per_gpu,
    p.host_memory_gb / p.gpu_count AS host_gb_per_gpu,
    p.vcpus / p.gpu_count < rule.value AS cpu_starved
FROM offered AS p
LEFT JOIN gpu AS g USING (gpu_id)
LEFT JOIN span AS s USING (variants)
LEFT JOIN guide_rule AS rule ON rule.source_id = 'autodl-2022' AND rule.rule_id = 'cpu-cores-per-gpu-low'
