-- title: Vendors' figures for the 2020 guide
-- description: One row: what the GPUs of the guide have in gpu, under short names, to put into the guide's formulas.
-- group: audit
-- column: guide | | Guide
-- column: a100_gb_per_s | GB/s | Bandwidth of the A100
-- column: a100_sm | | Multiprocessors of the A100
-- column: v100_gb_per_s | GB/s | Bandwidth of the V100
-- column: rtx_3090_w | W | Power limit of the RTX 3090
-- column: rtx_3080_w | W | Power limit of the RTX 3080
-- column: rtx_3090_sm | | Multiprocessors of the RTX 3090
-- column: rtx_3090_tensor_cores | | Tensor cores of the RTX 3090
-- column: rtx_3090_usd | USD | Launch price of the RTX 3090
-- column: rtx_3080_usd | USD | Launch price of the RTX 3080
-- column: rtx_3070_usd | USD | Launch price of the RTX 3070
-- column: rtx_2080_ti_usd | USD | Launch price of the RTX 2080 Ti
-- column: rtx_3090_gb_per_s | GB/s | Bandwidth of the RTX 3090
-- column: rtx_2080_ti_gb_per_s | GB/s | Bandwidth of the RTX 2080 Ti
-- column: rtx_3080_memory_gb | GB | Memory of the RTX 3080
-- unique: guide
WITH named AS (
    SELECT gpu.*, alias.alias
    FROM gpu
    JOIN gpu_alias AS alias USING (gpu_id)
    WHERE alias.scope = 'dettmers-2020'
)
SELECT
    'dettmers-2020' AS guide,
    max(memory_bandwidth_gb_per_s) FILTER (alias = 'A100') AS a100_gb_per_s,
    max(sm_count) FILTER (alias = 'A100') AS a100_sm,
    max(memory_bandwidth_gb_per_s) FILTER (alias = 'V100') AS v100_gb_per_s,
    max(tdp_w) FILTER (alias = 'RTX 3090') AS rtx_3090_w,
    max(tdp_w) FILTER (alias = 'RTX 3080') AS rtx_3080_w,
    max(sm_count) FILTER (alias = 'RTX 3090') AS rtx_3090_sm,
    max(tensor_cores) FILTER (alias = 'RTX 3090') AS rtx_3090_tensor_cores,
    max(launch_msrp_usd) FILTER (alias = 'RTX 3090') AS rtx_3090_usd,
    max(launch_msrp_usd) FILTER (alias = 'RTX 3080') AS rtx_3080_usd,
    max(launch_msrp_usd) FILTER (alias = 'RTX 3070') AS rtx_3070_usd,
    max(launch_msrp_usd) FILTER (alias = 'RTX 2080 Ti') AS rtx_2080_ti_usd,
    max(memory_bandwidth_gb_per_s) FILTER (alias = 'RTX 3090') AS rtx_3090_gb_per_s,
    max(memory_bandwidth_gb_per_s) FILTER (alias = 'RTX 2080 Ti') AS rtx_2080_ti_gb_per_s,
    max(memory_gb) FILTER (alias = 'RTX 3080') AS rtx_3080_memory_gb
FROM named
