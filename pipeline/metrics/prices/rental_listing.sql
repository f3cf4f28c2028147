-- title: Rentals as pages list them
-- description: One row per GPU model or variant, provider, terms and number of GPUs. Listings that differ by region, machine or source alone share
-- description: a row, without those that are wrong at the source if there are others. Of stale listings, those of the newest day count. Prices of a
-- description: source that are in conflict with those of another, and prices of a GPU without its host, have a row of their own.
-- group: prices
-- as-in: offer_listing | gpu_model_id, gpu_id, unstated, candidates, gpu_name, billing, commitment_months, tier, min_gpus
-- column: observation_id | | Lowest of the row's prices in `price`
-- column: provider | | Who rents
-- column: stale | | Whether the prices are stale at the build's as_of
-- column: source_id | | Source of the lowest price
-- column: price_date | | Last day on which the lowest price was seen
-- column: recent | | Whether it is current or was seen in the year before the build's as_of
-- column: usd_per_gpu_hour_low | USD/(GPU·h) | Lowest price of one GPU
-- column: usd_per_gpu_hour_high | USD/(GPU·h) | Highest price
-- column: n_offers | | Offers that share the row
-- column: n_counted | | Offers of these that statistics count (offer_current)
-- column: upfront | | Whether a part is paid at the start
-- column: includes_host | | Whether the lowest price includes processor, memory and storage; empty = not stated
-- column: usd_per_gpu_hour_with_host | USD/(GPU·h) | Of a GPU alone: the lowest price with the host of price_with_host; empty = no host is known
-- column: host_machine | | Machine of that host, as in price_with_host
-- column: flags | | Remarks on the prices, comma-separated codes as in `price`
-- column: also_in | | Other sources that list the same, comma-separated
-- unique: observation_id
-- check: n_counted <= n_offers
-- check: usd_per_gpu_hour_low <= usd_per_gpu_hour_high
WITH
listed AS (
    SELECT o.*, h.usd_per_gpu_hour_with_host, h.host_machine, coalesce(contains(flags, 'SOURCE_ERROR'), false) AS is_wrong,
        CASE WHEN contains(flags, 'CONFLICT') THEN source_id END AS conflicting_source,
        coalesce(NOT o.includes_host, false) AS without_host
    FROM offer_listing AS o
    LEFT JOIN price_with_host AS h USING (observation_id)
    WHERE o.kind = 'cloud_rental' AND (NOT repeated OR conflicting_source IS NOT NULL)
    WINDOW same AS (
        PARTITION BY o.gpu_model_id, gpu_id, candidates, o.provider, o.billing, commitment_months, tier, min_gpus, stale, conflicting_source,
            without_host
    )
    QUALIFY (NOT stale OR price_date = max(price_date) OVER same) AND (NOT is_wrong OR bool_and(is_wrong) OVER same)
),
grouped AS (
    SELECT
        gpu_model_id, gpu_id, unstated, candidates, gpu_name, provider, billing, commitment_months, tier, min_gpus, stale,
        arg_min(listed, (usd, -epoch(price_date), observation_id)) AS lowest,
        bool_or(NOT stale OR price_date > as_of - 365) AS recent,
        max(usd) AS usd_per_gpu_hour_high,
        count(*) AS n_offers,
        count(*) FILTER (counted) AS n_counted,
        bool_or(upfront_usd > 0) AS upfront,
        string_agg(flags, ',') AS flags,
        string_agg(concat_ws(',', source_id, also_in), ',') AS sources
    FROM listed
    CROSS JOIN release
    GROUP BY
        gpu_model_id, gpu_id, unstated, candidates, gpu_name, provider, billing, commitment_months, tier, min_gpus, stale, conflicting_source, without_host
)
SELECT
    lowest.observation_id, gpu_model_id, gpu_id, unstated, candidates, gpu_name, provider, billing, commitment_months, tier, min_gpus, stale,
    lowest.source_id, lowest.price_date, recent, lowest.usd AS usd_per_gpu_hour_low, usd_per_gpu_hour_high, n_offers, n_counted, upfront,
    lowest.includes_host, lowest.usd_per_gpu_hour_with_host, lowest.host_machine,
    array_to_string(list_sort(list_distinct(string_split(flags, ','))), ',') AS flags,
    nullif(array_to_string(list_sort(list_distinct(list_filter(string_split(sources, ','), lambda s: s <> lowest.source_id))), ','), '') AS also_in
FROM grouped
