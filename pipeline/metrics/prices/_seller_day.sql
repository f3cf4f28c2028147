-- title: Each seller's offers by day
-- description: One row per day, GPU model or variant, kind, billing, commitment and seller with current offers. A seller of rentals is a provider, of
-- description: purchases a listing. The row `any` of a model joins its variants and the offers that do not state one.
-- group: prices
-- column: date | | Day
-- column: gpu_model_id | | GPU model
-- column: gpu_id | | Variant; `any` = all variants of the model and offers that do not state one
-- column: kind | | What is paid for
-- column: billing | | On what terms a rental is billed; `none` for a purchase
-- column: commitment | | Term of a reservation or savings plan; `none` without one, `not stated` where it is not known
-- column: provider | | Provider, in small letters
-- column: seller | | Provider of a rental, or listing of a purchase
-- column: n_offers | | Current offers: variant and number of GPUs
-- column: n_seen | | Offers of these seen on this day
-- column: usd | USD/(GPU·h) or USD/GPU | Lowest price
-- unique: date, gpu_model_id, gpu_id, kind, billing, commitment, provider, seller
WITH
-- regions and machines of one provider and list share a period, so that each has its lowest price alone
listing AS (
    SELECT
        s.gpu_model_id, s.gpu_id, s.kind,
        coalesce(s.billing, 'none') AS billing,
        commitment_text(s.billing, s.commitment_months) AS commitment,
        lower(s.provider) AS provider,
        CASE WHEN s.kind = 'cloud_rental' THEN concat_ws('/', coalesce(s.gpu_id, ''), s.lot) ELSE s.offer_key END AS offer,
        p.date, p.until,
        min(s.usd) AS usd
    FROM _price_period AS p
    JOIN _price_span AS s USING (offer_key, observation_id)
    GROUP BY ALL
),
joined AS (
    SELECT * REPLACE ('any' AS gpu_id) FROM listing
    UNION ALL
    SELECT * FROM listing WHERE gpu_id IS NOT NULL
),
calendar AS (SELECT DISTINCT gpu_model_id, gpu_id, kind, billing, commitment, date FROM joined),
current AS (
    SELECT c.gpu_model_id, c.gpu_id, c.kind, c.billing, c.commitment, c.date, j.provider, j.offer, min(j.usd) AS usd, bool_or(j.date = c.date) AS seen
    FROM calendar AS c
    JOIN joined AS j USING (gpu_model_id, gpu_id, kind, billing, commitment)
    WHERE c.date BETWEEN j.date AND j.until
    GROUP BY ALL
)
SELECT
    date, gpu_model_id, gpu_id, kind, billing, commitment, provider,
    CASE WHEN kind = 'cloud_rental' THEN provider ELSE offer END AS seller,
    count(*) AS n_offers, count(*) FILTER (seen) AS n_seen, min(usd) AS usd
FROM current
GROUP BY ALL
