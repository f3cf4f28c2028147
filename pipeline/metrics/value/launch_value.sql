-- title: Compute and memory per launch dollar
-- description: One row per GPU sold to consumers or for workstations that has a release date and a launch price, and measure: what one US dollar of
-- description: the launch price bought. Compute is the vendor's FP32 vector rate, without tensor cores. Prices are in dollars of their year.
-- group: performance
-- column: gpu_id | | GPU
-- column: measure | | compute (GFLOPS of FP32 per USD) or memory (GB per 1,000 USD)
-- column: segment | | Market it is sold to
-- column: architecture | | Chip family
-- column: release_date | | Day of the first sale
-- column: launch_msrp_usd | USD | Price at launch
-- column: price_source_id | | Source of that price in gpu_spec
-- column: amount | | FP32 rate in TFLOPS, or memory in GB
-- column: per_usd | | GFLOPS per USD, or GB per 1,000 USD
-- column: trend | | The same by the trend line of its segment (launch_value_trend) on that day; empty where there is none
-- unique: gpu_id, measure
-- check: per_usd > 0
-- check: measure IN ('compute', 'memory')
SELECT v.*, 2 ^ (t.log2_at_2015 + t.doublings_per_year * years_since_2015(v.release_date)) AS trend
FROM _launch_value AS v
LEFT JOIN launch_value_trend AS t USING (segment, measure)
