-- title: Rank of a GPU by value for money
-- description: One row per GPU and number of GPUs, kind of network and precision of value_index that can be rented or bought. Ranks are by training
-- description: speed for the rental price, and for the price of a machine at a current purchase price. Equal values share a rank. A prediction
-- description: whose 90% interval spans more than a factor of 2 has none.
-- group: performance
-- as-in: value_index | gpu_id, family, precision, gpu_count
-- column: rental_rank | | Rank by value_rental; empty where it is not rented out, or the interval of its speed is too wide
-- column: n_rented | | GPUs that have one
-- column: purchase_rank | | Rank by value_purchase_relative; empty without a current purchase price, or where the interval is too wide
-- column: n_bought | | GPUs that have one
-- unique: gpu_id, family, precision, gpu_count
-- check: rental_rank BETWEEN 1 AND n_rented
-- check: purchase_rank BETWEEN 1 AND n_bought
SELECT
    gpu_id, family, precision, gpu_count,
    CASE WHEN rental_value IS NOT NULL THEN rank() OVER (same ORDER BY rental_value DESC NULLS LAST) END AS rental_rank,
    count(rental_value) OVER same AS n_rented,
    CASE WHEN current_value IS NOT NULL THEN rank() OVER (same ORDER BY current_value DESC NULLS LAST) END AS purchase_rank,
    count(current_value) OVER same AS n_bought
FROM (
    SELECT
        *,
        is_rankable(basis, speed_low, speed_high) AS is_sure,
        CASE WHEN is_sure THEN value_rental END AS rental_value,
        CASE WHEN is_sure AND purchase_current THEN value_purchase_relative END AS current_value
    FROM value_index
)
WINDOW same AS (PARTITION BY family, precision, gpu_count)
