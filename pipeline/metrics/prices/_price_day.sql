-- title: Prices by day
-- description: One row per price of an offer and day on which it was seen. A price whose source states on how many days it was seen counts on the
-- description: days of source_day in its time. Any other price counts on each day of its time, as its publisher states.
-- group: prices
-- column: offer_key | | The offer, the same on every day
-- column: date | | Day
-- column: observation_id | | Price in `price`
-- unique: offer_key, date
SELECT offer_key, first_day + unnest(range(last_day - first_day + 1))::INTEGER AS date, observation_id
FROM _price_span
WHERE seen_daily
UNION ALL
SELECT offer_key, date, observation_id
FROM _price_span AS span
JOIN source_day AS day ON day.source_id = span.source_id AND day.region = coalesce(span.region, 'none')
WHERE NOT seen_daily AND day.date BETWEEN first_day AND last_day
