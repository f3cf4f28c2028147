-- title: Sellers of each market
-- description: One row per GPU model or variant, kind, billing, commitment and seller whose offers count. A seller of rentals is a provider, of purchases a
-- description: listing. The row `any` of a model joins its variants and the offers that do not state one. Days are counted by these numbers, because
-- description: groups of numbers are several times quicker than of texts. They are those of one computation: another may number otherwise.
-- description: Portable SQL: `gpuledger aggregate` runs this file on DuckDB and on Spark.
-- group: prices
-- as-in: _price_interval | gpu_model_id, kind, billing, commitment, provider
-- column: seller_number | | Number of the row
-- column: market_number | | Number of the GPU model or variant, kind, billing and commitment
-- column: provider_number | | Number of the provider, in the order of the alphabet
-- column: gpu_id | | Variant that the offers state; `any` = all variants of the model and offers that do not state one
-- column: seller | | Provider of a rental, or listing of a purchase
-- unique: gpu_model_id, gpu_id, kind, billing, commitment, provider, seller
WITH
offer AS (
    SELECT DISTINCT
        gpu_model_id, gpu_id, kind, billing, commitment, provider, CASE WHEN kind = 'cloud_rental' THEN provider ELSE listing END AS seller
    FROM _price_interval
    WHERE counts
),
of_market AS (
    SELECT DISTINCT gpu_model_id, 'any' AS gpu_id, kind, billing, commitment, provider, seller FROM offer
    UNION ALL
    SELECT gpu_model_id, gpu_id, kind, billing, commitment, provider, seller FROM offer WHERE gpu_id IS NOT NULL
)
SELECT
    row_number() OVER (ORDER BY gpu_model_id, gpu_id, kind, billing, commitment, provider, seller) AS seller_number,
    dense_rank() OVER (ORDER BY gpu_model_id, gpu_id, kind, billing, commitment) AS market_number,
    dense_rank() OVER (ORDER BY provider) AS provider_number,
    gpu_model_id, gpu_id, kind, billing, commitment, provider, seller
FROM of_market
