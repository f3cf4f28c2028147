-- title: Prices as they were known on a day
-- description: One row of `price` per offer: its newest price seen on or before that day, with stale as it was on that day. A price announced
-- description: for later waits for its day. Example: SELECT * FROM price_as_of(DATE '2026-08-01') WHERE NOT stale. It reads table price
-- description: of the database in use: where several files are attached, run USE first.
-- parameter: on_day | | Day, as a DATE
-- returns: | Rows of price, one per offer
SELECT p.* REPLACE (
    on_day - least(price_seen_to(p.observed_at, p.effective_from, p.effective_to), on_day) > max_price_age_days(p.kind, p.billing) AS stale
)
FROM price AS p
WHERE price_seen_from(p.observed_at, p.effective_from, p.effective_to) <= on_day
QUALIFY row_number() OVER (
    PARTITION BY p.offer_key
    ORDER BY
        least(price_seen_to(p.observed_at, p.effective_from, p.effective_to), on_day) DESC,
        price_seen_from(p.observed_at, p.effective_from, p.effective_to) DESC,
        p.observed_at DESC, p.amount, p.observation_id
) = 1
