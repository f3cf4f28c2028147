-- title: Each seller's offers by day
-- description: One row per day, GPU model or variant, kind, billing, commitment and seller with current offers. A seller of rentals is a provider, of
-- description: purchases a listing. The row `any` of a model joins its variants and the offers that do not state one. `n_seen` may be 0 for all.
-- description: Portable SQL: `gpuledger aggregate` runs this file on DuckDB and on Spark.
-- group: prices
-- column: date | | Day
-- column: gpu_model_id | | GPU model
-- column: gpu_id | | Variant that the offers state; `any` = all variants of the model and offers that do not state one
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
day AS (SELECT DISTINCT date FROM _price_sighting),
-- regions and machines of one provider share a listing, so that each has its lowest price alone; grouping by its number is quicker
interval AS (
    SELECT *, dense_rank() OVER (ORDER BY gpu_model_id, gpu_id, kind, billing, commitment, provider, listing) AS listing_number
    FROM _price_interval
    WHERE counts
),
listing_day AS (
    SELECT i.listing_number, d.date, min(i.usd) AS usd, max(CASE WHEN s.date IS NULL THEN 0 ELSE 1 END) AS seen
    FROM interval AS i
    JOIN day AS d ON d.date BETWEEN i.first_day AND i.last_day
    LEFT JOIN _price_sighting AS s ON s.offer_key = i.offer_key AND s.date = d.date
    GROUP BY i.listing_number, d.date
),
listing AS (
    SELECT DISTINCT
        listing_number, gpu_model_id, gpu_id, kind, billing, commitment, provider,
        CASE WHEN kind = 'cloud_rental' THEN provider ELSE listing END AS seller
    FROM interval
),
of_market AS (
    SELECT listing_number, gpu_model_id, 'any' AS gpu_id, kind, billing, commitment, provider, seller FROM listing
    UNION ALL
    SELECT listing_number, gpu_model_id, gpu_id, kind, billing, commitment, provider, seller FROM listing WHERE gpu_id IS NOT NULL
),
numbered AS (
    SELECT *, dense_rank() OVER (ORDER BY gpu_model_id, gpu_id, kind, billing, commitment, provider, seller) AS seller_number
    FROM of_market
),
seller_day AS (
    SELECT n.seller_number, d.date, count(*) AS n_offers, CAST(sum(d.seen) AS BIGINT) AS n_seen, min(d.usd) AS usd
    FROM numbered AS n
    JOIN listing_day AS d ON d.listing_number = n.listing_number
    GROUP BY n.seller_number, d.date
),
seller AS (SELECT DISTINCT seller_number, gpu_model_id, gpu_id, kind, billing, commitment, provider, seller FROM numbered)
SELECT d.date, s.gpu_model_id, s.gpu_id, s.kind, s.billing, s.commitment, s.provider, s.seller, d.n_offers, d.n_seen, d.usd
FROM seller_day AS d
JOIN seller AS s ON s.seller_number = d.seller_number
