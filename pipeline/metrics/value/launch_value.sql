-- title: Compute and memory per launch dollar
-- description: One row per GPU sold to consumers or for workstations that has a release date and a launch price, and measure: what one US dollar of
-- description: the launch price bought. Compute is the vendor's FP32 vector rate, without tensor cores. Prices are in dollars of their year.
-- group: performance
-- as-in: _launch_value | gpu_id, measure, segment, architecture, release_date, launch_msrp_usd, price_source_id, amount, per_usd
-- column: trend | GFLOPS/USD or GB/(1000 USD) | The same by the trend line of its segment (launch_value_trend) on that day; empty where there is none
-- unique: gpu_id, measure
-- check: per_usd > 0
-- check: measure IN ('compute', 'memory')
SELECT v.*, 2 ^ (t.log2_at_2015 + t.doublings_per_year * years_since_2015(v.release_date)) AS trend
FROM _launch_value AS v
LEFT JOIN launch_value_trend AS t USING (segment, measure)
