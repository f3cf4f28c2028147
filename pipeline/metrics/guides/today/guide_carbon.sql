-- title: Electricity and carbon dioxide of a year of use
-- description: One row per GPU, number of GPUs and share of use: electricity, its price and carbon dioxide of a year. The GPUs are those that the
-- description: 2020 guide recommends, or that today's data choose first for the same purposes. The shares are those that the guide calls usual for
-- description: a desktop (15%), a university's cluster (35%) and a company's (60%). Power, price of a kWh and grid are those of table assumption;
-- description: the power is a limit, not a measurement.
-- group: systems
-- as-in: system_build | gpu_id, gpu_count, machine_watts, co2_kg_per_year
-- column: name | | Name of the GPU
-- column: rule_id | | Rule on the share of use in guide_rule
-- column: subject | | Whose use that is
-- column: utilisation_percent | % | Share of the time in use
-- column: today | | Whether today's data choose the GPU first; else the guide recommends it
-- column: kwh_per_year | kWh | Electricity of a year
-- column: usd_per_year | USD | Price of the electricity of a year
-- unique: gpu_id, gpu_count, rule_id
-- check: co2_kg_per_year > 0
WITH
chosen AS (
    SELECT gpu_id, bool_and(today) AS today
    FROM (
        SELECT gpu_id, false AS today FROM guide_recommendation WHERE source_id = 'dettmers-2020' AND stance = 'recommended'
        UNION ALL
        SELECT today_gpu_id, true FROM recommendation WHERE source_id = 'dettmers-2020'
    )
    WHERE gpu_id IS NOT NULL
    GROUP BY gpu_id
),
given AS (
    SELECT max(value) FILTER (assumption_id = 'usd_per_kwh') AS usd_per_kwh, max(value) FILTER (assumption_id = 'kg_co2_per_kwh') AS kg_per_kwh
    FROM assumption
)
SELECT
    b.gpu_id,
    g.name,
    r.rule_id,
    r.subject,
    r.value AS utilisation_percent,
    b.gpu_count,
    c.today,
    b.machine_watts,
    electricity_kwh_per_year(b.machine_watts, r.value / 100) AS kwh_per_year,
    electricity_kwh_per_year(b.machine_watts, r.value / 100) * given.usd_per_kwh AS usd_per_year,
    co2_kg(electricity_kwh_per_year(b.machine_watts, r.value / 100), given.kg_per_kwh) AS co2_kg_per_year
FROM chosen AS c
JOIN system_build AS b USING (gpu_id)
JOIN gpu AS g USING (gpu_id)
JOIN guide_rule AS r ON r.rule_id IN ('utilisation-phd-desktop', 'utilisation-phd-cluster', 'utilisation-company-cluster')
    AND r.source_id = 'dettmers-2020'
CROSS JOIN given
WHERE b.machine_watts IS NOT NULL
