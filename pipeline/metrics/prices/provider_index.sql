-- title: Price index of a provider
-- description: One row per provider, billing and day of rentals: how its prices moved since the chain's first day, from offers seen both on that day
-- description: and on the provider's day before with data, at most 7 days earlier. Each step is the geometric mean of their price ratios in USD, so
-- description: that a new or ended offer does not move the index. Where no offer connects two days, a new chain begins at 1: chains are not
-- description: comparable. It takes the same offers as price_index; an offer that several sources list counts once in each step.
-- group: prices
-- column: provider | | Who rents, in small letters, since sources write it differently
-- column: billing | | On what terms a rental is billed; `none` where that is not known
-- column: date | | Day
-- column: chain_from | | First day of the chain, on which the index is 1
-- column: price_index | ratio | Price level of the day; 1 on chain_from
-- column: n_matched | | Offers behind the step to this day; 0 on chain_from
-- column: n_offers | | Offers seen on this day, and no fewer than n_matched
-- column: n_gpus | | GPUs among them
-- unique: provider, billing, date
-- check: price_index > 0
-- check: n_matched <= n_offers
-- check: n_gpus >= 1
-- check: (n_matched = 0) = (date = chain_from)
SELECT subject AS provider, billing, date, chain_from, price_index, n_matched, n_offers, n_gpus
FROM _matched_index
WHERE subject_kind = 'provider'
