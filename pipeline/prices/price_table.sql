-- title: Table price
-- description: The accepted prices of all snapshots with the key of their offer and their flags, which compare them with one another.
WITH
-- a GPU whose variant a source leaves open is compared with others where the provider has one variant of the model alone
only_variant AS MATERIALIZED (
    SELECT provider, gpu_model_id, kind, billing, any_value(gpu_id) AS the_variant
    FROM parsed_price
    WHERE gpu_id IS NOT NULL
    GROUP BY ALL
    HAVING count(DISTINCT gpu_id) = 1
),
keyed AS NOT MATERIALIZED (
    SELECT
        *,
        _source_id AS source_id,
        coalesce(region, '') AS area,
        coalesce(usd_per_gpu_hour, usd_per_gpu) AS usd,  -- per GPU-hour for a rental, per GPU for a purchase
        -- the same offer on another date
        concat_ws(
            '|',
            coalesce(_source_id, ''),
            coalesce(provider, ''),
            coalesce(offer_id, instance_type, ''),
            coalesce(gpu_id, concat_ws('/', gpu_model_id, reported_memory_gb)),  -- one model at two sizes of memory is two offers
            coalesce(gpu_count::VARCHAR, ''),
            coalesce(region, ''),
            coalesce(kind, ''),
            coalesce(billing, ''),
            coalesce(commitment_months::VARCHAR, ''),
            coalesce(os, ''),
            coalesce(tier, ''),
            coalesce(min_gpus::VARCHAR, ''),
            coalesce(partition, ''),
            coalesce(gpu_fraction::VARCHAR, ''),
            coalesce(tenancy, ''),
            coalesce(price_basis, '')
        ) AS offer,
        -- offers of several sources that are comparable
        concat_ws('|', provider, coalesce(gpu_id, the_variant, gpu_model_id), kind, coalesce(billing, ''), coalesce(commitment_months, 0)) AS seller_terms,
        concat_ws('|', provider, coalesce(gpu_id, gpu_model_id)) AS seller_gpu,
        machine_key(coalesce(instance_type, offer_id)) AS machine_name,
        price_seen_from(observed_at, effective_from, effective_to) AS first_date
    FROM parsed_price
    LEFT JOIN only_variant USING (provider, gpu_model_id, kind, billing)
),
-- a price is valid until the next one of its offer, and no longer than prices of several sources are comparable;
-- the sort is over few and short columns, since whole rows take twice as long
ordered AS (
    SELECT
        *,
        lead(first_date) OVER (PARTITION BY hashed ORDER BY first_date, observed_at, _locator, file_index) - 1 AS until_next,
        greatest(first_date, least(last_date + comparable_days(), until_next)) AS valid_to,
        greatest(first_date, least(last_date + max_price_age_days(kind, billing), until_next)) AS current_to,
        lag(usd) OVER before AS usd_before,
        lag(remark) OVER before AS remark_before
    FROM (
        SELECT
            md5_number(offer) AS hashed, file_index, file_row_number, first_date, observed_at, effective_from, _locator, usd, remark, kind, billing,
            price_seen_to(observed_at, effective_from, effective_to) AS last_date
        FROM keyed
    )
    WINDOW before AS (PARTITION BY hashed ORDER BY observed_at, effective_from, _locator, file_index)
),
-- prices of an offer that follow one another unchanged are one price for a comparison with other sources
valid AS MATERIALIZED (
    SELECT
        file_index, file_row_number, usd_before, remark_before, run_from,
        max(last_date) OVER (PARTITION BY hashed, run_from) AS run_seen_to,
        max(valid_to) OVER (PARTITION BY hashed, run_from) AS run_to,
        max(current_to) OVER (PARTITION BY hashed, run_from) AS run_current_to
    FROM (
        SELECT
            *,
            max(CASE WHEN usd IS DISTINCT FROM usd_before THEN first_date END) OVER (
                PARTITION BY hashed ORDER BY observed_at, effective_from, _locator, file_index
            ) AS run_from
        FROM ordered
    )
),
on_demand AS (
    SELECT
        (_source_id, provider, instance_type, coalesce(gpu_id, gpu_model_id), gpu_count, region, os, observed_at) AS machine,
        min(usd_per_gpu_hour) AS usd_on_demand
    FROM keyed
    WHERE billing = 'on_demand'
    GROUP BY ALL
),
listed AS (
    SELECT seller_terms, _source_id AS source_id, area AS region, run_from, run_to, min(usd) AS low, max(usd) AS high
    FROM keyed
    JOIN valid USING (file_index, file_row_number)
    JOIN snapshot ON snapshot.snapshot_id = _snapshot_id
    WHERE
        usd IS NOT NULL AND gpu_model_id IS NOT NULL AND partition = 'whole' AND price_basis <> 'host_only'
        -- an excerpt that names machines can lack the one that another source means
        AND NOT (extent IS NOT DISTINCT FROM 'excerpt' AND instance_type IS NOT NULL)
        AND (kind <> 'cloud_rental' OR includes_host IS DISTINCT FROM false)
        AND os IS DISTINCT FROM 'windows'
    GROUP BY ALL
),
shared AS (
    FROM listed
    WHERE seller_terms IN (SELECT seller_terms FROM listed GROUP BY ALL HAVING count(DISTINCT source_id) > 1)
),
-- range of prices of each source on each date on which a price began: by region (empty if none is stated), and in all regions
in_region AS (
    SELECT seller_terms, source_id, region, date, min(low) AS low, max(high) AS high
    FROM shared
    JOIN (SELECT DISTINCT seller_terms, run_from AS date FROM shared) USING (seller_terms)
    WHERE date BETWEEN run_from AND run_to
    GROUP BY ALL
),
anywhere AS (
    SELECT seller_terms, source_id, date, min(low) AS low, max(high) AS high
    FROM in_region
    GROUP BY ALL
),
-- dates on which no price of one source is near any price of another; a region that is not stated can be any region ('*')
apart AS (
    SELECT a.seller_terms, a.source_id, a.region, a.date
    FROM in_region AS a
    JOIN in_region AS b USING (seller_terms, date, region)
    WHERE a.source_id <> b.source_id AND a.region <> '' AND prices_conflict(a.low, a.high, b.low, b.high)
    UNION ALL
    SELECT unnest([
        {'seller_terms': a.seller_terms, 'source_id': a.source_id, 'region': '', 'date': date},
        {'seller_terms': a.seller_terms, 'source_id': b.source_id, 'region': '*', 'date': date}
    ], recursive := true)
    FROM in_region AS a
    JOIN anywhere AS b USING (seller_terms, date)
    WHERE a.source_id <> b.source_id AND a.region = '' AND prices_conflict(a.low, a.high, b.low, b.high)
),
disputed AS (
    SELECT DISTINCT (seller_terms, source_id, shared.region, run_from, run_to)
    FROM shared
    JOIN apart USING (seller_terms, source_id)
    WHERE apart.region IN (shared.region, '*') AND date BETWEEN run_from AND run_to
),
-- days of a provider's on-demand lists, by region, and of any region ('') for prices that state none
on_demand_list AS (
    SELECT DISTINCT
        (keyed.source_id, provider, unnest([area, ''])) AS list, price_seen_to(observed_at, effective_from, effective_to) AS listed_on
    FROM keyed
    JOIN snapshot ON snapshot.snapshot_id = _snapshot_id
    WHERE billing = 'on_demand' AND extent <> 'excerpt'
),
-- on-demand prices that count, until a newer list leaves them out or they are too old; where sources differ, those of the provider's own list
counted_on_demand AS (
    SELECT seller_gpu, machine_name, region, run_from, least(run_current_to, newer.listed_on - 1) AS counted_to, min(usd) AS usd
    FROM keyed
    JOIN valid USING (file_index, file_row_number)
    JOIN source USING (source_id)
    ASOF LEFT JOIN on_demand_list AS newer ON newer.list = (source_id, provider, area) AND newer.listed_on > run_seen_to
    WHERE
        billing = 'on_demand' AND gpu_model_id IS NOT NULL AND is_whole_gpu(partition, price_basis, os) AND includes_host IS DISTINCT FROM false
        AND qualifier <> 'from' AND in_stock IS DISTINCT FROM false AND remark IS DISTINCT FROM 'SOURCE_ERROR'
        AND (
            own_list_of IS NOT DISTINCT FROM provider
            OR (seller_terms, source_id, area, run_from, run_to) NOT IN (FROM disputed)
        )
    GROUP BY ALL
),
-- the lowest of them that a spot price can be compared with: of its machine and region, of any where it does not state them
counted AS (
    SELECT file_index, file_row_number, min(other.usd) AS usd_counted
    FROM keyed
    JOIN counted_on_demand AS other
        ON other.seller_gpu = keyed.seller_gpu AND keyed.first_date BETWEEN run_from AND counted_to
        AND coalesce(other.machine_name = keyed.machine_name, keyed.machine_name IS NULL)
        AND coalesce(other.region = keyed.region, keyed.region IS NULL)
    WHERE keyed.billing = 'spot' AND is_whole_gpu(partition, price_basis, os)
    GROUP BY ALL
),
dated AS (
    SELECT
        keyed.*,
        valid.run_from,
        valid.run_to,
        -- a price that includes other parts of the machine is not comparable
        CASE WHEN remark IS NOT DISTINCT FROM valid.remark_before THEN valid.usd_before END AS usd_before,
        least(on_demand.usd_on_demand, counted.usd_counted) AS usd_on_demand,
        release.as_of - observed_at > max_price_age_days(kind, billing) AS stale
    FROM keyed
    JOIN valid USING (file_index, file_row_number)
    CROSS JOIN release
    LEFT JOIN on_demand
        ON billing = 'spot'
        AND machine = (_source_id, provider, instance_type, coalesce(gpu_id, gpu_model_id), gpu_count, region, os, observed_at)
    LEFT JOIN counted USING (file_index, file_row_number)
)
SELECT
    *,
    md5(offer) AS offer_key,
    nullif(concat_ws(
        ',',
        CASE WHEN abs(usd / usd_before - 1) > jump_ratio() THEN 'JUMP' END,
        CASE WHEN (seller_terms, source_id, area, run_from, run_to) IN (FROM disputed) THEN 'CONFLICT' END,
        CASE WHEN billing = 'spot' AND usd_per_gpu_hour >= usd_on_demand THEN 'SPOT_NOT_BELOW_ON_DEMAND' END,
        remark,
        CASE WHEN partition = 'whole' AND vcpus / gpu_count < min_vcpus_per_gpu() THEN 'CPU_STARVED' END,
        CASE WHEN qualifier = 'from' THEN 'FROM_PRICE' END,
        CASE WHEN NOT in_stock THEN 'OUT_OF_STOCK' END,
        CASE WHEN currency <> 'USD' AND fx_rate IS NULL THEN 'NO_RATE' END,
        CASE WHEN stale THEN 'STALE' END -- last, as price_latest writes it
    ), '') AS flags
FROM dated
