-- title: Counts over the whole dataset
-- description: One row per count that pages print of the dataset as a whole.
-- group: sources
-- column: figure_id | | Name of the count
-- column: value | | The count
-- column: text | | What is counted
-- unique: figure_id
-- check: value >= 0
WITH
rental AS (
    SELECT * FROM offer_current WHERE way = 'rent'
),
ambiguous AS (
    SELECT DISTINCT snapshot_id, locator
    FROM reject
    JOIN snapshot USING (snapshot_id)
    JOIN source USING (source_id)
    WHERE reason_code = 'AMBIGUOUS_GPU' AND source.kind = 'prices'
)
SELECT t.*
FROM (VALUES
    ('gpus', (SELECT count(*) FROM gpu), 'GPUs'),
    ('rental_offers_current', (SELECT count(*) FROM rental WHERE NOT stale), 'Current rental offers that statistics count'),
    ('rental_offers_stale', (SELECT count(*) FROM rental WHERE stale), 'Rental offers whose newest price is stale'),
    ('rental_providers_current', (SELECT count(DISTINCT lower(provider)) FROM rental WHERE NOT stale), 'Providers of current rental offers'),
    ('rental_gpus_on_demand', (SELECT count(DISTINCT gpu_id) FROM rental WHERE NOT stale AND billing = 'on_demand'),
        'GPUs with a current on-demand offer'),
    ('rental_offers_on_demand', (SELECT count(*) FROM rental WHERE NOT stale AND billing = 'on_demand'), 'Current on-demand offers'),
    ('offers_listed', (SELECT count(*) FROM offer_listing), 'Rentals and prices to own, counted or not'),
    ('offers_listed_current', (SELECT count(*) FROM offer_listing WHERE state = 'current'), 'Of these current'),
    ('offers_listed_stale', (SELECT count(*) FROM offer_listing WHERE state = 'stale'), 'Of these older than their source lets a price be'),
    ('offers_listed_not_counted', (SELECT count(*) FROM offer_listing WHERE state = 'not counted'), 'Of these current, but in no statistic'),
    ('offers_listed_providers', (SELECT count(DISTINCT lower(provider)) FROM offer_listing), 'Providers and sellers of them'),
    ('unassigned_price_rows', (SELECT count(*) FROM ambiguous), 'Rows of price sources whose label can be of several GPUs'),
    ('audit_figures', (SELECT count(*) FROM audit), 'Published figures of guides'),
    ('audit_disagreements', (SELECT count(*) FROM audit WHERE NOT agrees), 'Of these wrong when recomputed')
) AS t(figure_id, value, text)
