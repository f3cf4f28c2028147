-- title: Cycles of a 32x32 matrix product
-- description: Latencies of the 2020 guide (Dettmers) added up: 200 cycles for global memory, then 8 loads of 20 cycles from shared memory and
-- description: 8 multiply-adds of 4 cycles; with tensor cores one load and one product of 1 cycle.
-- parameter: with_tensor_cores | | Whether the GPU has tensor cores
-- returns: cycle | Latency of the product
CASE WHEN with_tensor_cores THEN 200 + 20 + 1 ELSE 200 + 8 * 20 + 8 * 4 END
