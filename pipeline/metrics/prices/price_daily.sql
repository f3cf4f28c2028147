-- title: Prices by day
-- description: One row per day, GPU, kind, billing and commitment: what the offers seen on that day cost. Each offer counts once on each day on
-- description: which it was seen, and once where several sources list it (offer_repeat); a price of a dated document counts on its own day, stale
-- description: or not. Whole GPUs alone, without the bare host and Windows. Left out by flag: a "from" price, a spot price at or above on-demand,
-- description: and a jump above 40 percent until a second day or a next price near it confirms it. More offers one day is no change of price:
-- description: see price_index.
-- group: prices
-- column: date | | Day
-- column: gpu_id | | GPU
-- column: kind | | What is paid for
-- column: billing | | On what terms a rental is billed; `none` for a purchase
-- column: commitment | | Term of a reservation or savings plan; `none` without one, `not stated` where it is not known
-- column: n_offers | | Offers behind the figures
-- column: n_providers | | Providers behind the figures
-- column: usd_min | USD/(GPU·h) or USD/GPU | Lowest price: of an hour of a rental, or of a GPU to own
-- column: usd_p25 | USD/(GPU·h) or USD/GPU | A quarter of the offers costs no more
-- column: usd_median | USD/(GPU·h) or USD/GPU | Half of the offers cost no more
-- column: usd_p75 | USD/(GPU·h) or USD/GPU | Three quarters of the offers cost no more
-- unique: date, gpu_id, kind, billing, commitment
-- check: n_providers BETWEEN 1 AND n_offers
-- check: usd_min <= usd_p25 AND usd_p25 <= usd_median AND usd_median <= usd_p75
WITH day AS (
    SELECT
        offer_key,
        date,
        gpu_id,
        kind,
        coalesce(billing, 'none') AS billing,
        commitment_text(billing, commitment_months) AS commitment,
        lower(provider) AS provider,
        usd
    FROM _price_span
    JOIN _price_day USING (offer_key, observation_id)
    WHERE counts
),
repeated AS (
    SELECT r.offer_key, other.date FROM offer_repeat AS r JOIN day AS other ON other.offer_key = r.repeats
)
SELECT
    date,
    gpu_id,
    kind,
    billing,
    commitment,
    count(*) AS n_offers,
    count(DISTINCT provider) AS n_providers,
    min(usd) AS usd_min,
    quantile_cont(usd, 0.25) AS usd_p25,
    median(usd) AS usd_median,
    quantile_cont(usd, 0.75) AS usd_p75
FROM day
ANTI JOIN repeated USING (offer_key, date)
GROUP BY ALL
