-- title: Days on which a source was seen
-- description: One row per source, region and day on which somebody read the source's prices of that region. These are the day of an observation,
-- description: and the first and the last day of an interval of validity. The days that a history states (observed_day) count for all its regions.
-- description: A price that is valid over an interval counts on these days alone.
-- group: prices
-- column: source_id | | Source
-- column: region | | Region, as the provider names it; `none` where the source states none
-- column: date | | Day
-- unique: source_id, region, date
SELECT source_id, coalesce(region, 'none') AS region, observed_at AS date FROM price
UNION
SELECT source_id, coalesce(region, 'none'), effective_from FROM price WHERE effective_from <= effective_to
UNION
SELECT source_id, coalesce(region, 'none'), effective_to FROM price WHERE effective_from <= effective_to AND effective_to <= observed_at
UNION
SELECT o.source_id, r.region, o.date
FROM observed_day AS o
JOIN (SELECT DISTINCT source_id, coalesce(region, 'none') AS region FROM price) AS r USING (source_id)
