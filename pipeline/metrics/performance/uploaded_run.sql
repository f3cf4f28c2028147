-- title: Uploaded runs by GPU
-- description: One row per uploaded run and GPU in it; a run without a known GPU has one row with an empty gpu_id.
-- group: benchmarks
-- column: run_id | | Run in benchmark_run
-- column: gpu_key | | The GPU, or `unknown`
-- column: gpu_id | | The GPU
-- column: name_raw | | Names that the tool printed, comma-separated
-- column: n_devices | | Devices of the run that are this GPU
-- column: n_figures | | Figures of them
-- column: n_flagged | | Figures of these that count in no aggregate
-- column: flags | | Why, comma-separated codes
-- column: unresolved | | Why gpu_id is empty
-- unique: run_id, gpu_key
-- check: n_flagged <= n_figures
SELECT
    r.run_id,
    coalesce(d.gpu_id, 'unknown') AS gpu_key,
    d.gpu_id,
    string_agg(DISTINCT d.name_raw, ', ' ORDER BY d.name_raw) AS name_raw,
    count(DISTINCT d.ordinal) AS n_devices,
    count(DISTINCT m.ordinal) AS n_figures,
    count(DISTINCT m.ordinal) FILTER (m.flags IS NOT NULL) AS n_flagged,
    nullif(array_to_string(list_sort(list_distinct(flatten(array_agg(string_split(m.flags, ','))))), ','), '') AS flags,
    string_agg(DISTINCT d.unresolved, '; ' ORDER BY d.unresolved) AS unresolved
FROM benchmark_run AS r
LEFT JOIN benchmark_device AS d USING (run_id)
LEFT JOIN measurement AS m ON m.run_id = r.run_id AND coalesce(m.device_ordinal = d.ordinal, true)
GROUP BY r.run_id, d.gpu_id
