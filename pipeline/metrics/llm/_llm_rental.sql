-- title: Rentals that language models are priced with
-- description: One row per current or last seen listing of a rental on demand or spot, of offer_current, with its machine. Current ones come first.
-- group: llm
-- as-in: offer_current | observation_id, gpu_model_id, stale
-- column: provider | | Seller
-- column: machine | | Key of the machine's name
-- column: instance_type | | Machine
-- column: gpu_id | | GPU; where the seller does not state the variant, the least of the model's variants (least_gpu_id of offer_current)
-- column: gpu_count | | GPUs of the machine
-- column: min_gpus | | Fewest GPUs to rent
-- column: is_alone | | Whether a machine has one such GPU only, so that several do not share a model
-- column: billing | | Billing terms
-- column: usd_per_gpu_hour | USD/(GPU·h) | Price of a GPU
-- column: price_date | | Last day on which the price was seen
-- column: variant_stated | | Whether the seller states the variant
-- column: last_seen | | Last day on which it was seen if it is stale, else empty: not its age, with which the table would change every day
-- unique: observation_id
-- check: usd_per_gpu_hour > 0
SELECT o.observation_id, o.provider, machine_key(p.instance_type) AS machine, p.instance_type, o.least_gpu_id AS gpu_id, o.gpu_model_id, p.gpu_count,
    coalesce(o.min_gpus, 1) AS min_gpus,
    is_alone_in_machine(g.form_factor, g.architecture) AS is_alone, o.billing, o.usd AS usd_per_gpu_hour, o.price_date, o.stale,
    o.gpu_id IS NOT NULL AS variant_stated,
    CASE WHEN o.stale THEN o.price_date END AS last_seen
FROM offer_current AS o
JOIN price AS p USING (observation_id)
LEFT JOIN gpu AS g ON g.gpu_id = o.least_gpu_id
WHERE o.acquisition = 'rent' AND o.billing IN ('on_demand', 'spot') AND o.commitment_months IS NULL
