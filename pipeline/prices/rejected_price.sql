-- title: Rejected prices of a snapshot
-- description: The rows of `normalized` that a rule rejects, as rows of table reject in the order of the file.
-- input: normalized | | Prices of one snapshot with the rule that each breaks
-- column: snapshot_id | | Snapshot of the price
-- column: locator | | Place in the file
-- column: reason_code | | Code of the rule
-- column: reason | | Reason in words
-- column: rule_version | | Version of the rules
-- column: record | | The price in the source's own words
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
