-- title: Variants that each offer counts for
-- description: One row per offer of `offer` and variant that it is or can be, and one with `any` for the model. An offer that does not state the variant
-- description: does not count for a variant that its provider states in another offer of the same billing.
-- group: prices
-- column: observation_id | | The offer
-- column: gpu_id | | Variant; `any` = all variants of the model
-- unique: observation_id, gpu_id
SELECT observation_id, 'any' AS gpu_id
FROM offer
UNION ALL
SELECT observation_id, variant AS gpu_id
FROM (SELECT *, unnest(string_split(coalesce(gpu_id, candidates), ',')) AS variant FROM offer)
QUALIFY rank() OVER (PARTITION BY variant, billing, provider ORDER BY gpu_id IS NULL) = 1
