-- title: Each seller's offers by day
-- description: One row per day and seller of a market (_seller) with current offers. `n_seen` may be 0 for all.
-- description: Portable SQL: `gpuledger aggregate` runs this file on DuckDB and on Spark.
-- group: prices
-- column: date | | Day
-- column: seller_number | | The seller and market, a row of _seller
-- column: n_offers | | Current offers: variant and number of GPUs
-- column: n_seen | | Offers of these seen on this day
-- column: usd | USD/(GPU·h) or USD/GPU | Lowest price
-- unique: date, seller_number
WITH
day AS (SELECT DISTINCT date FROM _price_sighting),
-- regions and machines of one provider share a listing, so that each has its lowest price alone
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
    SELECT DISTINCT i.listing_number, s.seller_number
    FROM interval AS i
    JOIN _seller AS s
        ON s.gpu_model_id = i.gpu_model_id AND s.kind = i.kind AND s.billing = i.billing AND s.commitment = i.commitment AND s.provider = i.provider
        AND s.seller = CASE WHEN i.kind = 'cloud_rental' THEN i.provider ELSE i.listing END AND (s.gpu_id = 'any' OR s.gpu_id = i.gpu_id)
)
SELECT d.date, l.seller_number, count(*) AS n_offers, CAST(sum(d.seen) AS BIGINT) AS n_seen, min(d.usd) AS usd
FROM listing AS l
JOIN listing_day AS d ON d.listing_number = l.listing_number
GROUP BY d.date, l.seller_number
