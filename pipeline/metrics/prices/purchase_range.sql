-- title: Dates of purchase prices that rankings compare
-- description: One row: the 12 months up to the newest street price, new or used. A ranking that counts older prices uses prices of these dates
-- description: alone, so that it never compares prices of different years. offer_current, gpu_price and value_index mark them.
-- group: prices
-- column: first_date | | First date of the range
-- column: last_date | | Last date: that of the newest street price
-- unique: last_date
-- check: first_date <= last_date
SELECT last_date - 365 AS first_date, last_date
FROM (SELECT max(last_day)::DATE AS last_date FROM price_latest WHERE kind IN ('purchase_new', 'purchase_used') AND usd_per_gpu IS NOT NULL)
WHERE last_date IS NOT NULL
