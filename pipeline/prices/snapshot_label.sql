-- title: GPU labels of a snapshot
-- description: Each distinct label of one snapshot as a row of table gpu_label.
SELECT
    md5(concat_ws('|', scope, raw_gpu_name, gpu_context, coalesce(reported_memory_gb::VARCHAR, ''))) AS label_id,
    raw_gpu_name,
    nullif(gpu_context, '') AS gpu_context,
    reported_memory_gb,
    gpu_id,
    gpu_model_id,
    unstated,
    candidates,
    gpu_count::BIGINT AS gpu_count,
    gpu_fraction,
    partition,
    nullif(rule, '') AS rule,
    reason_code,
    reason,
    scope AS _source_id,
    '' AS _snapshot_id,
    '' AS _path,
    '' AS _locator
FROM label
