-- title: Buying against renting
-- description: One row per way to buy a GPU, way to rent the same GPU and utilization: days until buying is cheaper, and what a year costs. A way
-- description: to buy is the lowest newest price of a source and kind. A way to rent is that of a source, provider and terms that statistics count.
-- description: A launch price that several sources state counts once (offer_repeat). Every purchase counts the GPU and the bare machine of the 2020
-- description: guide (its desktop less the launch price of its GPU). Power is the GPU's limit and the guide's 100 W, the price of electricity that
-- description: of table assumption. Days are given without resale, as the guide counts, and with a GPU that still sells for the share of its price
-- description: that table assumption computes from used prices. The guide's own case (RTX 3090 against a V100) is marked. Prices have their dates,
-- description: since an old price may be compared with a new one.
-- group: systems
-- column: purchase_id | | Observation in `price`, or guide/ and the source for the guide's own case
-- column: rental_observation_id | | Rental in `price`
-- column: utilisation_percent | % | Share of the time that the machine works
-- column: guide_case | | Whether this is the 2020 guide's own example
-- column: buy_gpu_id | | GPU bought
-- column: rent_gpu_id | | GPU rented
-- column: purchase_kind | | msrp (launch price), purchase_new or purchase_used
-- column: purchase_date | | Day of the purchase price
-- column: purchase_current | | Whether that price is current (is_current_purchase)
-- column: gpu_usd | USD | Price of the GPU
-- column: host_usd | USD | Price of the bare machine
-- column: provider | | Who rents
-- column: billing | | On what terms
-- column: rental_date | | Day of the rental price
-- column: cloud_usd_per_gpu_hour | USD/(GPU·h) | Rental price of one GPU
-- column: watts | W | Power of the working machine
-- column: usd_per_kwh | USD/kWh | Price of electricity
-- column: break_even_days | day | Days until buying is cheaper; empty where it never is
-- column: gpu_kept_per_year | fraction | Share of its price that a GPU keeps in a year
-- column: break_even_days_with_resale | day | Days until buying is cheaper if the GPU is then sold; empty where not within 20 years
-- column: cloud_usd_per_year | USD | Rent of a year
-- column: electricity_kwh_per_year | kWh | Electricity of a year
-- column: electricity_usd_per_year | USD | Price of the electricity of a year
-- column: purchase_usd | USD | Price of the GPU and the bare machine
-- column: saved_usd_per_day | USD | Rent of a day less its electricity
-- column: break_even_days_exact | day | purchase_usd / saved_usd_per_day, not rounded up
-- unique: purchase_id, rental_observation_id, utilisation_percent
-- check: break_even_days > 0
-- check: coalesce(break_even_days_with_resale <= break_even_days, true)
-- check: utilisation_percent BETWEEN 5 AND 100
-- check: guide_case OR buy_gpu_id = rent_gpu_id
WITH
host AS (
    SELECT i.*, i.desktop_usd - g.launch_msrp_usd AS host_usd, g.gpu_id AS desktop_gpu_id, g.launch_msrp_usd AS desktop_gpu_usd
    FROM _dettmers_input AS i
    JOIN gpu AS g ON g.gpu_id = 'nvidia-geforce-rtx-3090-24gb'
),
purchase AS (
    SELECT observation_id AS purchase_id, gpu_id, kind AS purchase_kind, observed_at AS purchase_date, usd_per_gpu AS gpu_usd,
        is_current_purchase(kind, stale) AS purchase_current
    FROM purchase_metric
    WHERE offer_key NOT IN (SELECT r.offer_key FROM offer_repeat AS r JOIN purchase_metric AS other ON other.offer_key = r.repeats)
        AND NOT estimated
    QUALIFY row_number() OVER (PARTITION BY gpu_id, source_id, kind ORDER BY stale, usd_per_gpu, observation_id) = 1
),
pair AS (
    SELECT
        p.purchase_id, r.observation_id AS rental_observation_id, false AS guide_case, p.gpu_id AS buy_gpu_id, r.gpu_id AS rent_gpu_id,
        p.purchase_kind, p.purchase_date, p.purchase_current, p.gpu_usd, host.host_usd, r.provider, r.billing, r.observed_at AS rental_date,
        r.usd_per_gpu_hour AS cloud_usd_per_gpu_hour, g.tdp_w + host.processor_w AS watts, kwh.value AS usd_per_kwh
    FROM purchase AS p
    JOIN _rental_cheapest AS r USING (gpu_id)
    JOIN gpu AS g USING (gpu_id)
    JOIN assumption AS kwh ON kwh.assumption_id = 'usd_per_kwh'
    CROSS JOIN host
    WHERE g.tdp_w IS NOT NULL
    UNION ALL
    SELECT
        'guide/' || guide, r.observation_id, true, desktop_gpu_id, r.gpu_id,
        'msrp', r.observed_at, false, desktop_gpu_usd, host_usd, r.provider, r.billing, r.observed_at,
        r.usd_per_gpu_hour, rtx_3090_w + processor_w, usd_per_kwh
    FROM host
    JOIN _rental_cheapest AS r ON r.source_id = host.guide
)
SELECT
    pair.purchase_id,
    pair.rental_observation_id,
    u.percent AS utilisation_percent,
    pair.* EXCLUDE (purchase_id, rental_observation_id),
    break_even_days(gpu_usd + host_usd, cloud_usd_per_gpu_hour, u.percent / 100, watts, usd_per_kwh) AS break_even_days,
    kept.value AS gpu_kept_per_year,
    break_even_days_with_resale(gpu_usd + host_usd, cloud_usd_per_gpu_hour, u.percent / 100, watts, usd_per_kwh, gpu_usd, kept.value)
        AS break_even_days_with_resale,
    cloud_usd_per_gpu_hour * u.percent / 100 * 24 * 365 AS cloud_usd_per_year,
    electricity_kwh_per_year(watts, u.percent / 100) AS electricity_kwh_per_year,
    electricity_kwh_per_year(watts, u.percent / 100) * usd_per_kwh AS electricity_usd_per_year,
    gpu_usd + host_usd AS purchase_usd,
    24 * u.percent / 100 * (cloud_usd_per_gpu_hour - watts / 1000 * usd_per_kwh) AS saved_usd_per_day,
    break_even_hours(gpu_usd + host_usd, cloud_usd_per_gpu_hour, watts, usd_per_kwh) / (24 * u.percent / 100) AS break_even_days_exact
FROM pair
CROSS JOIN range(5, 101, 5) AS u(percent)
JOIN assumption AS kept ON kept.assumption_id = 'gpu_price_kept_per_year'
