-- title: Inputs of the 2020 guide
-- description: One row: the figures that the guide starts from, as it prints them, and what the same GPUs have in gpu (vendor_...).
-- group: audit
-- column: guide | | Guide
-- column: a100_gb_per_s | GB/s | Bandwidth of the A100
-- column: v100_gb_per_s | GB/s | Bandwidth of the V100
-- column: shared_low | fraction | Least gain from shared memory
-- column: shared_high | fraction | Greatest gain from shared memory
-- column: registers_low | fraction | Least gain from tensor-core registers
-- column: registers_high | fraction | Greatest gain from tensor-core registers
-- column: cnn_batch_gain | fraction | Gain per doubling of the batch, CNN
-- column: transformer_batch_gain | fraction | Gain per doubling of the batch, Transformer
-- column: cnn_network_gain | fraction | Advantage of 8x A100 in scaling, CNN
-- column: transformer_network_gain | fraction | Advantage of 8x A100 in scaling, Transformer
-- column: scaling_a100 | ratio | Gain of the A100 from 1 to 8 GPUs
-- column: scaling_v100 | ratio | Gain of the V100 from 1 to 8 GPUs
-- column: rtx_3090_w | W | Power of the RTX 3090
-- column: rtx_3080_w | W | Power of the RTX 3080
-- column: processor_w | W | Power of the desktop's processor
-- column: desktop_usd | USD | Price of the desktop
-- column: cloud_usd_per_hour | USD/h | Price of the cloud
-- column: usd_per_kwh | USD/kWh | Price of electricity
-- column: utilisation | fraction | Share of the time that the desktop works
-- column: break_even_days | day | Break-even as printed
-- column: psu_4x_rtx_3090_w | W | What the supply of 4x RTX 3090 must exceed
-- column: psu_4x_rtx_3080_w | W | Supply that is enough for 4x RTX 3080
-- column: sm_used | | Multiprocessors of the worked example
-- column: tensor_cores_per_sm | | Tensor cores of each, in the worked example
-- column: tensor_core_use | % | Use of the tensor cores in BERT-large training
-- column: se_resnext_speedup | ratio | Corrected speedup, SE-ResNeXt101
-- column: mask_rcnn_speedup | ratio | Corrected speedup, Mask R-CNN
-- column: transformer_speedup | ratio | Corrected speedup, Transformer
-- column: share_low | % | Least share of the budget for RTX 3080 machines
-- column: share_high | % | Greatest share of the budget for RTX 3080 machines
-- column: global_cycles | cycle | Latency of global memory
-- column: shared_cycles | cycle | Latency of shared memory
-- column: ffma_cycles | cycle | Latency of a multiply-add
-- column: tensor_core_cycles | cycle | Latency of a tensor core's product
-- column: vendor_a100_gb_per_s | GB/s | Bandwidth of the A100 in gpu
-- column: vendor_a100_sm | | Multiprocessors of the A100 in gpu
-- column: vendor_v100_gb_per_s | GB/s | Bandwidth of the V100 in gpu
-- column: vendor_rtx_3090_w | W | Power limit of the RTX 3090 in gpu
-- column: vendor_rtx_3080_w | W | Power limit of the RTX 3080 in gpu
-- column: vendor_rtx_3090_sm | | Multiprocessors of the RTX 3090 in gpu
-- column: vendor_rtx_3090_tensor_cores | | Tensor cores of the RTX 3090 in gpu
-- column: vendor_rtx_3090_usd | USD | Launch price of the RTX 3090 in gpu
-- column: vendor_rtx_3080_usd | USD | Launch price of the RTX 3080 in gpu
-- column: vendor_rtx_3070_usd | USD | Launch price of the RTX 3070 in gpu
-- column: vendor_rtx_2080_ti_usd | USD | Launch price of the RTX 2080 Ti in gpu
-- column: vendor_rtx_3090_gb_per_s | GB/s | Bandwidth of the RTX 3090 in gpu
-- column: vendor_rtx_2080_ti_gb_per_s | GB/s | Bandwidth of the RTX 2080 Ti in gpu
-- column: vendor_rtx_3080_memory_gb | GB | Memory of the RTX 3080 in gpu
-- unique: guide
WITH
printed AS (
    SELECT
        source_id AS guide,
        max(value) FILTER (name = 'A100/memory_bandwidth_gb_per_s') AS a100_gb_per_s,
        max(value) FILTER (name = 'V100/memory_bandwidth_gb_per_s') AS v100_gb_per_s,
        max(value) FILTER (name = 'Ampere/shared_memory_gain_low_percent') / 100 AS shared_low,
        max(value) FILTER (name = 'Ampere/shared_memory_gain_high_percent') / 100 AS shared_high,
        max(value) FILTER (name = 'Ampere/tensor_core_register_gain_low_percent') / 100 AS registers_low,
        max(value) FILTER (name = 'Ampere/tensor_core_register_gain_high_percent') / 100 AS registers_high,
        max(value) FILTER (name = 'CNN/gain_per_batch_doubling_percent') / 100 AS cnn_batch_gain,
        max(value) FILTER (name = 'Transformer/gain_per_batch_doubling_percent') / 100 AS transformer_batch_gain,
        max(value) FILTER (name = 'CNN, 8x A100 over 8x V100/multi_gpu_advantage_percent') / 100 AS cnn_network_gain,
        max(value) FILTER (name = 'Transformer, 8x A100 over 8x V100/multi_gpu_advantage_percent') / 100 AS transformer_network_gain,
        max(value) FILTER (name = 'CNN, A100/scaling_1_to_8') AS scaling_a100,
        max(value) FILTER (name = 'CNN, V100/scaling_1_to_8') AS scaling_v100,
        max(value) FILTER (name = 'RTX 3090 in the desktop/tdp_w') AS rtx_3090_w,
        max(value) FILTER (name = 'RTX 3080/tdp_w') AS rtx_3080_w,
        max(value) FILTER (name = 'processor of the desktop/power_w') AS processor_w,
        max(value) FILTER (name = 'desktop: 2-GPU barebone with one RTX 3090/cost_usd') AS desktop_usd,
        max(value) FILTER (name = 'AWS V100 spot/usd_per_gpu_hour') AS cloud_usd_per_hour,
        max(value) FILTER (name = 'electricity, United States/usd_per_kwh') AS usd_per_kwh,
        max(value) FILTER (name = 'desktop in the break-even example/utilisation_percent') / 100 AS utilisation,
        max(value) FILTER (name = 'desktop against AWS V100 spot at 15% utilisation/break_even_days') AS break_even_days,
        max(value) FILTER (name = '4x RTX 3090/psu_more_than_w') AS psu_4x_rtx_3090_w,
        max(value) FILTER (name = '4x RTX 3080/psu_sufficient_w') AS psu_4x_rtx_3080_w,
        (max(value) FILTER (name = '32x32 matrix product/multiprocessors_used'))::INTEGER AS sm_used,
        (max(value) FILTER (name = '32x32 matrix product/tensor_cores_per_multiprocessor'))::INTEGER AS tensor_cores_per_sm,
        (max(value) FILTER (name = 'BERT-large training/tensor_core_utilisation_percent'))::INTEGER AS tensor_core_use,
        max(value) FILTER (name = 'SE-ResNeXt101, A100 over V100/corrected_speedup') AS se_resnext_speedup,
        max(value) FILTER (name = 'Mask R-CNN, A100 over V100/corrected_speedup') AS mask_rcnn_speedup,
        max(value) FILTER (name = 'Transformer WMT14 en-de, A100 over V100/corrected_speedup') AS transformer_speedup,
        (max(value) FILTER (name = 'RTX 3080 machines of a laboratory/budget_share_low_percent'))::INTEGER AS share_low,
        (max(value) FILTER (name = 'RTX 3080 machines of a laboratory/budget_share_high_percent'))::INTEGER AS share_high,
        (max(value) FILTER (name = 'global memory, up to 48 GB/latency_cycles'))::INTEGER AS global_cycles,
        (max(value) FILTER (name = 'shared memory, up to 164 KB per multiprocessor/latency_cycles'))::INTEGER AS shared_cycles,
        (max(value) FILTER (name = 'fused multiply-add/latency_cycles'))::INTEGER AS ffma_cycles,
        (max(value) FILTER (name = 'tensor-core matrix product/latency_cycles'))::INTEGER AS tensor_core_cycles
    FROM (SELECT *, substr(figure_id, length(source_id) + 2) AS name FROM published_figure)
    WHERE source_id = 'dettmers-2020'
    GROUP BY source_id
),
vendor AS (
    SELECT
        max(memory_bandwidth_gb_per_s) FILTER (alias = 'A100') AS vendor_a100_gb_per_s,
        max(sm_count) FILTER (alias = 'A100') AS vendor_a100_sm,
        max(memory_bandwidth_gb_per_s) FILTER (alias = 'V100') AS vendor_v100_gb_per_s,
        max(tdp_w) FILTER (alias = 'RTX 3090') AS vendor_rtx_3090_w,
        max(tdp_w) FILTER (alias = 'RTX 3080') AS vendor_rtx_3080_w,
        max(sm_count) FILTER (alias = 'RTX 3090') AS vendor_rtx_3090_sm,
        max(tensor_cores) FILTER (alias = 'RTX 3090') AS vendor_rtx_3090_tensor_cores,
        max(launch_msrp_usd) FILTER (alias = 'RTX 3090') AS vendor_rtx_3090_usd,
        max(launch_msrp_usd) FILTER (alias = 'RTX 3080') AS vendor_rtx_3080_usd,
        max(launch_msrp_usd) FILTER (alias = 'RTX 3070') AS vendor_rtx_3070_usd,
        max(launch_msrp_usd) FILTER (alias = 'RTX 2080 Ti') AS vendor_rtx_2080_ti_usd,
        max(memory_bandwidth_gb_per_s) FILTER (alias = 'RTX 3090') AS vendor_rtx_3090_gb_per_s,
        max(memory_bandwidth_gb_per_s) FILTER (alias = 'RTX 2080 Ti') AS vendor_rtx_2080_ti_gb_per_s,
        max(memory_gb) FILTER (alias = 'RTX 3080') AS vendor_rtx_3080_memory_gb
    FROM gpu
    JOIN gpu_alias AS alias USING (gpu_id)
    WHERE alias.scope = 'dettmers-2020'
)
FROM printed, vendor
