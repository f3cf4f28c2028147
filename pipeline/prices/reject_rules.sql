-- title: Rules that reject a price
-- description: Every row of `priced` with the code and reason of the first rule that it breaks. Both are empty for an accepted price.
WITH
compared AS (
    -- of equal offers at equal prices the first in the file is accepted
    SELECT
        *,
        row_number() OVER (
            PARTITION BY
                provider, offer_id, instance_type, raw_gpu_name, gpu_context, gpu_count, region, kind, billing, commitment_months,
                tier, os, tenancy, min_gpus, price_raw, amount, currency, price_unit, price_basis, observed_at, effective_from,
                effective_to
            ORDER BY _row
        ) > 1 AS is_duplicate,
        -- two prices of one offer cannot be valid on the same day; of those above zero the one that began first is accepted
        effective_from <= max(effective_to) FILTER (WHERE amount > 0) OVER (
            PARTITION BY
                provider, coalesce(offer_id, instance_type), gpu_id, coalesce(gpu_id, raw_gpu_name), gpu_count, gpu_fraction, region, kind,
                billing, commitment_months, os, tier, min_gpus, partition, tenancy, price_basis
            ORDER BY effective_from, effective_to, _row
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS is_overlap
    FROM priced
    LEFT JOIN gpu_release USING (gpu_id)
),
ruled AS (
    SELECT
        *,
        CASE
            WHEN amount = 0
                THEN {'code': 'ZERO_PRICE', 'reason': 'a price of zero is no offer'}
            WHEN coalesce(effective_from, observed_at) > retired_on
                THEN {'code': 'RETIRED', 'reason': printf('the provider retired this machine on %s', retired_on::VARCHAR)}
            WHEN label_code = 'UNKNOWN_GPU' AND raw_gpu_name = instance_type AND coalesce(gpu_count, gpu_fraction) IS NULL
                THEN {
                    'code': 'UNKNOWN_COUNT',
                    'reason': printf(
                        '%s, and no catalog states the GPUs of that machine (data/raw/instance-catalog/instance_catalog.csv); add it to data/names/rules/instance_types.csv',
                        label_reason
                    )
                }
            WHEN label_code IN ('UNKNOWN_GPU', 'AMBIGUOUS_GPU', 'NOT_A_GPU')
                THEN {'code': label_code, 'reason': label_reason}
            WHEN
                kind = 'cloud_rental' AND price_basis IN ('per_instance', 'per_node')
                AND coalesce(gpu_count, gpu_fraction) IS NULL
                THEN {
                    'code': 'UNKNOWN_COUNT',
                    'reason': printf(
                        'the price is that of a machine, and the number of its GPUs is not known: no catalog states that of %s (data/raw/instance-catalog/instance_catalog.csv); add it to data/names/rules/instance_types.csv',
                        coalesce(instance_type, raw_gpu_name)
                    )
                }
            WHEN kind IN ('purchase_new', 'purchase_used') AND observed_at < released_on
                THEN {
                    'code': 'PLACEHOLDER_PRICE',
                    'reason': printf('listed before the GPU was on sale, on %s', released_on::VARCHAR)
                }
            WHEN usd_per_gpu_hour NOT BETWEEN 0.02 AND 200
                THEN {
                    'code': 'RANGE',
                    'reason': printf('%.4f USD per GPU-hour is outside 0.02 to 200', usd_per_gpu_hour)
                }
            WHEN usd_per_gpu NOT BETWEEN 10 AND 500000
                THEN {'code': 'RANGE', 'reason': printf('%.2f USD per GPU is outside 10 to 500000', usd_per_gpu)}
            WHEN is_duplicate
                THEN {'code': 'DUPLICATE', 'reason': 'the same offer at the same price appears elsewhere in the file'}
            WHEN is_overlap
                THEN {'code': 'OVERLAP', 'reason': 'another price of this offer is valid on some of the same days'}
        END AS broken_rule
    FROM compared
)
SELECT * EXCLUDE (is_duplicate, is_overlap, retired_on, released_on, broken_rule), broken_rule.code, broken_rule.reason
FROM ruled
