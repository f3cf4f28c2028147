-- title: Table exchange_rate
-- description: One rate per date and currency: that of the latest file, by path.
FROM parsed_exchange_rate
QUALIFY row_number() OVER (PARTITION BY date, currency ORDER BY _path DESC) = 1
