-- title: Speed per system cost, with Lambda's prices and power
-- description: One row per suite and GPU of Lambda's tables of machines with one GPU. It has the price and the power that they print, and the GPU's
-- description: speed (performance_index of all networks in 16 bits). Speed is also given over the cost of the system: the GPU and the machine for
-- description: one GPU (base_system_cost). The same with the newest price of a new GPU (gpu_price), where it is of the dates in purchase_range.
-- description: Lambda's chart of 2019 divides mean speedup by system cost; its system is not described.
-- group: systems
-- column: source_id | | Source of price and power
-- column: suite | | Benchmark suite
-- column: gpu_id | | GPU
-- column: usd | USD | Price that Lambda prints
-- column: watts | W | Power that Lambda prints
-- column: n_systems | | Machines with this price and power
-- column: speed | ratio | Training speed in 16 bits, measured or predicted, RTX 2080 Ti = 1
-- column: speed_per_1000_usd | 1/(1000 USD) | Speed over that price
-- column: speed_per_1000_usd_system | 1/(1000 USD) | Speed over that price and the machine for one GPU
-- column: speed_per_kw | 1/kW | Speed over power
-- column: purchase_usd | USD | Newest price of a new GPU
-- column: purchase_date | | Day of that price
-- column: speed_per_1000_usd_system_newest | 1/(1000 USD) | Speed over that price and the machine for one GPU
-- unique: suite, gpu_id
-- check: speed_per_1000_usd_system < speed_per_1000_usd
WITH printed AS (
    SELECT source_id, suite, gpu_id, price_usd AS usd, watts, count(*) AS n_systems
    FROM system_price
    WHERE gpu_count = 1
    GROUP BY ALL
)
SELECT
    s.*,
    i.index AS speed,
    1000 * i.index / s.usd AS speed_per_1000_usd,
    1000 * i.index / (s.usd + b.base_cost_usd) AS speed_per_1000_usd_system,
    1000 * i.index / s.watts AS speed_per_kw,
    p.purchase_usd,
    p.purchase_date,
    1000 * i.index / (p.purchase_usd + b.base_cost_usd) AS speed_per_1000_usd_system_newest
FROM printed AS s
JOIN base_system_cost AS b ON b.gpu_count = 1
LEFT JOIN performance_index AS i ON (i.gpu_id, i.family, i.precision) = (s.gpu_id, 'all', 'fp16')
LEFT JOIN gpu_price AS p ON p.gpu_id = s.gpu_id AND p.purchase_kind = 'purchase_new' AND p.purchase_in_range
