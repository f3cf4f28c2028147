-- title: Throughput cost as Paperspace counts it
-- description: 60 times the hourly price over the bandwidth, which its guide calls USD per GB/min.
-- description: It is no price per GB: one GB/min for an hour costs usd_per_hour / (60 * gb_per_s), 3600 times less.
-- parameter: usd_per_hour | USD/h | Price
-- parameter: gb_per_s | GB/s | Memory bandwidth
-- returns: as published | Figure to compare with Paperspace's table
60 * usd_per_hour / gb_per_s
