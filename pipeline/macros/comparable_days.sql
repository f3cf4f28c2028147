-- title: Days for which sources are compared
-- description: A price is compared with those of other sources until its offer is seen again, and at most for this many days. A price that was seen
-- description: longer after another one is a newer fact.
-- returns: day | Days
7
