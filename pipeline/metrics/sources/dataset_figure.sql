-- title: Counts over the whole dataset
-- description: One row per count that pages print of the dataset as a whole.
-- group: sources
-- column: figure_id | | Name of the count
-- column: value | | Count of what the text names
-- column: text | | What is counted
-- unique: figure_id
-- check: value >= 0
WITH
-- as in offer: listings that differ by region, machine and class of service are one offer
rental_offer AS (
    SELECT bool_and(stale) AS stale
    FROM offer_current
    WHERE acquisition = 'rent'
    GROUP BY provider, gpu_model_id, gpu_id, billing, commitment_months, min_gpus
),
listed AS (
    SELECT * FROM offer_listing WHERE kind <> 'cloud_rental' OR observation_id IN (SELECT observation_id FROM rental_listing WHERE recent)
),
chosen_value AS (
    SELECT *, attribute IN ('memory_gb', 'memory_bandwidth_gb_per_s', 'fp32_tflops', 'fp16_tensor_tflops', 'tdp_w') AS core FROM gpu_spec WHERE chosen
)
SELECT t.figure_id, t.value::BIGINT AS value, t.text
FROM (VALUES
    ('gpus', (SELECT count(*) FROM gpu), 'GPUs'),
    ('rental_offers_current', (SELECT count(*) FROM offer), 'Current rental offers: provider, GPU, billing, term and number of GPUs'),
    ('rental_offers_stale', (SELECT count(*) FROM rental_offer WHERE stale), 'Rental offers, counted likewise, none of whose listings is current'),
    ('rental_providers_current', (SELECT count(DISTINCT provider) FROM offer), 'Providers of current rental offers'),
    ('rental_gpus_on_demand', (SELECT count(DISTINCT gpu_model_id) FROM offer WHERE billing = 'on_demand'),
        'GPU models with a current on-demand offer'),
    ('rental_gpus_current', (SELECT count(DISTINCT gpu_model_id) FROM offer), 'GPU models with a current rental offer'),
    ('rental_offers_on_demand', (SELECT count(*) FROM offer WHERE billing = 'on_demand'), 'Current on-demand offers'),
    ('offers_listed', (SELECT count(*) FROM listed), 'Rentals and prices to own as lists show them, regions joined, counted or not'),
    ('offers_listed_current', (SELECT count(*) FROM listed WHERE state = 'current'), 'Of these current and counted'),
    ('offers_listed_stale', (SELECT count(*) FROM listed WHERE state = 'stale'), 'Of these stale: too old, or left out of a newer list'),
    ('offers_listed_not_counted', (SELECT count(*) FROM listed WHERE state = 'not counted'), 'Of these current, but in no statistic'),
    ('offers_listed_providers', (SELECT count(DISTINCT provider) FROM listed), 'Providers and sellers of them'),
    ('unassigned_price_rows', (SELECT count(*) FROM price WHERE candidates IS NOT NULL),
        'Prices whose label names a model and leaves its variant open'),
    ('audit_figures', (SELECT count(*) FROM audit), 'Published figures of guides'),
    ('audit_checked', (SELECT count(*) FROM audit WHERE agrees IS NOT NULL), 'Of these recomputed; the others cannot be checked'),
    ('audit_disagreements', (SELECT count(*) FROM audit WHERE NOT agrees), 'Of these wrong when recomputed'),
    ('spec_values', (SELECT count(*) FROM chosen_value), 'Specification values of GPUs'),
    ('spec_values_confirmed', (SELECT count(*) FROM chosen_value WHERE agrees), 'Of these stated by an independent outside source'),
    ('spec_values_unconfirmed', (SELECT count(*) FROM chosen_value WHERE agrees IS NULL), 'Of these stated by no outside source'),
    ('spec_values_contradicted', (SELECT count(*) FROM chosen_value WHERE NOT agrees), 'Of these from which outside sources differ'),
    ('spec_core_values_unconfirmed', (SELECT count(*) FROM chosen_value WHERE agrees IS NULL AND core),
        'Values of memory, bandwidth, FP32, FP16 tensor and power that no outside source states'),
    ('advice', (SELECT count(*) FROM recommendation), 'Pieces of advice of guides'),
    ('advice_agrees', (SELECT count(*) FROM recommendation WHERE agrees), 'Of these supported by the data of today'),
    ('advice_differs', (SELECT count(*) FROM recommendation WHERE NOT agrees), 'Of these contradicted'),
    ('advice_open', (SELECT count(*) FROM recommendation WHERE agrees IS NULL), 'Of these that the data cannot judge'),
    ('advice_out_of_limits', (SELECT count(*) FROM recommendation WHERE NOT agrees AND best_rank IS NULL),
        'Contradicted advice of which no named GPU meets the limits today'),
    ('rules_held', (SELECT count(*) FROM rule_of_thumb WHERE holds), 'Tests of rules of thumb that pass'),
    ('rules_failed', (SELECT count(*) FROM rule_of_thumb WHERE NOT holds), 'Tests of rules of thumb that fail'),
    ('snapshots', (SELECT count(*) FROM snapshot), 'Stored files'),
    ('snapshots_fetched', (SELECT count(*) FROM snapshot WHERE origin = 'fetched'), 'Of these downloaded by this project'),
    ('snapshots_carried_over', (SELECT count(*) FROM snapshot WHERE origin = 'carried_over'), 'Of these carried over from a stored copy'),
    ('snapshots_transcribed', (SELECT count(*) FROM snapshot WHERE origin = 'transcribed'), 'Of these transcribed by hand'),
    ('rows_read', (SELECT coalesce(sum(rows_read), 0) FROM snapshot), 'Rows read of all stored files'),
    ('rows_rejected', (SELECT coalesce(sum(rows_rejected), 0) FROM snapshot), 'Of these rejected: rows of which no price or fact was accepted'),
    ('rejects', (SELECT count(*) FROM reject), 'Rejected rows, and rejected prices of rows with several'),
    ('sources_stale', (SELECT count(*) FROM source_health WHERE stale), 'Sources whose refresh is overdue')
) AS t(figure_id, value, text)
