-- title: Conflicts between sources
-- description: One row per provider, GPU, billing, commitment, pair of sources and time for which even the nearest rental prices of the two were
-- description: more than 10 percent apart. It has the last 60 days up to the build's as_of. A conflict begins where both were seen within 7 days
-- description: (comparable_days). It lasts until one of the two shows another price or leaves the offer out. The prices are those of its last day,
-- description: in the region in which they are furthest apart. A region that one source does not state can be any region of the other. Both stay in
-- description: the data; statistics take the provider's own list (`preferred`) where one of the two is that.
-- group: prices
-- column: provider | | Who rents
-- column: gpu_model_id | | GPU model
-- column: gpu_id | | Variant; where a source does not state it, the only one that the provider has of the model, else `not stated`
-- column: billing | | On what terms a rental is billed
-- column: commitment | | Term of a reservation or savings plan; `none` without one, `not stated` where it is not known
-- column: source_a | | One source
-- column: source_b | | The other source
-- column: first_day | | First day of the conflict
-- column: last_day | | Last day on which it was seen
-- column: ongoing | | Whether neither source has shown another price since
-- column: usd_per_gpu_hour_min_a | USD/(GPU·h) | Lowest price in source_a
-- column: usd_per_gpu_hour_max_a | USD/(GPU·h) | Highest price in source_a
-- column: usd_per_gpu_hour_min_b | USD/(GPU·h) | Lowest price in source_b
-- column: usd_per_gpu_hour_max_b | USD/(GPU·h) | Highest price in source_b
-- column: observed_at_a | | Last day on which source_a had its price
-- column: observed_at_b | | Last day on which source_b had its price
-- column: machines_a | | Machines of source_a, comma-separated; empty = not stated
-- column: machines_b | | Machines of source_b, comma-separated; empty = not stated
-- column: preferred | | Source that is the provider's own list; empty where neither or both are
-- unique: provider, gpu_model_id, gpu_id, billing, commitment, source_a, source_b, first_day
-- check: source_a < source_b
-- check: first_day <= last_day
-- check: prices_conflict(usd_per_gpu_hour_min_a, usd_per_gpu_hour_max_a, usd_per_gpu_hour_min_b, usd_per_gpu_hour_max_b)
WITH
only_variant AS (
    SELECT provider, gpu_model_id, coalesce(billing, 'not stated') AS billing, any_value(gpu_id) AS the_variant
    FROM price
    WHERE kind = 'cloud_rental' AND gpu_id IS NOT NULL
    GROUP BY ALL
    HAVING count(DISTINCT gpu_id) = 1
),
flagged AS (
    SELECT offer_key, price_seen_from(observed_at, effective_from, effective_to) AS seen_on
    FROM price
    WHERE kind = 'cloud_rental' AND contains(flags, 'CONFLICT')
),
run AS (
    SELECT
        * EXCLUDE (billing), coalesce(billing, 'not stated') AS billing,
        commitment_text(billing, commitment_months) AS commitment,
        lead(valid_from) OVER (PARTITION BY offer_key ORDER BY valid_from) AS replaced_on
    FROM price_change
),
side AS (
    SELECT
        provider, gpu_model_id, coalesce(gpu_id, the_variant, 'not stated') AS gpu_id, billing, commitment, source_id, coalesce(region, '') AS area,
        run.instance_type, usd_per_gpu_hour AS usd, valid_from, valid_to,
        least(valid_to + comparable_days(), replaced_on - 1) AS comparable_to,
        replaced_on IS NOT NULL OR stale AS ended
    FROM (FROM run SEMI JOIN flagged ON flagged.offer_key = run.offer_key AND seen_on BETWEEN valid_from AND valid_to) AS run
    JOIN _price_newest USING (offer_key)
    LEFT JOIN only_variant USING (provider, gpu_model_id, billing)
),
-- the flagged prices on each day on which one of them began
on_day AS (
    SELECT side.*, day
    FROM side
    JOIN (SELECT DISTINCT provider, gpu_model_id, gpu_id, billing, commitment, valid_from AS day FROM side)
        USING (provider, gpu_model_id, gpu_id, billing, commitment)
    WHERE day BETWEEN valid_from AND comparable_to
),
apart AS (
    SELECT
        provider, gpu_model_id, gpu_id, billing, commitment, a.source_id AS source_a, b.source_id AS source_b, day,
        CASE WHEN a.area = b.area THEN a.area ELSE '' END AS place,
        min(a.usd) AS low_a, max(a.usd) AS high_a, min(b.usd) AS low_b, max(b.usd) AS high_b,
        max(a.valid_to) AS seen_a, max(b.valid_to) AS seen_b, bool_and(a.ended) AS ended_a, bool_and(b.ended) AS ended_b,
        string_agg(DISTINCT a.instance_type, ',' ORDER BY a.instance_type) AS machines_a,
        string_agg(DISTINCT b.instance_type, ',' ORDER BY b.instance_type) AS machines_b
    FROM on_day AS a
    JOIN on_day AS b USING (provider, gpu_model_id, gpu_id, billing, commitment, day)
    WHERE a.source_id < b.source_id AND (a.area = b.area OR '' IN (a.area, b.area))
    GROUP BY ALL
    HAVING prices_conflict(low_a, high_a, low_b, high_b)
),
dated AS (
    SELECT
        *,
        NOT ended_a AND NOT ended_b AS ongoing,
        greatest(day, coalesce(least(CASE WHEN ended_a THEN seen_a END, CASE WHEN ended_b THEN seen_b END), greatest(seen_a, seen_b))) AS last_day
    FROM apart
),
numbered AS (
    SELECT *, count(*) FILTER (begins) OVER (own ROWS UNBOUNDED PRECEDING) AS number
    FROM (
        SELECT
            *,
            coalesce(day > max(last_day) OVER (own ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) + comparable_days(), true) AS begins
        FROM dated
        WINDOW own AS (PARTITION BY provider, gpu_model_id, gpu_id, billing, commitment, source_a, source_b ORDER BY day, place)
    )
    WINDOW own AS (PARTITION BY provider, gpu_model_id, gpu_id, billing, commitment, source_a, source_b ORDER BY day, place)
),
newest AS (
    SELECT *, min(day) OVER one AS first_day, max(last_day) OVER one AS end_day
    FROM numbered
    WINDOW one AS (PARTITION BY provider, gpu_model_id, gpu_id, billing, commitment, source_a, source_b, number)
    QUALIFY row_number() OVER (one ORDER BY day DESC, ongoing DESC, greatest(low_a / high_b, low_b / high_a) DESC, place) = 1
)
SELECT
    provider, gpu_model_id, gpu_id, billing, commitment, source_a, source_b, first_day, end_day AS last_day, ongoing,
    low_a AS usd_per_gpu_hour_min_a, high_a AS usd_per_gpu_hour_max_a, low_b AS usd_per_gpu_hour_min_b, high_b AS usd_per_gpu_hour_max_b,
    seen_a AS observed_at_a, seen_b AS observed_at_b, machines_a, machines_b,
    CASE
        WHEN a.own_list_of = provider AND b.own_list_of IS DISTINCT FROM provider THEN source_a
        WHEN b.own_list_of = provider AND a.own_list_of IS DISTINCT FROM provider THEN source_b
    END AS preferred
FROM newest
JOIN source AS a ON a.source_id = source_a
JOIN source AS b ON b.source_id = source_b
CROSS JOIN release
WHERE end_day >= as_of - 60
