-- title: Longest gap of a price series
-- description: Days without a price after which a new stretch begins: no line of a chart joins the prices on both sides.
-- returns: day | Largest number of days between two prices of one stretch
45
