-- title: Newest price of each offer
-- description: One row per offer: the price that was known last at the build's as_of. A price announced for a later day waits for that day.
-- description: An offer that its source no longer lists stays, with the day on which it was seen last, and is stale after the source's limit.
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
-- column: gpu_id | | GPU; empty where the source names the model alone
-- column: gpu_model_id | | Model
-- column: unstated | | Attributes of the model that the source leaves open, comma-separated
-- column: candidates | | GPUs that the offer can be where gpu_id is empty, comma-separated
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
-- column: qualifier | | How exact the figure is
-- column: usd_per_gpu_hour | USD/(GPU·h) | Rental price of one GPU
-- column: usd_per_gpu | USD/GPU | Purchase price of one GPU
-- unique: offer_key
WITH known AS (
    SELECT
        price.*,
        price_seen_from(observed_at, effective_from, effective_to) AS first_day,
        least(price_seen_to(observed_at, effective_from, effective_to), release.as_of) AS last_day
    FROM price
    CROSS JOIN release
    WHERE first_day <= release.as_of
)
SELECT
    offer_key, observation_id, source_id, observed_at, last_day, stale, flags, provider, offer_id, instance_type, gpu_id, gpu_model_id,
    unstated, candidates, gpu_count, partition, region, kind, billing, commitment_months, min_gpus, os, tier, vcpus, host_memory_gb, price_basis, qualifier,
    usd_per_gpu_hour, usd_per_gpu
FROM known
QUALIFY row_number() OVER (PARTITION BY offer_key ORDER BY last_day DESC, first_day DESC, observed_at DESC, amount, observation_id) = 1
