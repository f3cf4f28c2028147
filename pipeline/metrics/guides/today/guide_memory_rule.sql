-- title: The memory guide of 2020 at today's prices
-- description: One row per rule of the 2020 guide on memory. It has the cheapest current on-demand offer of a single NVIDIA GPU with tensor cores
-- description: and at least so much memory. It also has the cheapest such GPU by the newest price of a new one. To compare like with like, only
-- description: purchase prices of the dates in purchase_range count. Speed does not count here.
-- group: guides
-- column: rule_id | | Rule in guide_rule
-- column: subject | | Work that the guide names
-- column: memory_gb | GB | Memory that it asks for
-- column: n_rented | | GPUs with so much memory that are offered alone, on demand
-- column: rent_gpu_id | | Cheapest of these
-- column: rent_name | | Name of the GPU to rent
-- column: rent_memory_gb | GB | Memory of the GPU to rent
-- column: usd_per_gpu_hour | USD/(GPU·h) | Price of one GPU in its cheapest offer
-- column: provider | | Provider of the offer
-- column: price_date | | Day of the price
-- column: n_bought | | GPUs with so much memory and such a purchase price
-- column: buy_gpu_id | | Cheapest of these
-- column: buy_name | | Name of the GPU to buy
-- column: buy_memory_gb | GB | Memory of the GPU to buy
-- column: purchase_usd | USD | Price of the GPU to buy
-- column: purchase_date | | Day of that price
-- unique: rule_id
-- check: rent_memory_gb >= memory_gb
-- check: buy_memory_gb >= memory_gb
WITH
rule AS (FROM guide_rule WHERE source_id = 'dettmers-2020' AND topic = 'memory' AND unit = 'GB'),
rented AS (
    SELECT g.gpu_id, g.name, g.memory_gb, m.usd_per_gpu_hour_low AS usd, m.low_provider, m.low_price_date
    FROM rental_market AS m
    JOIN gpu AS g USING (gpu_id)
    WHERE (m.billing, m.commitment, m.gpus) = ('on_demand', 'any', 'single') AND g.vendor = 'NVIDIA' AND g.fp16_tensor_tflops IS NOT NULL
),
bought AS (
    SELECT g.gpu_id, g.name, g.memory_gb, p.purchase_usd AS usd, p.purchase_date
    FROM gpu_price AS p
    JOIN gpu AS g USING (gpu_id)
    WHERE p.purchase_kind = 'purchase_new' AND p.purchase_in_range AND g.vendor = 'NVIDIA' AND g.fp16_tensor_tflops IS NOT NULL
),
rent AS (
    SELECT rule.rule_id, count(*) AS n, arg_min(r, (r.usd, r.gpu_id)) AS best
    FROM rule JOIN rented AS r ON r.memory_gb >= rule.value GROUP BY rule.rule_id
),
buy AS (
    SELECT rule.rule_id, count(*) AS n, arg_min(b, (b.usd, b.gpu_id)) AS best
    FROM rule JOIN bought AS b ON b.memory_gb >= rule.value GROUP BY rule.rule_id
)
SELECT
    rule.rule_id,
    rule.subject,
    rule.value AS memory_gb,
    coalesce(rent.n, 0) AS n_rented,
    rent.best.gpu_id AS rent_gpu_id,
    rent.best.name AS rent_name,
    rent.best.memory_gb AS rent_memory_gb,
    rent.best.usd AS usd_per_gpu_hour,
    rent.best.low_provider AS provider,
    rent.best.low_price_date AS price_date,
    coalesce(buy.n, 0) AS n_bought,
    buy.best.gpu_id AS buy_gpu_id,
    buy.best.name AS buy_name,
    buy.best.memory_gb AS buy_memory_gb,
    buy.best.usd AS purchase_usd,
    buy.best.purchase_date AS purchase_date
FROM rule
LEFT JOIN rent USING (rule_id)
LEFT JOIN buy USING (rule_id)
