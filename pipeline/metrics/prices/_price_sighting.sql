-- title: Prices by day, as sources show them
-- description: One row per price of an offer and day on which it was seen, with all that the daily figures need of it. It is the only input of
-- description: _price_interval, and the form in which observations are stored for `gpuledger aggregate`.
-- group: prices
-- as-in: _price_span | source_id, offer_key, gpu_model_id, gpu_id, kind, usd, counts
-- column: date | | Day on which the price was seen
-- column: stated_until | | Last day for which the source states the price without a gap; empty = not stated
-- column: billing | | On what terms a rental is billed; `none` for a purchase
-- column: commitment | | Term of a reservation or savings plan; `none` without one, `not stated` where it is not known
-- column: provider | | Provider
-- column: region | | Region, as the provider names it; `none` where the source states none
-- column: listing | | Offers that statistics count as one: variant and number of GPUs of a rental, the offer of a purchase
-- column: is_listed | | Whether it is from a whole list, which ends the prices that it leaves out
-- column: max_age_days | day | Days for which it is current if no later list follows
-- unique: offer_key, date
-- check: stated_until >= date
WITH
-- GPUs without their host and offers out of stock do not count, but show on which days a list was seen
offer AS (
    SELECT s.*, p.snapshot_id
    FROM _price_span AS s
    JOIN price AS p USING (observation_id)
    WHERE s.counts OR p.includes_host = false OR p.in_stock = false
),
day AS (
    SELECT
        *,
        CASE WHEN lead(observation_id) OVER later = observation_id THEN lead(date) OVER later - 1 END AS stated_until
    FROM (FROM _price_day SEMI JOIN offer USING (offer_key, observation_id))
    WINDOW later AS (PARTITION BY offer_key ORDER BY date)
)
SELECT
    s.source_id, offer_key, date, stated_until, gpu_model_id, gpu_id, kind,
    coalesce(billing, 'none') AS billing,
    commitment_text(billing, commitment_months) AS commitment,
    provider,
    coalesce(region, 'none') AS region,
    CASE WHEN kind = 'cloud_rental' THEN concat_ws('/', coalesce(gpu_id, ''), min_gpus) ELSE offer_key END AS listing,
    usd, counts, extent <> 'excerpt' AS is_listed,
    max_price_age_days(kind, billing)::INTEGER AS max_age_days
FROM day
JOIN offer AS s USING (offer_key, observation_id)
JOIN snapshot USING (snapshot_id)
