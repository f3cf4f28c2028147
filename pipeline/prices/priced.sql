-- title: Parsed prices with provider, GPU and USD
-- description: Every row of `parsed` with the provider's one name, the GPU that its label means, and its price in USD.
WITH
named AS (
    -- a count, fraction or partition in the row takes precedence over one in the label
    SELECT
        parsed.* REPLACE (
            coalesce(provider_alias.provider, lower(trim(parsed.provider))) AS provider,
            coalesce(parsed.gpu_count, label.gpu_count::BIGINT) AS gpu_count,
            coalesce(parsed.gpu_fraction, label.gpu_fraction) AS gpu_fraction,
            CASE WHEN parsed.partition = 'whole' THEN coalesce(label.partition, 'whole') ELSE parsed.partition END AS partition
        ),
        parsed.provider AS raw_provider,
        label.gpu_id,
        label.gpu_model_id,
        label.unstated,
        label.candidates,
        label.reason_code AS label_code,
        label.reason AS label_reason
    FROM parsed
    LEFT JOIN provider_alias ON provider_alias.alias = lower(trim(parsed.provider))
    LEFT JOIN label
        ON label.raw_gpu_name = parsed.raw_gpu_name
        AND label.gpu_context = coalesce(parsed.gpu_context, '')
        AND label.reported_memory_gb IS NOT DISTINCT FROM parsed.reported_memory_gb
),
retiring AS (
    SELECT named.*, r.last_day AS retired_on
    FROM named
    LEFT JOIN retired_machine AS r
        ON named.kind = 'cloud_rental' AND r.provider = named.provider AND regexp_full_match(machine_key(named.instance_type), r.series)
),
-- the days up to each retirement on which the source is known to have been read
read AS (
    SELECT _snapshot_id, retired_on, list(DISTINCT day) AS days, max(day) AS last_day
    FROM (SELECT DISTINCT _snapshot_id, retired_on FROM retiring WHERE effective_from <= retired_on AND effective_to > retired_on)
    JOIN (SELECT _snapshot_id, unnest([effective_from, effective_to]) AS day FROM parsed) USING (_snapshot_id)
    WHERE day <= retired_on
    GROUP BY ALL
),
-- a price seen before and after a retirement ends on the last of them, so that no history goes on and no source gets a day on which it was not read
timed AS (
    SELECT retiring.* REPLACE (
        CASE WHEN effective_from <= retired_on THEN least(effective_to, last_day) ELSE effective_to END AS effective_to,
        CASE WHEN effective_from <= retired_on THEN least(observed_at, last_day) ELSE observed_at END AS observed_at,
        least(days_observed, nullif(len(list_filter(days, lambda day: day >= effective_from)), 0)) AS days_observed
    )
    FROM retiring
    LEFT JOIN read USING (_snapshot_id, retired_on)
),
-- a marketplace has no list price: what a source calls its price on demand is that of one host.
-- the row precedes the catalog; a row that states another number of GPUs is not of the catalog's machine
described AS (
    SELECT
        named.* REPLACE (
            CASE WHEN billing = 'on_demand' AND marketplace.provider IS NOT NULL THEN 'marketplace' ELSE billing END AS billing,
            CASE WHEN partition = 'whole' AND price_basis <> 'host_only' THEN coalesce(gpu_count, machine.gpus) ELSE gpu_count END AS gpu_count,
            coalesce(named.vcpus, machine.vcpus) AS vcpus,
            -- a list that states the same number as the catalog states it in GiB too
            CASE
                WHEN coalesce(named.host_memory_gb = machine.memory_gib, named.host_memory_gb IS NULL) THEN machine.memory_gib * gb_per_gib()
                ELSE named.host_memory_gb
            END AS host_memory_gb,
            coalesce(named.includes_host, machine.vcpus > 0, provider_host.includes_host) AS includes_host
        ),
        CASE
            WHEN named.includes_host IS NOT NULL THEN 'source'
            WHEN machine.vcpus > 0 THEN 'instance_catalog'
            WHEN provider_host.includes_host IS NOT NULL THEN 'provider_fact'
        END AS host_stated_by
    FROM timed AS named
    LEFT JOIN machine
        ON named.kind = 'cloud_rental'
        AND machine.provider = named.provider
        AND machine.machine = machine_key(named.instance_type)
        AND (named.partition <> 'whole' OR coalesce(machine.gpus = named.gpu_count, true))
    LEFT JOIN provider_host ON named.kind = 'cloud_rental' AND provider_host.provider = named.provider
    LEFT JOIN marketplace ON named.kind = 'cloud_rental' AND marketplace.provider = named.provider
),
rate AS (
    -- the latest rate on or before the date of the price
    SELECT quoted.currency, quoted.observed_at, usd_rate.rate_date, usd_rate.usd
    FROM (SELECT DISTINCT currency, observed_at FROM parsed) AS quoted
    ASOF JOIN usd_rate ON quoted.currency = usd_rate.currency AND quoted.observed_at >= usd_rate.rate_date
    WHERE quoted.observed_at - usd_rate.rate_date <= rate_max_age_days()
),
divided AS (
    SELECT
        described.*,
        CASE WHEN described.currency = 'USD' THEN 1.0 ELSE rate.usd END AS fx_rate,
        CASE WHEN described.currency = 'USD' THEN described.observed_at ELSE rate.rate_date END AS fx_date,
        CASE described.price_unit
            WHEN 'hour' THEN 1
            WHEN 'second' THEN 1 / 3600
            WHEN 'month' THEN hours_per_month()
            WHEN 'term_total' THEN hours_per_year() * described.commitment_months / 12
        END AS hours,
        CASE
            WHEN described.price_basis = 'per_gpu' THEN 1
            WHEN described.price_basis = 'host_only' THEN NULL
            WHEN described.partition = 'whole' THEN described.gpu_count
            ELSE described.gpu_fraction
        END AS gpus
    FROM described
    LEFT JOIN rate ON rate.currency = described.currency AND rate.observed_at = described.observed_at
)
SELECT
    * EXCLUDE (hours, gpus),
    CASE kind WHEN 'cloud_rental' THEN hours END::DOUBLE AS hours_divisor,
    CASE kind WHEN 'cloud_rental' THEN amount * fx_rate / hours / gpus END::DOUBLE AS usd_per_gpu_hour,
    CASE WHEN kind IN ('purchase_new', 'purchase_used', 'msrp') THEN amount * fx_rate / gpus END::DOUBLE AS usd_per_gpu
FROM divided
