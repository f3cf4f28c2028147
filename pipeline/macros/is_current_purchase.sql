-- title: Current purchase price
-- description: A price to own that rankings use unless older prices are asked for: new or used, and no older than a year (max_price_age_days). A launch price is not one.
-- parameter: kind | | What is paid for
-- parameter: stale | | Whether the price is stale at the build's as_of
-- returns: | Whether the price is a current purchase price
kind IN ('purchase_new', 'purchase_used') AND NOT stale
