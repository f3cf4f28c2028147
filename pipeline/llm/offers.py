"""Cheapest current offer on the terms $billings of each GPU, for each number of GPUs in $counts.

Independent hosts often have one GPU, so that an offer on other terms than on demand counts for several only if it states
their number.
"""

OFFERS = """
    SELECT least_gpu_id AS gpu_id, gpu_count, min(usd) * gpu_count AS usd_per_hour,
        arg_min(provider, (usd, price_rank)) AS provider, arg_min(price_date, (usd, price_rank)) AS price_date,
        arg_min(gpu_id IS NOT NULL, (usd, price_rank)) AS variant_stated, arg_min(billing, (usd, price_rank)) AS billing
    FROM offer_current, (SELECT unnest($counts::INTEGER[]) AS gpu_count)
    WHERE acquisition = 'rent' AND list_contains($billings::VARCHAR[], billing) AND NOT stale
        AND coalesce(min_gpus <= gpu_count, billing = 'on_demand' OR gpu_count = 1)
        AND (gpu_count = 1 OR least_gpu_id NOT IN (SELECT gpu_id FROM gpu WHERE is_alone_in_machine(form_factor, architecture)))
    GROUP BY least_gpu_id, gpu_count ORDER BY least_gpu_id, gpu_count
"""
