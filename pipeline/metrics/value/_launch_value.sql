-- title: Compute and memory per launch dollar, without the trend
-- description: The rows of launch_value before its trend is fitted.
-- group: performance
-- column: gpu_id | | GPU
-- column: measure | | compute (GFLOPS of FP32 per USD) or memory (GB per 1,000 USD)
-- column: segment | | Market it is sold to
-- column: architecture | | Chip family
-- column: release_date | | Day of the first sale
-- column: launch_msrp_usd | USD | Price at launch
-- column: price_source_id | | Source of that price in gpu_spec
-- column: amount | TFLOPS or GB | FP32 rate, or memory
-- column: per_usd | GFLOPS/USD or GB/(1000 USD) | Compute or memory for the money
-- unique: gpu_id, measure
SELECT g.gpu_id, m.measure, g.segment, g.architecture, g.release_date, g.launch_msrp_usd, s.source_id AS price_source_id, m.amount,
    1000 * m.amount / g.launch_msrp_usd AS per_usd
FROM gpu AS g
JOIN gpu_spec AS s ON s.gpu_id = g.gpu_id AND s.attribute = 'launch_msrp_usd' AND s.chosen
CROSS JOIN LATERAL (SELECT unnest(['compute', 'memory']) AS measure, unnest([g.fp32_tflops, g.memory_gb]) AS amount) AS m
WHERE g.segment IN ('consumer', 'workstation') AND g.release_date IS NOT NULL AND g.launch_msrp_usd > 0 AND m.amount > 0
