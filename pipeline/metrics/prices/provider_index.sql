-- title: Price index of a provider
-- description: One row per provider, billing and day of rentals: how its prices moved since the chain's first day. A step is the geometric mean of
-- description: the price ratios in USD of offers seen on both sides. Where fewer than three offers connect two days, a new chain begins at 1:
-- description: chains are not comparable. It takes the same offers as price_index.
-- group: prices
-- as-in: _matched_index | billing, date, chain_from, price_index, n_matched, n_gpus
-- column: provider | | Who rents
-- column: n_offers | | Offers seen on this day, and no fewer than n_matched
-- column: after_gap | | Whether more days than longest_price_gap_days lie between this day and the row before
-- unique: provider, billing, date
-- check: price_index > 0
-- check: n_matched <= n_offers
-- check: n_gpus >= 1
-- check: (n_matched = 0) = (date = chain_from)
SELECT subject AS provider, billing, date, chain_from, price_index, n_matched, n_offers, n_gpus,
    coalesce(date - lag(date) OVER (PARTITION BY subject, billing ORDER BY date) > longest_price_gap_days(), false) AS after_gap
FROM _matched_index
WHERE subject_kind = 'provider'
