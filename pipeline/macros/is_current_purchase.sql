-- title: Current purchase price
-- description: New or used, and no older than a year: rankings use no other price to own unless asked.
-- parameter: kind | | What is paid for
-- parameter: stale | | Whether the price is stale at the build's as_of
-- returns: | Whether the price is a current purchase price
kind IN ('purchase_new', 'purchase_used') AND NOT stale
