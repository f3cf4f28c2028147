-- title: Systems of one to eight cards
-- description: One row per card that a machine can take and number of cards: memory, power, power supply by two rules, slots and launch price of the cards together.
-- description: psu_guide_w is the 2020 guide's rule (cards and 300 W). psu_w is ours: cards and 200 W loaded to 80 percent, for short load steps;
-- description: the 200 W and the 80 percent are assumptions of this project.
-- group: systems
-- column: gpu_id | | Card
-- column: gpu_count | | Cards in the machine
-- column: memory_gb_total | GB | Memory of all cards
-- column: gpu_watts | W | Power limit of all cards, without the rest of the machine
-- column: psu_guide_w | W | Power supply by the 2020 guide's rule
-- column: psu_w | W | Power supply with a margin
-- column: slots | slot | Slots that the cards cover
-- column: fits_four_double_slots | | Whether a board with four double slots takes them; empty for modules that need no slot
-- column: launch_usd_total | USD | Launch price of all cards
-- unique: gpu_id, gpu_count
-- check: memory_gb_total > 0
-- check: psu_w >= gpu_watts
-- check: psu_guide_w > gpu_watts
SELECT
    g.gpu_id,
    n.gpu_count,
    n.gpu_count * g.memory_gb AS memory_gb_total,
    n.gpu_count * g.tdp_w AS gpu_watts,
    psu_guide_w(n.gpu_count, g.tdp_w) AS psu_guide_w,
    psu_w(n.gpu_count, g.tdp_w) AS psu_w,
    n.gpu_count * g.slot_width AS slots,
    n.gpu_count <= max_gpus_in_slots(4, g.slot_width) AS fits_four_double_slots,
    n.gpu_count * g.launch_msrp_usd AS launch_usd_total
FROM gpu AS g
CROSS JOIN (VALUES (1), (2), (4), (8)) AS n(gpu_count)
WHERE g.tdp_w IS NOT NULL AND g.segment <> 'laptop'
