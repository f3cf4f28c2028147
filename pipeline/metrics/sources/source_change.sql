-- title: What changed at each source from day to day
-- description: One row per file of a price source that is refreshed and day on which the file was seen. It is compared with the file's own day
-- description: before: which offers appeared and ended, and which stated prices moved. The days are the dates of the prices, as in price_change, so
-- description: that a source which publishes its history has each of its days here. A file's first day has nothing before it, and its changes are
-- description: empty. A provider's first day in a file has nothing before it either: its offers are first, not new. Offers of a provider whose page
-- description: could not be read neither end nor appear: they stay until the day on which the provider is read again. A move is a change of the
-- description: price as stated; one of the exchange rate is none. All partitions and kinds are here.
-- group: prices
-- column: source_id | | Source
-- column: file | | File in the folder of the source, without folders of a date, a star for a date
-- column: date | | Day
-- column: date_before | | The file's day before, with which it is compared; empty on its first day
-- column: n_offers | | Offers listed whose GPU is known: seen on the day, or of a provider that was not read on it, but is again later
-- column: n_offers_before | | Offers listed on the day before
-- column: n_first | | Offers of providers that the file has for the first time
-- column: n_appeared | | Offers that their provider did not have when it was seen before
-- column: n_ended | | Offers that their provider has no more, or that ended with their provider
-- column: n_rose | | Offers whose price is above the last that was seen of them before, as in price_change
-- column: n_fell | | Offers whose price is below it
-- column: median_change_ratio | ratio | Median of price over price before, of the offers whose price moved; empty where none did
-- column: n_rejected | | Rows rejected of the stored file of this day; empty without one
-- unique: source_id, file, date
-- check: date_before < date
-- check: n_offers = n_offers_before + n_first + n_appeared - n_ended
-- check: n_rose + n_fell <= n_offers
-- check: (median_change_ratio IS NOT NULL) = coalesce(n_rose + n_fell > 0, false)
WITH
stored AS (
    SELECT source_id, snapshot_id, file_series(path) AS file, coalesce(published_at, retrieved_at)::DATE AS date, rows_rejected
    FROM snapshot
    JOIN source USING (source_id)
    WHERE source.kind = 'prices' AND stale_after_days IS NOT NULL
),
seen AS (
    SELECT DISTINCT
        stored.source_id, file, price.provider, day.offer_key, day.date
    FROM _price_day AS day
    JOIN price USING (observation_id)
    JOIN stored ON stored.snapshot_id = price.snapshot_id
),
calendar AS (
    SELECT source_id, file, date, lag(date) OVER later AS date_before, lead(date) OVER later AS date_after
    FROM (
        SELECT source_id, file, date FROM seen
        UNION
        SELECT source_id, file, stored.date FROM stored JOIN release ON stored.date <= as_of
    )
    WINDOW later AS (PARTITION BY source_id, file ORDER BY date)
),
provider_day AS (
    SELECT source_id, file, provider, date, lag(date) OVER later AS provider_before, lead(date) OVER later AS provider_after
    FROM (SELECT DISTINCT source_id, file, provider, date FROM seen)
    WINDOW later AS (PARTITION BY source_id, file, provider ORDER BY date)
),
own AS (
    SELECT *, lag(date) OVER later AS own_before, lead(date) OVER later AS own_after
    FROM seen
    WINDOW later AS (PARTITION BY source_id, file, offer_key ORDER BY date)
),
offer AS (
    SELECT own.*, provider_before, provider_after, date_after, change_ratio
    FROM own
    JOIN calendar USING (source_id, file, date)
    JOIN provider_day USING (source_id, file, provider, date)
    LEFT JOIN price_change ON price_change.offer_key = own.offer_key AND price_change.valid_from = own.date
),
present AS (
    SELECT
        source_id,
        file,
        date,
        count(*) FILTER (provider_before IS NULL) AS n_first,
        count(*) FILTER (own_before IS DISTINCT FROM provider_before) AS n_appeared,
        count(*) FILTER (change_ratio > 1) AS n_rose,
        count(*) FILTER (change_ratio < 1) AS n_fell,
        median(change_ratio) FILTER (change_ratio <> 1) AS median_change_ratio
    FROM offer
    GROUP BY ALL
),
gone AS (
    SELECT source_id, file, coalesce(provider_after, date_after) AS date, count(*) AS n_ended
    FROM offer
    WHERE provider_after IS NULL OR own_after IS DISTINCT FROM provider_after
    GROUP BY ALL
),
rejected AS (SELECT source_id, file, date, sum(rows_rejected)::BIGINT AS n_rejected FROM stored GROUP BY ALL),
changed AS (
    SELECT
        calendar.* EXCLUDE (date_after),
        coalesce(n_first, 0) AS n_first,
        coalesce(n_appeared, 0) AS n_appeared,
        coalesce(n_ended, 0) AS n_ended,
        coalesce(n_rose, 0) AS n_rose,
        coalesce(n_fell, 0) AS n_fell,
        median_change_ratio,
        n_rejected
    FROM calendar
    LEFT JOIN present USING (source_id, file, date)
    LEFT JOIN gone USING (source_id, file, date)
    LEFT JOIN rejected USING (source_id, file, date)
),
counted AS (
    SELECT *, sum(n_first + n_appeared - n_ended) OVER (PARTITION BY source_id, file ORDER BY date)::BIGINT AS n_offers FROM changed
)
SELECT
    source_id,
    file,
    date,
    date_before,
    n_offers,
    CASE WHEN date_before IS NOT NULL THEN lag(n_offers) OVER (PARTITION BY source_id, file ORDER BY date) END AS n_offers_before,
    CASE WHEN date_before IS NOT NULL THEN n_first END AS n_first,
    CASE WHEN date_before IS NOT NULL THEN n_appeared END AS n_appeared,
    CASE WHEN date_before IS NOT NULL THEN n_ended END AS n_ended,
    CASE WHEN date_before IS NOT NULL THEN n_rose END AS n_rose,
    CASE WHEN date_before IS NOT NULL THEN n_fell END AS n_fell,
    CASE WHEN date_before IS NOT NULL THEN median_change_ratio END AS median_change_ratio,
    n_rejected
FROM counted
