-- title: Whether two sources disagree on a price
-- description: Two ranges of prices for the same provider, GPU and terms, of which even the nearest ends are more than 10 percent apart.
-- parameter: low_a | USD | Lowest price of one source
-- parameter: high_a | USD | Highest price of one source
-- parameter: low_b | USD | Lowest price of the other
-- parameter: high_b | USD | Highest price of the other
-- returns: | Yes or no
greatest(low_a, low_b) > 1.1 * least(high_a, high_b)
