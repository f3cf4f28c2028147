-- title: Systems of one to eight GPUs
-- description: One row per GPU that a machine can take and number of GPUs: memory, power, power supply by two rules, slots, price, electricity and
-- description: carbon dioxide. Column `psu_guide_w` is the 2020 guide's rule (GPUs and 300 W). Column `psu_w` is ours: GPUs and 200 W loaded to 80
-- description: percent, for short load steps. The 200 W and the 80 percent are assumptions of this project. The system costs the GPUs at gpu_price
-- description: and the machine without GPUs at base_system_cost, which says where it is an assumption. Electricity takes the GPUs at their power
-- description: limit: a bound by TDP, not a measurement. The share of use, the rest of the machine, the price of a kWh and the grid are those of
-- description: table assumption.
-- group: systems
-- column: gpu_id | | GPU
-- column: gpu_count | | GPUs in the machine
-- column: memory_gb_total | GB | Memory of all GPUs
-- column: gpu_watts | W | Power limit of all GPUs, without the rest of the machine
-- column: psu_guide_w | W | Power supply by the 2020 guide's rule
-- column: psu_w | W | Power supply with a margin
-- column: slots | slot | Slots that the GPUs cover
-- column: fits_four_double_slots | | Whether a board with four double-width slots takes them; empty for modules that need no slot
-- column: interconnect | | Likely link between the GPUs, from gpu_interconnect
-- column: launch_usd_total | USD | Launch price of all GPUs
-- column: gpu_usd | USD/GPU | Purchase price of one GPU, from gpu_price
-- column: gpu_price_kind | | Whether that is a new, used or launch price
-- column: gpu_price_date | | Day of the price of the GPUs
-- column: base_usd | USD | Machine without GPUs, from base_system_cost
-- column: base_assumed | | Whether that is an assumption of this project
-- column: system_usd | USD | Machine with its GPUs
-- column: machine_watts | W | GPUs at their limit and the rest of the machine
-- column: electricity_kwh_per_year | kWh | Electricity of a year at the assumed share of use
-- column: electricity_usd_per_year | USD | Price of the electricity of a year
-- column: co2_kg_per_year | kg | Carbon dioxide of it
-- unique: gpu_id, gpu_count
-- check: memory_gb_total > 0
-- check: psu_w >= gpu_watts
-- check: psu_guide_w > gpu_watts
-- check: system_usd > base_usd
-- check: machine_watts > gpu_watts
WITH given AS (
    SELECT
        max(value) FILTER (assumption_id = 'usd_per_kwh') AS usd_per_kwh,
        max(value) FILTER (assumption_id = 'utilisation') AS utilisation,
        max(value) FILTER (assumption_id = 'host_w') AS host_w,
        max(value) FILTER (assumption_id = 'gpus_per_host_w') AS gpus_per_host_w,
        max(value) FILTER (assumption_id = 'kg_co2_per_kwh') AS kg_co2_per_kwh
    FROM assumption
)
SELECT
    g.gpu_id,
    b.gpu_count,
    b.gpu_count * g.memory_gb AS memory_gb_total,
    b.gpu_count * g.tdp_w AS gpu_watts,
    psu_guide_w(b.gpu_count, g.tdp_w) AS psu_guide_w,
    psu_w(b.gpu_count, g.tdp_w) AS psu_w,
    b.gpu_count * g.slot_width AS slots,
    b.gpu_count <= max_gpus_in_slots(4, g.slot_width) AS fits_four_double_slots,
    l.interconnect,
    b.gpu_count * g.launch_msrp_usd AS launch_usd_total,
    p.purchase_usd AS gpu_usd,
    p.purchase_kind AS gpu_price_kind,
    p.purchase_date AS gpu_price_date,
    b.base_cost_usd AS base_usd,
    b.assumed AS base_assumed,
    b.base_cost_usd + b.gpu_count * p.purchase_usd AS system_usd,
    machine_w(b.gpu_count, g.tdp_w, given.host_w, given.gpus_per_host_w) AS machine_watts,
    electricity_kwh_per_year(machine_watts, given.utilisation) AS electricity_kwh_per_year,
    electricity_kwh_per_year(machine_watts, given.utilisation) * given.usd_per_kwh AS electricity_usd_per_year,
    co2_kg(electricity_kwh_per_year(machine_watts, given.utilisation), given.kg_co2_per_kwh) AS co2_kg_per_year
FROM gpu AS g
CROSS JOIN base_system_cost AS b
CROSS JOIN given
LEFT JOIN gpu_price AS p USING (gpu_id)
LEFT JOIN gpu_interconnect AS l USING (gpu_id)
WHERE g.tdp_w IS NOT NULL AND g.segment <> 'laptop'
