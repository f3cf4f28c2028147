-- title: Exchange rates to USD
-- description: USD per unit of a currency by date, computed from rates per euro. A currency or date that the source lacks has no row.
WITH
euro AS (SELECT date, currency, any_value(units_per_eur) AS per_euro FROM exchange_rate GROUP BY ALL),
dollar AS (SELECT date, per_euro AS usd FROM euro WHERE currency = 'USD')
SELECT currency, date AS rate_date, usd / per_euro AS usd
FROM euro
JOIN dollar USING (date)
UNION ALL
SELECT 'EUR', date, usd FROM dollar
