-- Prices as they were known on $day: one row per offer, with its newest price seen on or before that day. DuckDB's SQL, over the files of
-- `price_interval` that `gpuledger aggregate` wrote. `stale` is true where the price was no longer current on that day.
SELECT
    offer_key, arg_max(source_id, first_day) AS source_id, arg_max(provider, first_day) AS provider, arg_max(gpu_model_id, first_day) AS gpu_model_id,
    arg_max(usd, first_day) AS usd, max(least(seen_on, $day)) AS seen_on, max(last_day) < $day AS stale
FROM read_parquet($intervals)
WHERE first_day <= $day
GROUP BY offer_key
