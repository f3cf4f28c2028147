-- title: Price index of matched offers
-- description: One row per GPU, billing and day of rentals: how prices moved since the chain's first day, from offers seen both on that day and
-- description: on the GPU's day before with data, at most 7 days earlier. Each step is the geometric mean of their price ratios in USD, so that an
-- description: new or ended offer does not move the index. Where no offer connects two days, a new chain begins at 1: chains are not comparable.
-- description: It takes the same offers as price_daily; an offer that several sources list counts once in each step.
-- group: prices
-- column: gpu_id | | GPU
-- column: kind | | What is paid for: cloud_rental
-- column: billing | | On what terms a rental is billed; `none` where that is not known
-- column: date | | Day
-- column: chain_from | | First day of the chain, on which the index is 1
-- column: price_index | ratio | Price level of the day; 1 on chain_from
-- column: n_matched | | Offers behind the step to this day; 0 on chain_from
-- column: n_offers | | Offers seen on this day, and no fewer than n_matched
-- unique: gpu_id, kind, billing, date
-- check: price_index > 0
-- check: n_matched <= n_offers
-- check: (n_matched = 0) = (date = chain_from)
SELECT subject AS gpu_id, 'cloud_rental' AS kind, billing, date, chain_from, price_index, n_matched, n_offers
FROM _matched_index
WHERE subject_kind = 'card'
