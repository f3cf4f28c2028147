-- title: Training speed for 1000 USD of a machine, by its number of GPUs
-- description: One row per GPU, kind of network and precision of value_index: its purchase value for 1, 2, 4 and 8 GPUs, side by side.
-- group: performance
-- as-in: value_index | gpu_id, family, precision
-- column: value_1 | 1/(1000 USD) | Speed for 1000 USD, machine of 1 GPU
-- column: value_1_low | 1/(1000 USD) | Low end of the 90% interval of value_1
-- column: value_1_high | 1/(1000 USD) | High end of the 90% interval of value_1
-- column: value_2 | 1/(1000 USD) | Speed for 1000 USD, machine of 2 GPUs
-- column: value_4 | 1/(1000 USD) | Speed for 1000 USD, machine of 4 GPUs
-- column: value_8 | 1/(1000 USD) | Speed for 1000 USD, machine of 8 GPUs
-- unique: gpu_id, family, precision
-- check: value_1_low <= value_1 AND value_1 <= value_1_high
SELECT
    gpu_id, family, precision,
    1000 * max(value_purchase) FILTER (gpu_count = 1) AS value_1,
    1000 * max(value_purchase_low) FILTER (gpu_count = 1) AS value_1_low,
    1000 * max(value_purchase_high) FILTER (gpu_count = 1) AS value_1_high,
    1000 * max(value_purchase) FILTER (gpu_count = 2) AS value_2,
    1000 * max(value_purchase) FILTER (gpu_count = 4) AS value_4,
    1000 * max(value_purchase) FILTER (gpu_count = 8) AS value_8
FROM value_index
GROUP BY gpu_id, family, precision
