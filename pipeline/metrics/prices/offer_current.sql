-- title: Offers to choose from
-- description: One row per offer at its newest price, as a choice between GPUs counts them: whole GPUs, each offer once where several sources list
-- description: it, without the bare host, Windows, "from" prices, doubtful spot prices and jumps that nothing confirms. `preference` says which of a
-- description: GPU's offers comes first before price: rentals that are current (1), then stale ones, newest first; of purchases the newest street
-- description: price, new before used on the same day, and the launch price last. `price_rank` orders all offers of the GPU by price, for every
-- description: statistic and list that needs the cheapest: of equal prices the newest comes first, then the one for the fewest GPUs, then by provider.
-- group: prices
-- column: observation_id | | Price in `price`
-- column: source_id | | Source of the price
-- column: way | | rent or buy
-- column: gpu_id | | GPU
-- column: provider | | Who sells or rents
-- column: kind | | What is paid for
-- column: billing | | On what terms a rental is billed
-- column: commitment_months | month | Term of a commitment
-- column: lot | | Smallest number of GPUs in the offer; empty = not stated
-- column: usd | USD/(GPU·h) or USD/GPU | Price of one GPU: of an hour, or to own
-- column: price_date | | Last day on which the price was seen
-- column: stale | | Whether the price is stale at the build's as_of
-- column: preference | | Place among the offers of the GPU and way, before price; 1 = first
-- column: price_rank | | Place among the offers of the GPU and way by price; 1 = cheapest
-- unique: observation_id
-- check: usd > 0
-- check: way IN ('rent', 'buy')
WITH listed AS (
    SELECT p.*, CASE WHEN p.kind = 'cloud_rental' THEN 'rent' ELSE 'buy' END AS way, coalesce(p.usd_per_gpu_hour, p.usd_per_gpu) AS usd
    FROM price_latest AS p
    JOIN (SELECT DISTINCT observation_id FROM _price_span WHERE counts) USING (observation_id)
    WHERE p.kind IN ('cloud_rental', 'msrp', 'purchase_new', 'purchase_used')
),
-- a stale listing does not replace a current one
repeated AS (
    SELECT r.offer_key
    FROM offer_repeat AS r
    JOIN listed AS own ON own.offer_key = r.offer_key
    JOIN listed AS other ON other.offer_key = r.repeats
    WHERE own.stale OR NOT other.stale
)
SELECT
    observation_id,
    source_id,
    way,
    gpu_id,
    provider,
    kind,
    billing,
    commitment_months,
    coalesce(min_gpus, gpu_count) AS lot,
    usd,
    last_day AS price_date,
    stale,
    dense_rank() OVER (
        PARTITION BY gpu_id, way
        ORDER BY
            kind = 'msrp',
            way = 'rent' AND stale,
            CASE WHEN way = 'buy' OR stale THEN -epoch(last_day) ELSE 0 END,
            kind = 'purchase_used'
    ) AS preference,
    row_number() OVER (PARTITION BY gpu_id, way ORDER BY usd, last_day DESC, lot NULLS LAST, provider, observation_id) AS price_rank
FROM listed
WHERE offer_key NOT IN (FROM repeated)
