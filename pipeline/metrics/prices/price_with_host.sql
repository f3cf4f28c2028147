-- title: Prices of a GPU with the host that it needs
-- description: One row per current price of a GPU alone that the provider attaches to a machine of any size. It has the price with a standard
-- description: machine, n1-standard-8 (8 vCPUs, 30 GiB), from the rates of host_rate on the same terms. Google attaches T4, P4, P100 and V100 to
-- description: such machines; other GPUs have a machine of their own, whose price is a listing by itself. A price without a region is set beside
-- description: the host in us-central1. The sum is no offer: statistics and rankings leave it out.
-- group: prices
-- column: observation_id | | Price of the GPU alone, in `price`
-- column: gpu_model_id | | GPU model
-- column: provider | | Who rents
-- column: billing | | On what terms it is billed
-- column: host_machine | | The standard machine
-- column: host_region | | Region of its price
-- column: host_price_date | | Last day on which the prices behind its rates were seen
-- column: host_usd_per_gpu_hour | USD/(GPU·h) | Price of the machine of one GPU: 8 processor threads and 30 GiB of memory
-- column: usd_per_gpu_hour_with_host | USD/(GPU·h) | Price of one GPU with the machine
-- unique: observation_id
-- check: usd_per_gpu_hour_with_host > host_usd_per_gpu_hour
SELECT
    l.observation_id, l.gpu_model_id, l.provider, l.billing, 'n1-standard-8' AS host_machine, r.region AS host_region,
    r.price_date AS host_price_date, 8 * r.usd_per_vcpu_hour + 30 * gb_per_gib() * r.usd_per_gb_hour AS host_usd_per_gpu_hour,
    l.usd_per_gpu_hour + host_usd_per_gpu_hour AS usd_per_gpu_hour_with_host
FROM price_latest AS l
JOIN host_rate AS r
    ON (r.provider, r.region, r.billing) = (l.provider, coalesce(l.region, 'us-central1'), l.billing)
    AND r.commitment_months IS NOT DISTINCT FROM l.commitment_months
WHERE
    l.provider = 'gcp' AND l.includes_host = false AND NOT l.stale AND l.partition = 'whole' AND l.price_basis = 'per_gpu'
    AND l.gpu_model_id IN ('nvidia-t4', 'nvidia-tesla-p4', 'nvidia-tesla-p100', 'nvidia-tesla-v100')
QUALIFY row_number() OVER (PARTITION BY l.observation_id ORDER BY r.price_date DESC, r.source_id) = 1
