-- title: Performance for the money
-- description: One row per priced GPU, kind of network, precision and number of GPUs: what a USD buys of training speed (performance_index, RTX 2080
-- description: Ti = 1), rented and bought. Speed of n GPUs = index * n * efficiency, that of the link in gpu_interconnect from scaling_efficiency (1 for one
-- description: GPU). Rented at the rent in gpu_price; bought with the machine around the GPUs (system_build). Low and high carry the
-- description: interval of the index through; that of the efficiency and of prices is not in them. As in the 2020 guide, purchase value is also given
-- description: relative to the RTX 3080 (10 GB) of the same kind, precision and number.
-- group: performance
-- as-in: scaling_efficiency | family, precision, gpu_count
-- column: gpu_id | | GPU
-- column: basis | | Whether the index is measured or predicted
-- column: index | ratio | Speed of one GPU, RTX 2080 Ti = 1
-- column: efficiency | fraction | Throughput of the GPUs over that many times one
-- column: speed | ratio | Speed of all GPUs, one RTX 2080 Ti = 1
-- column: speed_low | ratio | Low end of the 90% interval of speed
-- column: speed_high | ratio | High end of the 90% interval of speed
-- column: rental_usd_per_hour | USD/h | Rent of all GPUs
-- column: value_rental | 1/(USD/h) | Speed over rent
-- column: value_rental_low | 1/(USD/h) | Low end of the 90% interval of value_rental
-- column: value_rental_high | 1/(USD/h) | High end of the 90% interval of value_rental
-- column: usd_per_index_hour | USD/h | Rent of the speed of one RTX 2080 Ti
-- column: system_usd | USD | Price of the machine with its GPUs
-- column: gpu_price_kind | | Whether the GPUs count at a new, used or launch price
-- column: gpu_price_date | | Day of that price
-- column: purchase_current | | Whether that price is current (is_current_purchase)
-- column: purchase_in_range | | Whether it is of the dates in purchase_range: a ranking compares no others
-- column: value_purchase | 1/USD | Speed over the price of the machine
-- column: value_purchase_low | 1/USD | Low end of the 90% interval of value_purchase
-- column: value_purchase_high | 1/USD | High end of the 90% interval of value_purchase
-- column: usd_per_index | USD | Price of the speed of one RTX 2080 Ti
-- column: value_purchase_relative | ratio | Purchase value, RTX 3080 = 1
-- column: value_purchase_relative_low | ratio | Low end of the 90% interval of value_purchase_relative, without that of the RTX 3080
-- column: value_purchase_relative_high | ratio | High end of that interval
-- unique: gpu_id, family, precision, gpu_count
-- check: speed_low <= speed AND speed <= speed_high
-- check: value_rental > 0
-- check: value_purchase > 0
-- check: value_rental IS NOT NULL OR value_purchase IS NOT NULL OR gpu_count > 1
WITH speed AS (
    SELECT
        i.gpu_id, i.family, i.precision, n.gpu_count, i.basis, i.index,
        CASE WHEN n.gpu_count = 1 THEN 1 ELSE e.efficiency END AS efficiency,
        i.index * n.gpu_count * CASE WHEN n.gpu_count = 1 THEN 1 ELSE e.efficiency END AS speed,
        speed * i.ci_low / i.index AS speed_low,
        speed * i.ci_high / i.index AS speed_high
    FROM performance_index AS i
    CROSS JOIN base_system_cost AS n
    LEFT JOIN gpu_interconnect AS l USING (gpu_id)
    LEFT JOIN scaling_efficiency AS e
        ON (e.interconnect, e.gpu_count, e.family, e.precision) = (l.interconnect, n.gpu_count, i.family, i.precision)
),
priced AS (
    SELECT
        s.*,
        s.gpu_count * p.rental_usd_per_gpu_hour AS rental_usd_per_hour,
        b.base_cost_usd + s.gpu_count * p.purchase_usd AS system_usd,
        p.purchase_kind AS gpu_price_kind,
        p.purchase_date AS gpu_price_date,
        p.purchase_current,
        p.purchase_in_range,
        speed / system_usd AS value_purchase,
        max(value_purchase) FILTER (s.gpu_id = 'nvidia-geforce-rtx-3080-10gb') OVER (PARTITION BY s.family, s.precision, s.gpu_count) AS reference_value
    FROM speed AS s
    JOIN gpu_price AS p USING (gpu_id)
    JOIN base_system_cost AS b USING (gpu_count)
)
SELECT
    gpu_id,
    family,
    precision,
    gpu_count,
    basis,
    index,
    efficiency,
    speed,
    speed_low,
    speed_high,
    rental_usd_per_hour,
    speed / rental_usd_per_hour AS value_rental,
    speed_low / rental_usd_per_hour AS value_rental_low,
    speed_high / rental_usd_per_hour AS value_rental_high,
    rental_usd_per_hour / speed AS usd_per_index_hour,
    system_usd,
    gpu_price_kind,
    gpu_price_date,
    purchase_current,
    purchase_in_range,
    value_purchase,
    speed_low / system_usd AS value_purchase_low,
    speed_high / system_usd AS value_purchase_high,
    system_usd / speed AS usd_per_index,
    value_purchase / reference_value AS value_purchase_relative,
    speed_low / system_usd / reference_value AS value_purchase_relative_low,
    speed_high / system_usd / reference_value AS value_purchase_relative_high
FROM priced
