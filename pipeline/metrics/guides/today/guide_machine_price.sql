-- title: The guides' machines at today's prices
-- description: One row per machine or GPU that a guide describes: the guide's price and cost figures as printed, and the newest purchase price. The
-- description: same figures are also at the price of the cheapest current on-demand offer of a single GPU (rental_market) and the vendor's
-- description: specification. Without such an offer today's figures are empty. The throughput cost is Paperspace's formula, which is no price per
-- description: GB.
-- group: guides
-- column: source_id | | Guide
-- column: machine | | Machine in guide_machine
-- column: gpu_id | | GPU of the machine; empty where the guide names no exact one
-- column: guide_usd_per_hour | USD/h | Price that the guide prints
-- column: guide_usd_per_gb_per_min | as published | Throughput cost that the guide prints
-- column: guide_usd_per_100_cuda_cores | USD/h | Price of 100 CUDA cores that the guide prints
-- column: guide_usd_per_gb | USD/(GB·h) | Price of memory that the guide prints
-- column: guide_usd_per_tflop | USD/(TFLOPS·h) | Price of the FP32 rate that the guide prints
-- column: usd_per_gpu_hour | USD/(GPU·h) | Price of one GPU in the cheapest offer today
-- column: provider | | Provider of that offer
-- column: price_date | | Day of that price
-- column: n_offers | | Current on-demand offers of a single GPU
-- column: n_providers | | Providers of these
-- column: usd_per_gb_per_min | as published | Throughput cost at today's price
-- column: usd_per_100_cuda_cores | USD/h | Price of 100 CUDA cores today
-- column: usd_per_gb | USD/(GB·h) | Price of memory today
-- column: usd_per_tflop | USD/(TFLOPS·h) | Price of the FP32 rate today
-- column: price_ratio | ratio | Today's price over the guide's
-- column: subscription_hours | h/month | Hours for which the guide's hourly price adds up to the subscription that the machine requires
-- column: subscription_hours_today | h/month | Hours of today's cheapest offer that the money of the subscription buys
-- column: vendor_memory_gb | GB | Memory by the vendor's specification
-- column: vendor_fp32_tflops | TFLOPS | FP32 rate by the vendor's specification
-- column: vendor_half_precision_tflops | TFLOPS | FP16 rate by it: the dense matrix rate of a GPU with tensor cores, else the vector rate
-- column: vendor_min_cuda | | Least CUDA version by it
-- column: purchase_usd | USD | Newest price to buy the GPU, from gpu_price
-- column: purchase_kind | | Kind of that price: new, used or launch
-- column: purchase_date | | Day of that price
-- unique: source_id, machine
-- check: (usd_per_gpu_hour IS NULL) = (provider IS NULL)
-- check: usd_per_gpu_hour IS NOT NULL OR usd_per_gb IS NULL
WITH printed AS (
    SELECT
        source_id,
        subject AS machine,
        max(value) FILTER (quantity = 'usd_per_gb_per_min') AS guide_usd_per_gb_per_min,
        max(value) FILTER (quantity = 'usd_per_100_cuda_cores') AS guide_usd_per_100_cuda_cores,
        max(value) FILTER (quantity = 'usd_per_gb') AS guide_usd_per_gb,
        max(value) FILTER (quantity = 'usd_per_tflop') AS guide_usd_per_tflop
    FROM published_figure
    GROUP BY source_id, subject
)
SELECT
    m.source_id,
    m.machine,
    m.gpu_id,
    m.usd_per_hour AS guide_usd_per_hour,
    printed.guide_usd_per_gb_per_min,
    printed.guide_usd_per_100_cuda_cores,
    printed.guide_usd_per_gb,
    printed.guide_usd_per_tflop,
    p.usd_per_gpu_hour_low AS usd_per_gpu_hour,
    p.low_provider AS provider,
    p.low_price_date AS price_date,
    p.n_offers,
    p.n_providers,
    paperspace_throughput_cost(p.usd_per_gpu_hour_low, g.memory_bandwidth_gb_per_s) AS usd_per_gb_per_min,
    100 * p.usd_per_gpu_hour_low / g.cuda_cores AS usd_per_100_cuda_cores,
    p.usd_per_gpu_hour_low / g.memory_gb AS usd_per_gb,
    p.usd_per_gpu_hour_low / g.fp32_tflops AS usd_per_tflop,
    p.usd_per_gpu_hour_low / m.usd_per_hour AS price_ratio,
    nullif(m.subscription_usd_per_month, 0) / m.usd_per_hour AS subscription_hours,
    nullif(m.subscription_usd_per_month, 0) / p.usd_per_gpu_hour_low AS subscription_hours_today,
    g.memory_gb AS vendor_memory_gb,
    g.fp32_tflops AS vendor_fp32_tflops,
    coalesce(g.fp16_tensor_tflops, g.fp16_tflops) AS vendor_half_precision_tflops,
    g.min_cuda_version AS vendor_min_cuda,
    own.purchase_usd,
    own.purchase_kind,
    own.purchase_date
FROM guide_machine AS m
LEFT JOIN printed USING (source_id, machine)
LEFT JOIN gpu AS g USING (gpu_id)
LEFT JOIN gpu_price AS own USING (gpu_id)
LEFT JOIN rental_market AS p
    ON p.gpu_id = m.gpu_id AND m.gpu_count = 1 AND (p.billing, p.commitment, p.gpus) = ('on_demand', 'any', 'single')
