-- title: Exchange rates to USD
-- description: USD per unit of a currency by date, computed from rates per euro. A currency or date that the source lacks has no row.
-- input: exchange_rate | | Units of a currency per euro, by date
-- column: currency | | Currency code, ISO 4217
-- column: rate_date | | Date of the rate
-- column: usd | USD | Price of one unit of the currency
WITH
euro AS (SELECT date, currency, any_value(units_per_eur) AS per_euro FROM exchange_rate GROUP BY ALL),
dollar AS (SELECT date, per_euro AS usd FROM euro WHERE currency = 'USD')
SELECT currency, date AS rate_date, usd / per_euro AS usd
FROM euro
JOIN dollar USING (date)
UNION ALL
SELECT 'EUR', date, usd FROM dollar
