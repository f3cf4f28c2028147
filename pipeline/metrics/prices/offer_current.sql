-- title: Listings to choose from
-- description: One row per listing at its newest price, as a choice between GPUs counts them: whole GPUs with their host, each listing once where several
-- description: sources have it, without Windows, "from" prices, doubtful spot prices and prices that the provider's own list contradicts.
-- description: `preference` says which of a GPU's listings comes first before price: rentals that are current (1), then stale ones, newest first; of
-- description: purchases the newest street price, new before used on the same day, and the launch price last. `price_rank` orders all listings of a
-- description: GPU model by price: of equal prices the newest comes first, then the one for the fewest GPUs, then by provider.
-- group: prices
-- column: observation_id | | Price in `price`
-- column: source_id | | Source of the price
-- column: way | | rent or buy
-- column: gpu_model_id | | GPU model
-- column: gpu_id | | Variant of the model; empty where the source does not state it
-- column: least_gpu_id | | The variant, or the weakest one that it can be, by memory, then FP16 tensor rate and bandwidth: a buyer gets at least that
-- column: provider | | Who sells or rents
-- column: kind | | What is paid for
-- column: billing | | On what terms a rental is billed
-- column: commitment_months | month | Term of a commitment
-- column: lot | | Smallest number of GPUs in the offer; empty = not stated
-- column: usd | USD/(GPU·h) or USD/GPU | Price of one GPU: of an hour, or to own
-- column: price_date | | Last day on which the price was seen
-- column: stale | | Whether the price is stale at the build's as_of
-- column: in_purchase_range | | Whether a price to own is of the dates in purchase_range; empty for a rental
-- column: preference | | Place among the listings of the GPU model and way, before price; 1 = first
-- column: price_rank | | Place among the listings of the GPU model and way by price; 1 = cheapest
-- unique: observation_id
-- check: usd > 0
-- check: way IN ('rent', 'buy')
WITH listed AS (
    SELECT p.*, CASE WHEN p.kind = 'cloud_rental' THEN 'rent' ELSE 'buy' END AS way, coalesce(p.usd_per_gpu_hour, p.usd_per_gpu) AS usd
    FROM price_latest AS p
    JOIN (SELECT DISTINCT observation_id FROM _price_span WHERE counts) USING (observation_id)
    WHERE p.kind IN ('cloud_rental', 'msrp', 'purchase_new', 'purchase_used') AND NOT (p.kind = 'msrp' AND p.qualifier = 'estimate')
),
weakest AS (
    SELECT candidates, arg_min(gpu_id, (memory_gb, fp16_tensor_tflops, memory_bandwidth_gb_per_s, gpu_id)) AS gpu_id
    FROM (SELECT DISTINCT candidates, unnest(string_split(candidates, ',')) AS gpu_id FROM listed WHERE candidates IS NOT NULL)
    JOIN gpu USING (gpu_id)
    GROUP BY candidates
),
-- a stale listing does not replace a current one; one that leaves the host out shows that the other does too
repeated AS (
    SELECT r.offer_key
    FROM offer_repeat AS r
    JOIN listed AS own ON own.offer_key = r.offer_key
    JOIN price_latest AS other ON other.offer_key = r.repeats
    WHERE (own.stale OR NOT other.stale) AND (other.includes_host = false OR other.observation_id IN (SELECT observation_id FROM listed))
)
SELECT
    observation_id,
    source_id,
    way,
    gpu_model_id,
    listed.gpu_id,
    coalesce(listed.gpu_id, weakest.gpu_id) AS least_gpu_id,
    provider,
    kind,
    billing,
    commitment_months,
    coalesce(min_gpus, gpu_count) AS lot,
    usd,
    last_day AS price_date,
    stale,
    CASE WHEN way = 'buy' THEN last_day BETWEEN r.first_date AND r.last_date END AS in_purchase_range,
    dense_rank() OVER (
        PARTITION BY gpu_model_id, way
        ORDER BY
            kind = 'msrp',
            way = 'rent' AND stale,
            CASE WHEN way = 'buy' OR stale THEN -epoch(last_day) ELSE 0 END,
            kind = 'purchase_used'
    ) AS preference,
    row_number() OVER (PARTITION BY gpu_model_id, way ORDER BY usd, last_day DESC, lot NULLS LAST, provider, observation_id) AS price_rank
FROM listed
LEFT JOIN weakest USING (candidates)
LEFT JOIN purchase_range AS r ON true
WHERE offer_key NOT IN (FROM repeated)
