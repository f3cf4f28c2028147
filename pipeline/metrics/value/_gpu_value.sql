-- title: Numbers of the GPUs
-- description: One row per GPU and numeric column of gpu that is known.
-- group: specs
-- column: gpu_id | | GPU
-- column: attribute | | Column of gpu
-- column: value | see attribute | Value of the attribute
-- unique: gpu_id, attribute
SELECT gpu_id, attribute, value
FROM (
    SELECT gpu_id, COLUMNS(* EXCLUDE (
        gpu_id, gpu_model_id, name, vendor, architecture, segment, form_factor, release_date, memory_type, compute_capability, min_cuda_version, max_cuda_version, sparsity_2_4,
        announced_on, launched_on, shipped_on
    ))::DOUBLE
    FROM gpu
)
UNPIVOT (value FOR attribute IN (COLUMNS(* EXCLUDE (gpu_id))))
