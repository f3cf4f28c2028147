-- title: Changes in the data by day
-- description: One row per day: source_change over all sources.
-- group: sources
-- column: date | | Day
-- column: n_sources | | Sources with a list of this day
-- column: n_offers | | Offers listed
-- column: n_appeared | | New offers; empty, as the next four, where each file of the day is on its first day
-- column: n_first | | Offers of providers that a file has for the first time
-- column: n_ended | | Offers no longer listed
-- column: n_rose | | Offers whose price rose
-- column: n_fell | | Offers whose price fell
-- unique: date
SELECT
    date,
    count(DISTINCT source_id) AS n_sources,
    sum(n_offers)::BIGINT AS n_offers,
    sum(n_appeared)::BIGINT AS n_appeared,
    sum(n_first)::BIGINT AS n_first,
    sum(n_ended)::BIGINT AS n_ended,
    sum(n_rose)::BIGINT AS n_rose,
    sum(n_fell)::BIGINT AS n_fell
FROM source_change
GROUP BY date
