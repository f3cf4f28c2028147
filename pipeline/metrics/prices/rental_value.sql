-- title: What the rent of a GPU buys
-- description: One row per GPU, billing, term and number of GPUs of rental_market: compute and memory for the money, at the cheapest offer and at the
-- description: median. Rates are the vendors' peaks, dense; FP16 tensor with FP32 accumulation. A figure is empty where the GPU's value is not known.
-- group: prices
-- column: gpu_id | | GPU
-- column: billing | | On what terms a rental is billed
-- column: commitment | | Term, as in rental_market
-- column: gpus | | single or any, as in rental_market
-- column: usd_per_fp32_tflop_hour | USD/(TFLOPS·h) | Price of the FP32 vector rate, at the cheapest offer
-- column: usd_per_fp16_tensor_tflop_hour | USD/(TFLOPS·h) | Price of the FP16 matrix rate, at the cheapest offer
-- column: gb_per_usd_hour | GB/(USD/h) | Memory for one USD an hour, at the cheapest offer
-- column: gb_per_usd_hour_median | GB/(USD/h) | The same at the median of providers
-- unique: gpu_id, billing, commitment, gpus
-- check: gb_per_usd_hour_median <= gb_per_usd_hour
SELECT
    m.gpu_id, m.billing, m.commitment, m.gpus,
    m.usd_per_gpu_hour_low / g.fp32_tflops AS usd_per_fp32_tflop_hour,
    m.usd_per_gpu_hour_low / g.fp16_tensor_tflops AS usd_per_fp16_tensor_tflop_hour,
    g.memory_gb / m.usd_per_gpu_hour_low AS gb_per_usd_hour,
    g.memory_gb / m.usd_per_gpu_hour_median AS gb_per_usd_hour_median
FROM rental_market AS m
JOIN gpu AS g USING (gpu_id)
