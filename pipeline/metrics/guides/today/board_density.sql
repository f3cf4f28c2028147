-- title: GPUs on a board with four double-width slots
-- description: One row per GPU with a known width and board power, without GPUs that are part of a board. It has how many fit a board with four
-- description: double-width slots, as the pro-versus-consumer guide counts, with their memory, power and price together. It also has what the
-- description: guide's 192 GB take: GPUs, such boards and power. Power and price are those of the GPUs alone, without the machines around them.
-- group: systems
-- column: gpu_id | | GPU
-- column: name | | Name of the GPU
-- column: segment | | consumer, workstation or datacenter
-- column: release_date | | Day of release, as in gpu
-- column: memory_gb | GB | Memory of one GPU
-- column: tdp_w | W | Power limit of one GPU
-- column: slot_width | slot | Slots that one GPU covers
-- column: gpus | | GPUs on the board
-- column: memory_gb_total | GB | Memory of these
-- column: gpu_watts | W | Power limit of these
-- column: w_per_gb | W/GB | Power over memory
-- column: gpus_for_192_gb | | GPUs that have 192 GB together
-- column: boards_for_192_gb | | Boards with four double-width slots for these
-- column: watts_for_192_gb | W | Power limit of these GPUs
-- column: purchase_usd | USD | Newest price of one GPU, from gpu_price
-- column: purchase_kind | | Kind of that price
-- column: purchase_date | | Day of that price
-- column: usd_per_gb | USD/GB | That price over the memory
-- unique: gpu_id
-- check: gpus BETWEEN 1 AND 8
-- check: boards_for_192_gb <= gpus_for_192_gb
WITH asked AS (
    SELECT max(value) AS gb
    FROM published_figure
    WHERE source_id = 'pro-vs-consumer-2023' AND subject = '4x RTX 6000 Ada' AND quantity = 'system_memory_gb'
)
SELECT
    g.gpu_id,
    g.name,
    g.segment,
    g.release_date,
    g.memory_gb,
    g.tdp_w,
    g.slot_width,
    max_gpus_in_slots(4, g.slot_width)::INTEGER AS gpus,
    gpus * g.memory_gb AS memory_gb_total,
    gpus * g.tdp_w AS gpu_watts,
    g.tdp_w / g.memory_gb AS w_per_gb,
    ceil(asked.gb / g.memory_gb)::INTEGER AS gpus_for_192_gb,
    ceil(gpus_for_192_gb / gpus)::INTEGER AS boards_for_192_gb,
    gpus_for_192_gb * g.tdp_w AS watts_for_192_gb,
    p.purchase_usd,
    p.purchase_kind,
    p.purchase_date,
    p.purchase_usd / g.memory_gb AS usd_per_gb
FROM gpu AS g
CROSS JOIN asked
LEFT JOIN gpu_price AS p USING (gpu_id)
WHERE g.slot_width IS NOT NULL AND g.tdp_w IS NOT NULL AND g.memory_gb IS NOT NULL AND g.segment <> 'laptop'
    AND max_gpus_in_slots(4, g.slot_width) >= 1
    -- four of these are on two boards
    AND NOT contains(g.name, '(one of the ')
