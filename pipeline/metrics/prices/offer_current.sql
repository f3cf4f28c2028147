-- title: Listings to choose from
-- description: One row per listing at its newest price, as a choice between GPUs counts them: whole GPUs with their host. A listing that several
-- description: sources have is here once. Left out are Windows, "from" prices, estimates, doubtful spot prices and prices that the provider's own
-- description: list contradicts. Column `preference` says which of a GPU's listings comes first before price. Rentals that are current come first,
-- description: then stale ones, newest first. Of each billing, those without a commitment come first, then those with the shortest one. Of
-- description: purchases, the newest street price comes first, new before used on the same day, and the launch price last. Column `price_rank`
-- description: orders all listings of a GPU model by price. Of equal prices the newest comes first, then the one for the fewest GPUs, then by
-- description: provider.
-- group: prices
-- as-in: _price_span | observation_id, source_id, gpu_model_id, gpu_id, provider, kind, billing, commitment_months, min_gpus
-- column: acquisition | | rent or buy
-- column: least_gpu_id | | The variant, or the weakest one that it can be, by memory, then bandwidth, then FP16 tensor rate
-- column: usd | USD/(GPU·h) or USD/GPU | Price of one GPU: of an hour, or to own
-- column: price_date | | Last day on which any source of the offer showed the price; of a launch price the day of the launch
-- column: stale | | Whether the price is stale at the build's as_of
-- column: in_purchase_range | | Whether a price to own is of the dates in purchase_range; empty for a rental
-- column: preference | | Place among the listings of the GPU model and acquisition, before price; 1 = first
-- column: price_rank | | Place among the listings of the GPU model and acquisition by price; 1 = cheapest
-- unique: observation_id
-- check: usd > 0
-- check: acquisition IN ('rent', 'buy')
WITH listed AS (
    SELECT
        p.* REPLACE (coalesce(p.min_gpus, p.gpu_count) AS min_gpus),
        CASE WHEN p.kind = 'cloud_rental' THEN 'rent' ELSE 'buy' END AS acquisition,
        coalesce(p.usd_per_gpu_hour, p.usd_per_gpu) AS usd,
        dense_rank() OVER (
            PARTITION BY p.gpu_model_id, p.kind, p.billing
            ORDER BY commitment_text(p.billing, p.commitment_months) <> 'none', p.commitment_months NULLS LAST
        ) AS term_place
    FROM price_latest AS p
    JOIN (SELECT DISTINCT observation_id FROM _price_span WHERE counts) USING (observation_id)
    WHERE p.kind IN ('cloud_rental', 'msrp', 'purchase_new', 'purchase_used')
),
weakest AS (
    SELECT candidates, arg_min(gpu_id, (memory_gb, memory_bandwidth_gb_per_s, fp16_tensor_tflops, gpu_id)) AS gpu_id
    FROM (SELECT DISTINCT candidates, unnest(string_split(candidates, ',')) AS gpu_id FROM listed WHERE candidates IS NOT NULL)
    JOIN gpu USING (gpu_id)
    GROUP BY candidates
)
SELECT
    observation_id,
    source_id,
    acquisition,
    gpu_model_id,
    listed.gpu_id,
    coalesce(listed.gpu_id, weakest.gpu_id) AS least_gpu_id,
    provider,
    kind,
    billing,
    commitment_months,
    min_gpus,
    usd,
    CASE WHEN kind = 'msrp' THEN last_day ELSE coalesce(seen.seen_last, last_day) END AS price_date,
    stale,
    CASE WHEN acquisition = 'buy' THEN last_day BETWEEN r.first_date AND r.last_date END AS in_purchase_range,
    dense_rank() OVER (
        PARTITION BY gpu_model_id, acquisition
        ORDER BY
            kind = 'msrp',
            acquisition = 'rent' AND stale,
            CASE WHEN acquisition = 'buy' OR stale THEN -epoch(last_day) ELSE 0 END,
            kind = 'purchase_used',
            CASE WHEN acquisition = 'rent' THEN term_place END
    ) AS preference,
    row_number() OVER (
        PARTITION BY gpu_model_id, acquisition ORDER BY usd, last_day DESC, min_gpus NULLS LAST, provider, observation_id
    ) AS price_rank
FROM listed
LEFT JOIN weakest USING (candidates)
LEFT JOIN purchase_range AS r ON true
LEFT JOIN (SELECT listed_as, max(seen_last) AS seen_last FROM _offer_hidden GROUP BY listed_as) AS seen ON seen.listed_as = offer_key
WHERE offer_key NOT IN (SELECT offer_key FROM _offer_hidden)
