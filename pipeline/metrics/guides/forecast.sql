-- title: Forecasts of the guides, and what happened
-- description: One row per forecast: the forecast range and the figure in today's data. The speed of the RTX 3090's successor (RTX 4090) comes from
-- description: measured runs where there are any. Until then came_low and came_high are ratios of specifications (bandwidth, FP16 tensor rate),
-- description: between which speed lies. The verdict is then unchecked unless both are on one side. Years are those between the forecast and the
-- description: first GPU of the kind, or a cited event. Until then came_low is the time that has passed.
-- group: guides
-- column: forecast_id | | Name of the forecast
-- column: source_id | | Guide
-- column: foretold_on | | Day of the forecast
-- column: subject | | What it is about
-- column: quantity | | Which quantity
-- column: unit | | Unit
-- column: foretold_low | see unit | Lower end of the forecast
-- column: foretold_high | see unit | Upper end of the forecast
-- column: came_low | see unit | Outcome, or the least that it can be
-- column: came_high | see unit | Outcome, or the most that it can be
-- column: came_on | | Day of the outcome
-- column: basis | | launch price, release, cited, measured or specification
-- column: verdict | | holds, fails or unchecked; a forecast speed holds within 10 percent
-- column: arithmetic | | The numbers behind the verdict
-- unique: forecast_id
-- check: verdict IN ('holds', 'fails', 'unchecked')
-- check: came_low <= came_high
WITH
first_variant AS (
    -- the variant of each name that was sold first: `RTX 3060` and the like carry no memory size
    SELECT arg_min(gpu_id, release_date) AS gpu_id, 'RTX ' || upper(replace(part, '-', ' ')) AS label
    FROM (SELECT *, regexp_extract(gpu_id, '^nvidia-geforce-rtx-(\d{4}(-ti)?)-\d+gb$', 1) AS part FROM gpu)
    WHERE part <> '' AND release_date IS NOT NULL
    GROUP BY part
),
named AS (SELECT * FROM gpu JOIN first_variant USING (gpu_id)),
measured AS (
    -- ordered, since a sum of floating-point numbers depends on the order of its terms
    SELECT exp(avg(ln(a.throughput / b.throughput) ORDER BY a.throughput / b.throughput)) AS ratio, count(*) AS runs
    FROM _measured_speed AS a
    JOIN _measured_speed AS b USING (source_id, suite, software, workload, variant)
    WHERE a.gpu_id = 'nvidia-geforce-rtx-4090-24gb' AND b.gpu_id = 'nvidia-geforce-rtx-3090-24gb'
),
successor AS (
    SELECT
        a.release_date,
        a.memory_bandwidth_gb_per_s / b.memory_bandwidth_gb_per_s AS bandwidth,
        a.fp16_tensor_tflops / b.fp16_tensor_tflops AS tensor,
        measured.ratio AS measured,
        measured.runs
    FROM gpu AS a
    CROSS JOIN gpu AS b
    CROSS JOIN measured
    WHERE a.gpu_id = 'nvidia-geforce-rtx-4090-24gb' AND b.gpu_id = 'nvidia-geforce-rtx-3090-24gb'
),
-- the first GPU after the forecast of the kind that it is about
kind AS (
    SELECT
        f.forecast_id,
        min(g.release_date) AS came_on,
        arg_min(g.name, (g.release_date, g.name)) AS name
    FROM _guide_forecast AS f
    LEFT JOIN gpu AS g ON g.release_date > f.foretold_on AND CASE
        WHEN starts_with(f.forecast_id, 'amd-') THEN g.vendor = 'AMD' AND g.segment = 'datacenter' AND g.fp16_tensor_tflops IS NOT NULL
        WHEN starts_with(f.forecast_id, 'rtx-40-') THEN g.name LIKE '%GeForce RTX 40%'
        WHEN starts_with(f.forecast_id, 'hbm-') THEN g.name LIKE '%GeForce%' AND g.memory_type LIKE 'HBM%'
        ELSE false
    END
    GROUP BY f.forecast_id
),
event AS (
    SELECT
        f.forecast_id,
        coalesce(f.outcome_on, k.came_on) AS event_on,
        CASE WHEN f.outcome_on IS NULL THEN coalesce(k.name || ' released on ' || k.came_on, 'none by ' || r.as_of)
            ELSE f.outcome_on || ' (' || f.outcome_source || ')' END AS shown,
        date_diff('day', f.foretold_on, coalesce(event_on, r.as_of)) / 365.25 AS years
    FROM _guide_forecast AS f
    JOIN kind AS k USING (forecast_id)
    CROSS JOIN release AS r
),
came AS (
    SELECT
        f.*,
        CASE f.quantity
            WHEN 'launch_msrp_usd' THEN n.launch_msrp_usd
            WHEN 'gpus_released' THEN (n.gpu_id IS NOT NULL)::INTEGER
            WHEN 'speed_ratio' THEN coalesce(s.measured, least(s.bandwidth, s.tensor))
            WHEN 'years_until_event' THEN e.years
        END AS came_low,
        CASE
            WHEN f.quantity = 'speed_ratio' THEN coalesce(s.measured, greatest(s.bandwidth, s.tensor))
            WHEN f.quantity <> 'years_until_event' OR e.event_on IS NOT NULL THEN came_low
        END AS came_high,
        CASE f.quantity WHEN 'speed_ratio' THEN s.release_date WHEN 'years_until_event' THEN e.event_on ELSE n.release_date END AS came_on,
        CASE f.quantity
            WHEN 'launch_msrp_usd' THEN 'launch price'
            WHEN 'gpus_released' THEN 'release'
            WHEN 'years_until_event' THEN CASE WHEN f.outcome_on IS NULL THEN 'release' ELSE 'cited' END
            WHEN 'speed_ratio' THEN CASE WHEN s.measured IS NULL THEN 'specification' ELSE 'measured' END
        END AS basis,
        CASE f.quantity WHEN 'speed_ratio' THEN 0.1 ELSE 0 END AS tolerance,
        n.name,
        e.shown,
        s.bandwidth, s.tensor, s.measured, s.runs
    FROM _guide_forecast AS f
    JOIN event AS e USING (forecast_id)
    LEFT JOIN named AS n ON n.label = upper(f.subject)
    CROSS JOIN successor AS s
),
assessed AS (
    SELECT
        *,
        CASE
            WHEN came_high < value_low * (1 - tolerance) OR came_low > value_high * (1 + tolerance) THEN false
            WHEN came_low >= value_low * (1 - tolerance) AND (value_high IS NULL OR came_high <= value_high * (1 + tolerance)) THEN true
        END AS came_true
    FROM came
)
SELECT
    forecast_id,
    source_id,
    foretold_on,
    subject,
    quantity,
    unit,
    value_low AS foretold_low,
    value_high AS foretold_high,
    came_low,
    came_high,
    came_on,
    basis,
    verdict([came_true]) AS verdict,
    CASE quantity
        WHEN 'launch_msrp_usd' THEN name || ' launched at ' || number_text(came_low) || ' USD on ' || came_on
            || '; forecast ' || number_text(value_low) || ' to ' || number_text(value_high) || ' USD'
        WHEN 'gpus_released' THEN coalesce(name || ' released on ' || came_on, 'no such GPU is known here') || '; forecast: none'
        WHEN 'years_until_event' THEN subject || ': ' || shown || ', after ' || number_text(round(came_low, 2)) || ' years; forecast '
            || coalesce(number_text(value_low) || ' to ' || number_text(value_high), 'not before ' || number_text(value_low))
            || CASE WHEN coalesce(value_high, value_low) = 1 THEN ' year' ELSE ' years' END
        WHEN 'speed_ratio' THEN 'RTX 4090 over RTX 3090: '
            || coalesce('measured ' || number_text(measured) || ' over ' || runs || ' workloads of one GPU in mixed precision; ', '')
            || 'bandwidth ' || number_text(bandwidth) || ', FP16 tensor rate ' || number_text(tensor)
            || ' (ratios of specifications, not of speed); forecast ' || number_text(value_low)
    END AS arithmetic
FROM assessed
