-- title: Age at which a price is no longer current
-- description: Prices that move by the day are current for a week, a list price for 100 days, a purchase price for a year.
-- parameter: kind | | What is paid for
-- parameter: billing | | On what terms a rental is billed
-- returns: day | Largest age of a current price
CASE
    WHEN kind <> 'cloud_rental' THEN 365
    WHEN billing IN ('spot', 'marketplace', 'bid_floor') THEN 7
    ELSE 100
END
