-- Where is a GPU with 80 GB or more cheapest to rent?
SELECT min(o.usd) AS usd_per_gpu_hour, g.name, o.provider, arg_min(coalesce(o.min_gpus, 1), o.usd) AS fewest_gpus,
    arg_min(o.price_date, o.usd) AS price_date, g.memory_gb, arg_min(o.gpu_id IS NOT NULL, o.usd) AS variant_stated
FROM offer_current o JOIN gpu g ON g.gpu_id = o.least_gpu_id
WHERE o.acquisition = 'rent' AND o.billing = 'on_demand' AND NOT o.stale AND g.memory_gb >= 80
GROUP BY g.name, g.memory_gb, o.provider
ORDER BY usd_per_gpu_hour, g.name, o.provider LIMIT 10

-- What did an H100 cost per hour, month by month?
-- the median moves when providers come and go; usd_matched follows the same offers
SELECT date_trunc('month', date)::DATE AS month, round(arg_max(usd_matched, date), 2) AS usd_matched,
    round(arg_max(usd_median, date), 2) AS usd_median, min(usd_min) AS usd_min, arg_max(n_providers, date) AS n_providers
FROM price_history
WHERE gpu_model_id = 'nvidia-h100' AND gpu_id = 'any' AND billing = 'on_demand'
GROUP BY month ORDER BY month

-- How much of an on-demand price does spot save?
SELECT g.name, min(usd_per_gpu_hour_low) FILTER (billing = 'on_demand') AS on_demand_usd,
    min(usd_per_gpu_hour_low) FILTER (billing = 'spot') AS spot_usd,
    round(100 * (1 - spot_usd / on_demand_usd)) AS saved_percent
FROM rental_market JOIN gpu g USING (gpu_id)
WHERE commitment = 'any' AND gpus = 'any'
GROUP BY g.name HAVING saved_percent IS NOT NULL ORDER BY saved_percent DESC, g.name

-- Which GPU trains the most per rental dollar?
SELECT g.name, v.basis, round(v.speed, 2) AS speed, round(v.rental_usd_per_hour, 3) AS usd_per_hour,
    round(v.value_rental, 2) AS value, round(v.value_rental_low, 2) AS low, round(v.value_rental_high, 2) AS high
FROM value_index v JOIN gpu g USING (gpu_id)
WHERE v.family = 'all' AND v.precision = 'fp16' AND v.gpu_count = 1 AND v.value_rental IS NOT NULL
ORDER BY v.value_rental DESC, g.name LIMIT 15

-- How much faster is an A100 than a V100, once batch sizes are equal?
SELECT gpu_a, gpu_b, family, precision, round(naive_ratio, 2) AS as_measured, round(batch_factor, 2) AS owed_to_batch,
    round(corrected, 2) AS corrected, round(ci_low, 2) AS low, round(ci_high, 2) AS high, n_workloads
FROM speedup_family
WHERE gpu_a LIKE 'nvidia-a100%' AND gpu_b LIKE '%v100%' AND family = 'all'
ORDER BY gpu_a, gpu_b, precision

-- What is left of each GPU's speed in a machine of 4 or 8?
SELECT interconnect, gpu_count, precision, round(100 * efficiency) AS percent_left, n_gpus, n_workloads
FROM scaling_efficiency
WHERE family = 'all' AND gpu_count IN (4, 8)
ORDER BY gpu_count, precision, efficiency DESC, interconnect

-- After how many days is buying cheaper than renting, at any use of the GPU?
SELECT use_percent, break_even_days(2000, 0.80, use_percent / 100, 350, 0.30) AS days
FROM (SELECT unnest([10, 20, 40, 60, 80, 100]) AS use_percent)

-- Which figures of the guides do not hold?
SELECT source_id, subject, quantity, unit, published, recomputed_shown AS recomputed, note
FROM audit WHERE NOT agrees
ORDER BY abs(recomputed / nullif(published, 0) - 1) DESC NULLS LAST, figure_id LIMIT 20

-- Where do sources disagree about a GPU?
SELECT gpu_id, attribute, unit, min(value) AS least, max(value) AS most,
    round(100 * (most / least - 1), 1) AS apart_percent, count(*) AS n_sources,
    arg_min(source_id, value) AS least_by, arg_max(source_id, value) AS most_by
FROM gpu_spec
GROUP BY gpu_id, attribute, unit HAVING least > 0 AND apart_percent > 2
ORDER BY apart_percent DESC, gpu_id, attribute LIMIT 20

-- Why were rows rejected, and whose?
SELECT s.source_id, r.reason_code, count(*) AS n_rows, min(r.reason) AS for_example
FROM reject r JOIN snapshot s USING (snapshot_id)
GROUP BY ALL ORDER BY n_rows DESC, s.source_id, r.reason_code LIMIT 20
