-- title: Prices by day
-- description: One row per price of an offer and day on which it was seen: the days of _price_span on which its source was seen (source_day), and
-- description: the day of a price that is announced or observed outside them.
-- group: prices
-- column: offer_key | | The offer, the same on every day
-- column: date | | Day
-- column: observation_id | | Price in `price`
-- unique: offer_key, date
SELECT offer_key, date, observation_id
FROM _price_span AS span
JOIN source_day AS day ON day.source_id = span.source_id AND day.region = coalesce(span.region, '')
WHERE day.date BETWEEN first_day AND last_day
UNION
SELECT offer_key, first_day, observation_id FROM _price_span
UNION
SELECT offer_key, last_day, observation_id FROM _price_span
