-- title: Rejected prices of a snapshot
-- description: The rows of `normalized` that a rule rejects, as rows of table reject in the order of the file.
SELECT
    _snapshot_id AS snapshot_id,
    _locator AS locator,
    code AS reason_code,
    reason,
    rule_version() AS rule_version,
    concat_ws(' | ', provider, instance_type, raw_gpu_name, gpu_context, billing, price_raw, currency, price_unit) AS record,
    _source_id,
    _snapshot_id,
    _path,
    _locator
FROM normalized
WHERE code IS NOT NULL
ORDER BY _row
