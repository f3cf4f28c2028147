-- title: Inputs of the professional-versus-consumer guide
-- description: One row: the figures that the guide starts from, as it prints them, and what the same GPUs have in gpu (vendor_...).
-- group: audit
-- column: guide | | Guide
-- column: ada_gb | GB | Memory of the RTX 6000 Ada
-- column: ada_w | W | Power of the RTX 6000 Ada
-- column: ada_slots | slot | Slots of the RTX 6000 Ada
-- column: rtx_4090_gb | GB | Memory of the RTX 4090
-- column: rtx_4090_w | W | Power of the RTX 4090
-- column: rtx_4090_slots | slot | Slots of the RTX 4090
-- column: double_slots | | Double slots of the workstation's board
-- column: epochs | | Epochs assumed to converge
-- column: gtx_1070_minutes | minute | Epoch of B7 on the GTX 1070
-- column: ada_minutes | minute | What an epoch of B7 on two RTX 6000 Ada exceeds
-- column: ada_hours | h | 400 epochs on two RTX 6000 Ada, as printed
-- column: host_gb | GB | Main memory of the workstation, as printed
-- column: modules | | Modules, by the text
-- column: modules_each_side | | Modules above and below the processor, by the caption
-- column: module_gb | GB | Memory of a module
-- column: images_per_class | image | Images of each of three classes
-- column: vendor_ada_gb | GB | Memory of the RTX 6000 Ada in gpu
-- column: vendor_ada_w | W | Power limit of the RTX 6000 Ada in gpu
-- column: vendor_ada_slots | slot | Slots of the RTX 6000 Ada in gpu
-- column: vendor_ada_fp32 | TFLOPS | FP32 rate of the RTX 6000 Ada in gpu
-- column: vendor_ada_gb_per_s | GB/s | Bandwidth of the RTX 6000 Ada in gpu
-- column: vendor_rtx_4090_gb | GB | Memory of the RTX 4090 in gpu
-- column: vendor_rtx_4090_w | W | Power limit of the RTX 4090 in gpu
-- column: vendor_rtx_4090_slots | slot | Slots of the RTX 4090 in gpu
-- column: vendor_rtx_4090_fp32 | TFLOPS | FP32 rate of the RTX 4090 in gpu
-- column: vendor_rtx_4090_gb_per_s | GB/s | Bandwidth of the RTX 4090 in gpu
-- unique: guide
WITH printed AS (
    SELECT
        source_id AS guide,
        max(value) FILTER (name = 'RTX 6000 Ada/memory_gb') AS ada_gb,
        max(value) FILTER (name = 'RTX 6000 Ada/tdp_w') AS ada_w,
        max(value) FILTER (name = 'RTX 6000 Ada/slot_width') AS ada_slots,
        max(value) FILTER (name = 'RTX 4090/memory_gb') AS rtx_4090_gb,
        max(value) FILTER (name = 'RTX 4090/tdp_w') AS rtx_4090_w,
        max(value) FILTER (name = 'RTX 4090/slot_width') AS rtx_4090_slots,
        max(value) FILTER (name = 'workstation/double_slots') AS double_slots,
        max(value) FILTER (name = 'EfficientNet/epochs_to_converge') AS epochs,
        max(value) FILTER (name = 'EfficientNet B7, GTX 1070/epoch_minutes') AS gtx_1070_minutes,
        max(value) FILTER (name = 'EfficientNet B7, 2x RTX 6000 Ada/epoch_minutes_above') AS ada_minutes,
        max(value) FILTER (name = '400 epochs of EfficientNet B7, 2x RTX 6000 Ada/training_hours') AS ada_hours,
        max(value) FILTER (name = 'workstation/host_memory_gb') AS host_gb,
        max(value) FILTER (name = 'workstation/host_memory_modules') AS modules,
        max(value) FILTER (name = 'workstation/host_memory_modules_each_side') AS modules_each_side,
        max(value) FILTER (name = 'workstation/host_memory_module_gb') AS module_gb,
        max(value) FILTER (name = 'rock-paper-scissors, balanced/images_per_class') AS images_per_class
    FROM (SELECT *, substr(figure_id, length(source_id) + 2) AS name FROM published_figure)
    WHERE source_id = 'pro-vs-consumer-2023'
    GROUP BY source_id
)
SELECT
    printed.*,
    ada.memory_gb AS vendor_ada_gb,
    ada.tdp_w AS vendor_ada_w,
    ada.slot_width AS vendor_ada_slots,
    ada.fp32_tflops AS vendor_ada_fp32,
    ada.memory_bandwidth_gb_per_s AS vendor_ada_gb_per_s,
    geforce.memory_gb AS vendor_rtx_4090_gb,
    geforce.tdp_w AS vendor_rtx_4090_w,
    geforce.slot_width AS vendor_rtx_4090_slots,
    geforce.fp32_tflops AS vendor_rtx_4090_fp32,
    geforce.memory_bandwidth_gb_per_s AS vendor_rtx_4090_gb_per_s
FROM printed
JOIN gpu AS ada ON ada.gpu_id = 'nvidia-rtx-6000-ada-48gb'
JOIN gpu AS geforce ON geforce.gpu_id = 'nvidia-geforce-rtx-4090-24gb'
