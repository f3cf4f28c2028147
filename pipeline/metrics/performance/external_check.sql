-- title: The index against MLPerf Training
-- description: One row per round, benchmark, number of GPUs and pair of GPUs in mlperf_training whose GPUs both have an index (16-bit, all kinds of
-- description: networks). It has the speed ratio of the index beside the ratio of the times to train. No fit uses MLPerf. A time to train also
-- description: contains batch size, number format, software and the links between the GPUs, so that the ratios need not agree. The interval treats
-- description: the indices of the two GPUs as independent. prediction_error has the medians by class, split external_mlperf.
-- group: performance
-- column: round | | Round of MLPerf Training
-- column: benchmark | | Benchmark of the round
-- column: gpu_count | | GPUs working together, as many of each
-- column: gpu_faster | | GPU of the higher index
-- column: gpu_slower | | GPU of the lower index
-- column: class | | both_measured, one_predicted or both_predicted: whether the indices are measured
-- column: both_measured | | Whether both indices are measured
-- column: index_ratio | ratio | Index of the faster GPU over that of the other
-- column: ratio_low | ratio | Low end of the 90% interval of index_ratio
-- column: ratio_high | ratio | High end of the 90% interval of index_ratio
-- column: measured_ratio | ratio | Time to train of the slower GPU over that of the faster
-- column: error_pct | % | index_ratio over measured_ratio, less 1
-- column: abs_error_pct | % | error_pct without its sign
-- column: within_interval | | Whether the interval contains the measured ratio
-- column: minutes_faster | min | Time to train of the faster GPU
-- column: minutes_slower | min | Time to train of the slower GPU
-- column: submitter_faster | | Who submitted the first
-- column: submitter_slower | | Who submitted the second
-- column: system_faster | | Machine of the first
-- column: system_slower | | Machine of the second
-- unique: round, benchmark, gpu_count, gpu_faster, gpu_slower
-- check: index_ratio > 0 AND measured_ratio > 0
-- check: ratio_low <= index_ratio AND index_ratio <= ratio_high
-- check: class IN ('both_measured', 'one_predicted', 'both_predicted')
WITH result AS (
    SELECT m.*, i.index, i.basis, coalesce(ln(i.ci_high / i.index), 0) AS half_width
    FROM mlperf_training AS m
    JOIN performance_index AS i ON i.gpu_id = m.gpu_id AND i.family = 'all' AND i.precision = 'fp16'
),
-- the fastest result where several were submitted
best AS (
    FROM result
    QUALIFY row_number() OVER (PARTITION BY round, benchmark, gpu_count, gpu_id ORDER BY minutes_to_train, row_id) = 1
)
SELECT
    f.round, f.benchmark, f.gpu_count,
    f.gpu_id AS gpu_faster,
    s.gpu_id AS gpu_slower,
    CASE (f.basis = 'measured')::INTEGER + (s.basis = 'measured')::INTEGER WHEN 2 THEN 'both_measured' WHEN 1 THEN 'one_predicted' ELSE 'both_predicted' END AS class,
    class = 'both_measured' AS both_measured,
    f.index / s.index AS index_ratio,
    index_ratio / exp(sqrt(pow(f.half_width, 2) + pow(s.half_width, 2))) AS ratio_low,
    index_ratio * exp(sqrt(pow(f.half_width, 2) + pow(s.half_width, 2))) AS ratio_high,
    s.minutes_to_train / f.minutes_to_train AS measured_ratio,
    100 * (index_ratio / measured_ratio - 1) AS error_pct,
    abs(error_pct) AS abs_error_pct,
    measured_ratio BETWEEN ratio_low AND ratio_high AS within_interval,
    f.minutes_to_train AS minutes_faster,
    s.minutes_to_train AS minutes_slower,
    f.submitter AS submitter_faster,
    s.submitter AS submitter_slower,
    f.system AS system_faster,
    s.system AS system_slower
FROM best AS f
JOIN best AS s USING (round, benchmark, gpu_count)
WHERE (f.index, s.gpu_id) > (s.index, f.gpu_id)
ORDER BY f.round, f.benchmark, f.gpu_count, gpu_faster, gpu_slower
