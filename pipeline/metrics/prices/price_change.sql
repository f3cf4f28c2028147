-- title: Changes of price
-- description: One row per offer and price: from the first to the last day on which it was seen at that price. Between two rows of an offer
-- description: nothing was seen. A price that is stated the same stays one row when only the exchange rate moved. All partitions are here.
-- group: prices
-- as-in: _price_span | offer_key, source_id, provider, offer_id, instance_type, gpu_model_id, gpu_id, gpu_count, partition
-- as-in: _price_span | region, kind, billing, commitment_months
-- column: valid_from | | First day on which the price was seen
-- column: valid_to | | Last day on which it was seen
-- column: observation_id | | Price in `price` that was seen first
-- column: usd_per_gpu_hour | USD/(GPU·h) | Rental price of one GPU at its start
-- column: usd_per_gpu | USD/GPU | Purchase price of one GPU at its start
-- column: change_ratio | ratio | That price over the last one seen before it, in USD; empty for an offer's first, and where it includes other parts
-- column: flagged | | Whether the change is a jump (above 40 percent)
-- column: comparable | | Whether the price at its start can be compared with others. Not: without host, with Windows, out of stock, "from", an estimate, spot at or above on-demand, wrong at the source, contradicted by the provider's own list
-- unique: offer_key, valid_from
-- check: valid_from <= valid_to
-- check: change_ratio > 0
WITH
-- sellers whose own list is in another currency than the prices of aggregators
own_currency AS (
    SELECT coalesce(a.provider, lower(trim(f.raw_provider))) AS seller, any_value(regexp_extract(value, 'list price in ([A-Z]{3})', 1)) AS stated_in
    FROM provider_fact AS f
    LEFT JOIN provider_alias AS a ON a.alias = lower(trim(f.raw_provider))
    WHERE f.attribute = 'price_basis' AND regexp_matches(value, 'list price in [A-Z]{3}')
    GROUP BY seller
),
compared AS (
    SELECT
        s.*,
        o.stated_in <> s.currency AS converted,
        lag(usd) OVER offer AS usd_before,
        lag(last_day) OVER offer AS last_day_before,
        max(last_day) OVER (PARTITION BY offer_key) AS offer_last_day,
        remark IS NOT DISTINCT FROM lag(remark) OVER offer AS same_parts,
        usd = usd_before OR (amount, currency, price_unit) = (lag(amount) OVER offer, lag(currency) OVER offer, lag(price_unit) OVER offer) AS same
    FROM _price_span AS s
    LEFT JOIN own_currency AS o ON o.seller = s.provider
    WINDOW offer AS (PARTITION BY offer_key ORDER BY first_day)
),
step AS (
    SELECT
        *,
        coalesce(
            same OR (
                converted AND abs(usd / usd_before - 1) <= 0.05 AND count(*) OVER alike > 1
                AND max(usd / usd_before) OVER alike <= 1.001 * min(usd / usd_before) OVER alike
            ),
            false
        ) AS unchanged
    FROM compared
    WINDOW alike AS (PARTITION BY source_id, provider, first_day, last_day_before)
)
SELECT
    offer_key,
    first_day AS valid_from,
    coalesce(lead(last_day_before) OVER (PARTITION BY offer_key ORDER BY first_day), offer_last_day) AS valid_to,
    observation_id,
    source_id,
    provider,
    offer_id,
    instance_type,
    gpu_model_id,
    gpu_id,
    gpu_count,
    partition,
    region,
    kind,
    billing,
    commitment_months,
    CASE kind WHEN 'cloud_rental' THEN usd END AS usd_per_gpu_hour,
    CASE WHEN kind <> 'cloud_rental' THEN usd END AS usd_per_gpu,
    CASE WHEN same_parts THEN usd / usd_before END AS change_ratio,
    jump AS flagged,
    comparable
FROM step
WHERE NOT unchanged
