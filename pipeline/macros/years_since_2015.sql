-- title: Years since 2015
-- description: Years of 365.25 days from 1 January 2015 to the date.
-- parameter: day | | Date
-- returns: year | Years
date_diff('day', DATE '2015-01-01', day) / 365.25
