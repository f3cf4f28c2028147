-- title: The same offer in several sources
-- description: One row per offer that another source lists too, of the same provider, GPU model, kind, billing, commitment and share of a GPU. The
-- description: other states at least as much, without contradiction: variant, region, machine, number of GPUs, class of service, system, tenancy
-- description: and host. Statistics count an offer once: not where one that it repeats counts on the same day. Of two that state the same, the
-- description: first source in the alphabet counts; of launch prices the one of the specification: that of `gpu`, dated nearest to the GPU's
-- description: release. Both are in `price`, and price_comparison compares their prices. A price that was seen well after the other is a newer fact
-- description: and counts in its place (`replaces_after_days`).
-- group: prices
-- column: offer_key | | The offer that need not count
-- column: repeats | | Offer of another source that counts in its place
-- column: source_id | | Source of the offer
-- column: repeats_source_id | | Source of the other
-- column: replaces_after_days | day | Seen more than these days after the other, it takes the other's place; empty = never: a purchase, or one that repeats several
-- unique: offer_key, repeats
-- check: source_id <> repeats_source_id
WITH offer AS (
    SELECT DISTINCT ON (offer_key)
        offer_key,
        source_id,
        kind,
        concat_ws('|', provider, price.gpu_model_id, kind, coalesce(billing, ''), coalesce(commitment_months, 0), partition, gpu_fraction) AS terms,
        gpu_id,
        lower(region) AS region,
        machine_key(coalesce(instance_type, offer_id)) AS machine,
        coalesce(min_gpus, gpu_count) AS min_gpus,
        tier,
        nullif(os, 'any') AS os,
        tenancy,
        CASE WHEN kind <> 'msrp' THEN includes_host END AS includes_host,  -- a launch price never has one
        qualifier = 'from' AS at_least,
        price_basis = 'host_only' AS host_only,
        kind = 'msrp' AND usd_per_gpu <> launch_msrp_usd AS is_off,
        CASE WHEN kind = 'msrp' THEN abs(observed_at - release_date) END AS days_off
    FROM price
    LEFT JOIN gpu USING (gpu_id)
    WHERE price.gpu_model_id IS NOT NULL
    ORDER BY offer_key, observation_id
),
pair AS (
    SELECT
        a.offer_key,
        b.offer_key AS repeats,
        a.source_id,
        b.source_id AS repeats_source_id,
        a.kind,
        (a.gpu_id, a.region, a.machine, a.min_gpus, a.tier, a.os, a.tenancy, a.includes_host)
            IS NOT DISTINCT FROM (b.gpu_id, b.region, b.machine, b.min_gpus, b.tier, b.os, b.tenancy, b.includes_host) AS equal,
        (coalesce(b.is_off, false), coalesce(b.days_off, 0), b.source_id) < (coalesce(a.is_off, false), coalesce(a.days_off, 0), a.source_id) AS precedes
    FROM offer AS a
    JOIN offer AS b USING (terms, at_least, host_only)
    WHERE a.source_id <> b.source_id
        AND coalesce(a.gpu_id = b.gpu_id, a.gpu_id IS NULL)
        AND coalesce(a.region = b.region, a.region IS NULL)
        AND coalesce(a.machine = b.machine, a.machine IS NULL)
        AND coalesce(a.min_gpus = b.min_gpus, a.min_gpus IS NULL)
        AND coalesce(a.tier = b.tier, a.tier IS NULL)
        AND coalesce(a.os = b.os, a.os IS NULL)
        AND coalesce(a.tenancy = b.tenancy, a.tenancy IS NULL)
        AND coalesce(a.includes_host = b.includes_host, a.includes_host IS NULL)
)
SELECT
    offer_key, repeats, source_id, repeats_source_id,
    CASE
        WHEN kind = 'cloud_rental' AND count(*) OVER (PARTITION BY offer_key, repeats_source_id) = 1 THEN comparable_days()
    END AS replaces_after_days
FROM pair
WHERE NOT equal OR precedes
