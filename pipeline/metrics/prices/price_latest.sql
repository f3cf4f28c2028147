-- title: Newest price of each offer
-- description: One row per offer: the price that was known last at the build's as_of. A price announced for a later day waits for that day.
-- description: An offer that its source no longer lists stays, with the day on which it was seen last. It is stale once it is too old
-- description: (max_price_age_days), or once a newer list of the same source, provider, region and billing leaves it out.
-- description: Further terms are in `price` under the same observation_id. For another day: SELECT * FROM price_as_of(DATE '2026-08-01').
-- group: prices
-- column: offer_key | | The offer, the same on every day
-- column: observation_id | | Price in `price`
-- column: source_id | | Source of the price
-- column: observed_at | | Date of the price
-- column: last_day | | Last day on which the price was seen, or the day from which it is announced
-- column: stale | | Whether the price is stale at the build's as_of
-- column: flags | | Remarks on the price, comma-separated codes
-- column: provider | | Who sells or rents
-- column: offer_id | | The provider's own name of the offer
-- column: instance_type | | The provider's name of the machine
-- column: gpu_model_id | | GPU model
-- column: gpu_id | | Variant of the model; empty where the source does not state it
-- column: unstated | | Facts that the source does not state of the GPU, comma-separated: form factor, memory, edition
-- column: candidates | | Variants that it can be, comma-separated; empty where the variant is stated
-- column: gpu_count | | GPUs in the machine or lot
-- column: partition | | Whether a whole GPU is offered
-- column: region | | Region, as the provider names it
-- column: kind | | What is paid for
-- column: billing | | On what terms a rental is billed
-- column: commitment_months | month | Term of a commitment
-- column: min_gpus | | Smallest number of GPUs in the offer
-- column: os | | Operating system that the price includes
-- column: tier | | The provider's class of service
-- column: vcpus | | Processor threads of the machine
-- column: host_memory_gb | GB | Main memory of the machine
-- column: price_basis | | Whether it pays for a GPU or a machine
-- column: includes_host | | Whether the price includes processor, memory and storage; empty = not stated
-- column: qualifier | | How exact the figure is
-- column: usd_per_gpu_hour | USD/(GPU·h) | Rental price of one GPU
-- column: usd_per_gpu | USD/GPU | Purchase price of one GPU
-- unique: offer_key
WITH known AS (
    SELECT
        price.* EXCLUDE (snapshot_id),
        price_seen_from(observed_at, effective_from, effective_to) AS first_day,
        least(price_seen_to(observed_at, effective_from, effective_to), release.as_of) AS last_day,
        -- day of the newest list; an excerpt of a list leaves out offers that are still listed
        max(last_day) FILTER (extent <> 'excerpt') OVER (
            PARTITION BY price.source_id, lower(provider), region, kind, billing
        ) AS list_day
    FROM price
    JOIN snapshot USING (snapshot_id)
    CROSS JOIN release
    WHERE first_day <= release.as_of
)
SELECT
    offer_key, observation_id, source_id, observed_at, last_day,
    stale OR (kind = 'cloud_rental' AND coalesce(last_day < list_day, false)) AS stale,
    flags, provider, offer_id, instance_type, gpu_model_id, gpu_id, unstated, candidates, gpu_count, partition, region, kind, billing,
    commitment_months, min_gpus, os, tier, vcpus, host_memory_gb, price_basis, includes_host, qualifier, usd_per_gpu_hour, usd_per_gpu
FROM known
QUALIFY row_number() OVER (PARTITION BY offer_key ORDER BY last_day DESC, first_day DESC, observed_at DESC, amount, observation_id) = 1
