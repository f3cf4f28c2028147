-- title: Price index of matched offers
-- description: One row per GPU model or variant, billing and day of rentals: how prices moved since the chain's first day. A step is the geometric
-- description: mean of the price ratios in USD of offers seen on both sides, so that a new or ended offer does not move the index. An offer
-- description: connects two sightings at most 45 days apart. Where fewer than three offers connect two days, a new chain begins at 1: chains are
-- description: not comparable. It takes the same offers as price_daily; an offer that several sources list counts once in each step.
-- group: prices
-- as-in: _matched_index | billing, date, chain_from, price_index
-- column: gpu_model_id | | GPU model
-- column: gpu_id | | Variant that the offers state; `any` = all variants of the model and offers that do not state one
-- column: kind | | What is paid for: cloud_rental
-- column: n_matched | | Offers behind the step to this day, counted in each region and machine; 0 on chain_from
-- column: n_offers | | Offers seen on this day, likewise, and no fewer than n_matched
-- unique: gpu_model_id, gpu_id, kind, billing, date
-- check: price_index > 0
-- check: n_matched <= n_offers
-- check: (n_matched = 0) = (date = chain_from)
SELECT gpu_model_id, CASE subject_kind WHEN 'gpu' THEN subject ELSE 'any' END AS gpu_id, 'cloud_rental' AS kind, billing, date, chain_from, price_index, n_matched, n_offers
FROM _matched_index
WHERE subject_kind <> 'provider'
