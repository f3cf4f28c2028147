-- title: Newest price of each offer
-- description: One row per offer: the price that was known last at the build's as_of. A price announced for a later day waits for that day. An
-- description: offer that its source no longer lists stays, with the day on which it was seen last. It is stale once it is too old
-- description: (max_price_age_days), or once a newer list of the same source, provider, region and billing leaves it out. If the price states no
-- description: region, a list of any region counts. STALE is among the flags of both. CONFLICT stays on a current rental only while another source
-- description: contradicts it (price_conflict). Further terms are in `price` under the same observation_id. For another day: SELECT * FROM
-- description: price_as_of(DATE '2026-08-01').
-- group: prices
-- as-in: price | offer_id, instance_type, gpu_count, partition, region, commitment_months, os, includes_host, qualifier
-- as-in: price | usd_per_gpu_hour, usd_per_gpu
-- as-in: _price_newest | offer_key, observation_id, last_day
-- column: source_id | | Source of the price
-- column: observed_at | | Date of the price
-- column: stale | | Whether the price is stale at the date of the data
-- column: flags | | Remarks on the price, comma-separated codes
-- column: provider | | Who sells or rents
-- column: gpu_model_id | | GPU model
-- column: gpu_id | | Variant of the model; empty where the source does not state it
-- column: unstated | | Facts that the source does not state of the GPU, comma-separated: form factor, memory, edition
-- column: candidates | | Variants that it can be, comma-separated; empty where the variant is stated
-- column: kind | | What is paid for
-- column: billing | | On what terms a rental is billed
-- column: min_gpus | | Smallest number of GPUs in the offer
-- column: tier | | The provider's class of service
-- column: vcpus | | Processor threads of the machine
-- column: host_memory_gb | GB | Main memory of the machine
-- column: price_basis | | Whether it pays for a GPU or a machine
-- unique: offer_key
-- check: stale = coalesce(contains(flags, 'STALE'), false)
WITH
newest AS (
    SELECT
        price.* EXCLUDE (stale) REPLACE (
            nullif(concat_ws(',', without_flag(flags, 'STALE'), CASE WHEN n.stale THEN 'STALE' END), '') AS flags
        ),
        n.last_day, n.stale, coalesce(contains(price.flags, 'CONFLICT'), false) AS disputed
    FROM _price_newest AS n
    JOIN price USING (offer_key, observation_id)
),
-- a current rental that no other source contradicts any more
settled AS (
    SELECT offer_key
    FROM newest AS n
    WHERE disputed AND kind = 'cloud_rental' AND NOT stale AND NOT EXISTS (
        FROM price_conflict AS c
        WHERE c.ongoing AND n.source_id IN (c.source_a, c.source_b) AND c.provider = n.provider AND c.gpu_model_id = n.gpu_model_id
            AND coalesce(c.gpu_id = n.gpu_id, true) AND c.billing = coalesce(n.billing, 'not stated')
            AND c.commitment = commitment_text(n.billing, n.commitment_months)
    )
)
SELECT
    offer_key, observation_id, source_id, observed_at, last_day, stale,
    CASE WHEN offer_key IN (FROM settled) THEN without_flag(flags, 'CONFLICT') ELSE flags END AS flags,
    provider, offer_id, instance_type, gpu_model_id, gpu_id, unstated, candidates, gpu_count, partition, region, kind, billing,
    commitment_months, min_gpus, os, tier, vcpus, host_memory_gb, price_basis, includes_host, qualifier, usd_per_gpu_hour, usd_per_gpu
FROM newest
