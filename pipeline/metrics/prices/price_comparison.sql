-- title: The same offers in different sources
-- description: One row per provider, GPU, billing, commitment and pair of sources that both list it: the newest prices of each, side by side. These
-- description: are at most 60 days apart, or the two had a conflict in the last 60 days. A source may list several regions and machines, so each
-- description: has its lowest, median and highest price. The prices that were in conflict, and from when to when, are in price_conflict. Both stay
-- description: in the data; statistics take the provider's own list (`preferred`) where one of the two is that. A GPU without its host is set
-- description: beside GPUs without theirs alone (`gpu_alone`).
-- group: prices
-- as-in: price_conflict | provider, gpu_model_id, gpu_id, billing, commitment, source_a, source_b, usd_per_gpu_hour_min_a
-- as-in: price_conflict | usd_per_gpu_hour_min_b, usd_per_gpu_hour_max_a, usd_per_gpu_hour_max_b, preferred
-- column: gpu_alone | | Whether the prices are of a GPU without its host; otherwise they include it, or do not say
-- column: observed_at_a | | Day of the prices of source_a
-- column: observed_at_b | | Day of the prices of source_b
-- column: n_offers_a | | Offers of source_a
-- column: n_offers_b | | Offers of source_b
-- column: usd_per_gpu_hour_median_a | USD/(GPU·h) | Median price in source_a
-- column: usd_per_gpu_hour_median_b | USD/(GPU·h) | Median price in source_b
-- column: median_ratio | ratio | Median of source_b over that of source_a
-- column: conflict | | Whether the two were in conflict on a day of the last 60 days (price_conflict)
-- column: ongoing | | Whether they still are
-- column: flagged | | Whether a price of the two has the flag CONFLICT
-- unique: provider, gpu_model_id, gpu_id, billing, commitment, gpu_alone, source_a, source_b
-- check: source_a < source_b
-- check: median_ratio > 0
WITH
rental AS (
    SELECT *
    FROM price_latest
    WHERE kind = 'cloud_rental' AND is_whole_gpu(partition, price_basis, os) AND usd_per_gpu_hour IS NOT NULL AND gpu_model_id IS NOT NULL
),
only_variant AS (
    SELECT provider, gpu_model_id, billing, any_value(gpu_id) AS the_variant
    FROM rental
    WHERE gpu_id IS NOT NULL
    GROUP BY ALL
    HAVING count(DISTINCT gpu_id) = 1
),
newest AS (
    SELECT
        provider,
        gpu_model_id,
        coalesce(gpu_id, the_variant, 'not stated') AS variant,
        coalesce(billing, 'not stated') AS billing,
        commitment_text(billing, commitment_months) AS commitment,
        includes_host IS NOT DISTINCT FROM false AS gpu_alone,
        source_id,
        last_day,
        usd_per_gpu_hour,
        coalesce(contains(flags, 'CONFLICT'), false) AS flagged
    FROM rental
    LEFT JOIN only_variant USING (provider, gpu_model_id, billing)
    QUALIFY last_day = max(last_day) OVER (PARTITION BY provider, gpu_model_id, variant, billing, commitment, gpu_alone, source_id)
),
listed AS (
    SELECT
        provider,
        gpu_model_id,
        variant AS gpu_id,
        billing,
        commitment,
        gpu_alone,
        source_id,
        own_list_of = provider AS own_list,
        last_day,
        count(*) AS n_offers,
        min(usd_per_gpu_hour) AS low,
        median(usd_per_gpu_hour) AS middle,
        max(usd_per_gpu_hour) AS high,
        bool_or(flagged) AS flagged
    FROM newest
    JOIN source USING (source_id)
    GROUP BY ALL
),
disputed AS (
    SELECT (provider, gpu_model_id, gpu_id, billing, commitment, false, source_a, source_b) AS pair, ongoing
    FROM price_conflict
)
SELECT
    provider,
    gpu_model_id,
    gpu_id,
    billing,
    commitment,
    gpu_alone,
    a.source_id AS source_a,
    b.source_id AS source_b,
    a.last_day AS observed_at_a,
    b.last_day AS observed_at_b,
    a.n_offers AS n_offers_a,
    b.n_offers AS n_offers_b,
    a.low AS usd_per_gpu_hour_min_a,
    b.low AS usd_per_gpu_hour_min_b,
    a.middle AS usd_per_gpu_hour_median_a,
    b.middle AS usd_per_gpu_hour_median_b,
    a.high AS usd_per_gpu_hour_max_a,
    b.high AS usd_per_gpu_hour_max_b,
    b.middle / a.middle AS median_ratio,
    (provider, gpu_model_id, gpu_id, billing, commitment, gpu_alone, a.source_id, b.source_id) IN (SELECT pair FROM disputed) AS conflict,
    (provider, gpu_model_id, gpu_id, billing, commitment, gpu_alone, a.source_id, b.source_id) IN (SELECT pair FROM disputed WHERE disputed.ongoing) AS ongoing,
    CASE
        WHEN a.own_list AND b.own_list IS NOT TRUE THEN a.source_id
        WHEN b.own_list AND a.own_list IS NOT TRUE THEN b.source_id
    END AS preferred,
    a.flagged OR b.flagged AS flagged
FROM listed AS a
JOIN listed AS b USING (provider, gpu_model_id, gpu_id, billing, commitment, gpu_alone)
WHERE a.source_id < b.source_id AND (abs(a.last_day - b.last_day) <= 60 OR conflict)
