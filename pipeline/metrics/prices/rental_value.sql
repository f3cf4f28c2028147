-- title: Compute and memory for the rent of a GPU
-- description: One row per GPU model or variant, billing, term and number of GPUs of rental_market: compute and memory for the money at its cheapest offer, from
-- description: price_metric. Rates are the vendors' peaks, dense; FP16 tensor with FP32 accumulation. Low and high of a model are the
-- description: range over the variants that its cheapest offer can be; those of a variant are equal. A figure is empty where the GPU's value is not known.
-- group: prices
-- as-in: price_metric | gpu_model_id, usd_per_fp32_tflop_hour, usd_per_gb_hour
-- column: gpu_id | | Variant, or any, as in rental_market
-- column: billing | | On what terms a rental is billed
-- column: commitment | | Term, as in rental_market
-- column: gpus | | single or any, as in rental_market
-- column: usd_per_fp32_tflop_hour_high | USD/(TFLOPS·h) | Price of an FP32 TFLOPS for the slowest variant
-- column: usd_per_fp16_tensor_tflop_hour | USD/(TFLOPS·h) | Price of the FP16 matrix rate
-- column: usd_per_fp16_tensor_tflop_hour_high | USD/(TFLOPS·h) | Price of an FP16 tensor TFLOPS for the slowest variant
-- column: usd_per_pb_moved | USD/PB | Price of memory traffic at peak bandwidth; empty for a model whose cheapest offer does not state the variant
-- column: gb_per_usd_hour | GB/(USD/h) | Memory for one USD an hour
-- column: gb_per_usd_hour_low | GB/(USD/h) | The same for the variant with least memory
-- column: gb_per_usd_hour_median | GB/(USD/h) | Memory for one USD an hour at the market median; empty where the variants' memory differs
-- unique: gpu_model_id, gpu_id, billing, commitment, gpus
-- check: gb_per_usd_hour_low <= gb_per_usd_hour
SELECT
    m.gpu_model_id, m.gpu_id, m.billing, m.commitment, m.gpus,
    CASE WHEN m.gpu_id = 'any' THEN p.usd_per_fp32_tflop_hour_low ELSE m.usd_per_gpu_hour_low / g.fp32_tflops END AS usd_per_fp32_tflop_hour,
    CASE WHEN m.gpu_id = 'any' THEN p.usd_per_fp32_tflop_hour_high ELSE m.usd_per_gpu_hour_low / g.fp32_tflops END AS usd_per_fp32_tflop_hour_high,
    CASE WHEN m.gpu_id = 'any' THEN p.usd_per_fp16_tensor_tflop_hour_low ELSE m.usd_per_gpu_hour_low / g.fp16_tensor_tflops END
        AS usd_per_fp16_tensor_tflop_hour,
    CASE WHEN m.gpu_id = 'any' THEN p.usd_per_fp16_tensor_tflop_hour_high ELSE m.usd_per_gpu_hour_low / g.fp16_tensor_tflops END
        AS usd_per_fp16_tensor_tflop_hour_high,
    CASE WHEN m.gpu_id = 'any' THEN p.usd_per_gb_hour_low ELSE m.usd_per_gpu_hour_low / g.memory_gb END AS usd_per_gb_hour,
    CASE WHEN m.gpu_id = 'any' THEN p.usd_per_pb_moved ELSE m.usd_per_gpu_hour_low / (g.memory_bandwidth_gb_per_s * 3600) * 1e6 END
        AS usd_per_pb_moved,
    CASE WHEN m.gpu_id = 'any' THEN 1 / p.usd_per_gb_hour_low ELSE g.memory_gb / m.usd_per_gpu_hour_low END AS gb_per_usd_hour,
    CASE WHEN m.gpu_id = 'any' THEN 1 / p.usd_per_gb_hour_high ELSE gb_per_usd_hour END AS gb_per_usd_hour_low,
    coalesce(g.memory_gb, n.memory_gb) / m.usd_per_gpu_hour_median AS gb_per_usd_hour_median
FROM rental_market AS m
JOIN price_metric AS p ON p.observation_id = m.low_observation_id
JOIN gpu_model AS n ON n.gpu_model_id = m.gpu_model_id
LEFT JOIN gpu AS g ON g.gpu_id = m.gpu_id
