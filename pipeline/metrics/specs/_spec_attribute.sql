-- title: Attributes of a GPU
-- description: One row per column of gpu that is a specification, with its unit and the doubt that applies to it for every
-- description: GPU.
-- group: specs
-- column: attribute | | Column of gpu
-- column: unit | | Its unit, as gpu declares it; empty where it has none
-- column: doubt_segment | | Market that the doubt is limited to; empty = all GPUs
-- column: doubt | | What to know of every value of this attribute
-- unique: attribute
SELECT attribute, unit, doubt_segment, doubt
FROM (VALUES
    ('architecture', NULL, NULL, NULL),
    ('segment', NULL, NULL, NULL),
    ('form_factor', NULL, NULL, NULL),
    ('release_date', NULL, NULL, 'Sources mix the day of announcement and the first day of sale.'),
    ('memory_gb', 'GB', NULL, NULL),
    ('driver_memory_gb', 'GB', NULL, 'Total of nvidia-smi and the like. Recent NVIDIA drivers keep 0.1 to 0.9 GB of it.'),
    ('memory_type', NULL, NULL, NULL),
    ('memory_bandwidth_gb_per_s', 'GB/s', NULL, NULL),
    ('sm_count', NULL, NULL, NULL),
    ('cuda_cores', NULL, NULL, NULL),
    ('tensor_cores', NULL, NULL, NULL),
    ('boost_clock_mhz', 'MHz', NULL, NULL),
    ('fp64_tflops', 'TFLOPS', NULL, NULL),
    ('fp32_tflops', 'TFLOPS', NULL, NULL),
    ('fp16_tflops', 'TFLOPS', NULL, NULL),
    ('tf32_tensor_tflops', 'TFLOPS', NULL, NULL),
    ('fp16_tensor_tflops', 'TFLOPS', NULL, NULL),
    ('bf16_tensor_tflops', 'TFLOPS', NULL, NULL),
    ('fp16_tensor_fp16_accumulate_tflops', 'TFLOPS', NULL, NULL),
    ('fp8_tensor_tflops', 'TFLOPS', NULL, NULL),
    ('int8_tops', 'TOPS', NULL, NULL),
    ('int8_tensor_tops', 'TOPS', NULL, NULL),
    ('fp4_tensor_tflops', 'TFLOPS', NULL, NULL),
    ('l2_cache_mb', 'MB', NULL, NULL),
    ('shared_memory_per_sm_kb', 'KB', NULL, NULL),
    ('compute_capability', NULL, NULL, NULL),
    ('min_cuda_version', NULL, NULL, NULL),
    ('max_cuda_version', NULL, NULL, NULL),
    ('nvlink_gb_per_s', 'GB/s', NULL, NULL),
    ('pcie_generation', NULL, NULL, NULL),
    ('tdp_w', 'W', NULL, NULL),
    ('slot_width', 'slot', NULL, NULL),
    ('launch_msrp_usd', 'USD', 'datacenter', 'A price from the press: the maker published none.'),
    ('sparsity_2_4', NULL, NULL, NULL),
    ('announced_on', NULL, NULL, NULL),
    ('launched_on', NULL, NULL, NULL),
    ('shipped_on', NULL, NULL, NULL)
) AS attributes(attribute, unit, doubt_segment, doubt)
