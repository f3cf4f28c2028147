-- title: Cycles of a 32x32 matrix product
-- description: Latencies of the 2020 guide (Dettmers) added up. Global memory takes 200 cycles. Without tensor cores, 8 loads of 20 cycles from
-- description: shared memory and 8 multiply-adds of 4 cycles follow. With tensor cores, one load and one product of 1 cycle follow.
-- parameter: with_tensor_cores | | Whether the GPU has tensor cores
-- returns: cycle | Latency of the product
CASE WHEN with_tensor_cores THEN 200 + 20 + 1 ELSE 200 + 8 * 20 + 8 * 4 END
