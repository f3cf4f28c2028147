-- title: Prices of processor and memory by themselves
-- description: One row per provider, region and terms with a current price of two machines without GPU that differ in memory alone. Their difference is
-- description: the price of memory; the rest of the smaller one pays for its processor threads. Google's are n1-highmem-2 (13 GiB) and n1-highcpu-2 (1.8 GiB):
-- description: GiB-hour = (n1-highmem-2 - n1-highcpu-2) / 11.2, vCPU-hour = (n1-highcpu-2 - 1.8 x GiB-hour) / 2. A GiB is 1.074 GB.
-- group: prices
-- column: provider | | Who rents
-- column: source_id | | Source of both prices
-- column: region | | Region
-- column: billing | | On what terms it is billed
-- column: commitment_months | month | Term of a commitment
-- column: price_date | | Last day on which both were seen
-- column: larger_observation_id | | Price of the machine with more memory
-- column: smaller_observation_id | | Price of the machine with less
-- column: usd_per_gb_hour | USD/(GB·h) | Price of a GB of main memory
-- column: usd_per_vcpu_hour | USD/h | Price of a processor thread
-- unique: larger_observation_id
-- check: usd_per_vcpu_hour > 0
-- check: usd_per_gb_hour > 0
WITH host AS (
    SELECT l.*, p.amount / p.hours_divisor AS usd_per_hour
    FROM price_latest AS l
    JOIN price AS p USING (observation_id)
    WHERE l.price_basis = 'host_only' AND NOT l.stale AND p.currency = 'USD'
)
SELECT
    large.provider, large.source_id, large.region, large.billing, large.commitment_months, least(large.last_day, small.last_day) AS price_date,
    large.observation_id AS larger_observation_id, small.observation_id AS smaller_observation_id,
    (large.usd_per_hour - small.usd_per_hour) / (large.host_memory_gb - small.host_memory_gb) AS usd_per_gb_hour,
    (small.usd_per_hour - small.host_memory_gb * usd_per_gb_hour) / small.vcpus AS usd_per_vcpu_hour
FROM host AS large
JOIN host AS small
    ON (small.provider, small.source_id, small.region, small.billing) = (large.provider, large.source_id, large.region, large.billing)
    AND small.commitment_months IS NOT DISTINCT FROM large.commitment_months
    AND small.vcpus = large.vcpus
WHERE large.instance_type = 'n1-highmem-2' AND small.instance_type = 'n1-highcpu-2'
