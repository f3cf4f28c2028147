-- Prices as they were known on $day, in one of the months of the history: one row per offer, with its newest price seen on or before that day. DuckDB's SQL,
-- over the folder of results that `gpuledger aggregate` wrote, $folder. `stale` is true where the price was no longer current on that day.
-- `seen_on` is the last day on which the interval was seen in that month, at most $day.
-- It reads the intervals of the day's month, what was carried into the month, and the last prices of offers that lapsed before it.
WITH
known AS (
    SELECT offer_key, source_id, provider, gpu_model_id, usd, least(seen_on, $day::DATE) AS seen_on, last_day >= $day::DATE AS is_current
    FROM read_parquet($folder || '/price_interval/*/*.parquet', hive_partitioning = true, hive_types = {month: VARCHAR})
    WHERE month = strftime($day::DATE, '%Y-%m') AND first_day <= $day::DATE
    UNION ALL
    SELECT offer_key, source_id, provider, gpu_model_id, usd, date AS seen_on, false AS is_current
    FROM read_parquet($folder || '/carried/*/*.parquet', hive_partitioning = true, hive_types = {month: VARCHAR})
    WHERE month = strftime($day::DATE - INTERVAL 1 MONTH, '%Y-%m')
    UNION ALL
    SELECT offer_key, source_id, provider, gpu_model_id, usd, seen_on, false AS is_current
    FROM read_parquet($folder || '/lapsed/*/*.parquet', hive_partitioning = true, hive_types = {month: VARCHAR})
    WHERE month < strftime($day::DATE, '%Y-%m')
)
SELECT
    offer_key, arg_max(source_id, seen_on) AS source_id, arg_max(provider, seen_on) AS provider, arg_max(gpu_model_id, seen_on) AS gpu_model_id,
    arg_max(usd, seen_on) AS usd, max(seen_on) AS seen_on, NOT bool_or(is_current) AS stale
FROM known
GROUP BY offer_key
