-- title: Assumptions of the tables of value
-- description: One row per number that tables on systems, electricity, resale and value assume, with its basis. A guide's figure
-- description: is that guide's, a published statistic that publisher's. A computed figure says so. The rest are assumptions of this project,
-- description: to be changed by anyone with better figures.
-- group: systems
-- column: assumption_id | | Name, with its unit
-- column: value | see name | Number that calculations use, in the unit that its name ends in
-- column: basis | | guide = printed by a guide, published = from another publisher's figures, data = computed from this data, assumed = of this project
-- column: source_id | | Guide or publisher
-- column: note | | Basis of the number
-- unique: assumption_id
-- check: basis IN ('guide', 'published', 'data', 'assumed')
-- check: (basis IN ('guide', 'published')) = (source_id IS NOT NULL)
-- check: value > 0
WITH resale AS (
    SELECT gpu_id, median(power(m.usd_per_gpu / g.launch_msrp_usd, 365 / (m.observed_at - g.release_date))) AS kept
    FROM purchase_metric AS m
    JOIN gpu AS g USING (gpu_id)
    WHERE m.kind = 'purchase_used' AND g.launch_msrp_usd IS NOT NULL AND m.observed_at - g.release_date >= 365
    GROUP BY gpu_id
),
grid AS (
    SELECT source_id, year, electricity_million_kwh / 1e3 AS twh, co2_million_tonnes
    FROM grid_electricity
    WHERE country = 'US'
    ORDER BY year DESC
    LIMIT 1
)
SELECT t.*
FROM _dettmers_input AS i, (SELECT median(kept) AS kept, count(*) AS gpus FROM resale) AS r, grid, LATERAL (VALUES
    ('usd_per_kwh', i.usd_per_kwh, 'guide', i.guide, 'Average of the United States as the guide gives it'),
    ('utilisation', i.utilisation, 'guide', i.guide, 'Share of the time that the guide''s desktop works'),
    ('host_w', i.processor_w, 'guide', i.guide, 'Power of everything but the GPUs, as the guide counts one processor'),
    ('gpus_per_host_w', 4, 'assumed', NULL,
        'GPUs for each such share of power: a machine of 8 has two processors'),
    ('kg_co2_per_kwh', grid.co2_million_tonnes / grid.twh, 'published', grid.source_id,
        'Average of the United States in ' || grid.year || ': ' || number_text(grid.co2_million_tonnes) || ' million t of carbon dioxide for '
            || number_text(grid.twh) || ' TWh. Single grids reach from below 0.05 to above 0.7; use your own in the calculators'),
    ('years_owned', 3, 'assumed', NULL, 'Years over which a machine of one''s own is paid for by the tokens of a language model'),
    ('reading_tokens_per_s', 238 / 60 / 0.75, 'assumed', NULL,
        'Silent reading of English: 238 words a minute (Brysbaert 2019, Journal of Memory and Language 109, 104047), at 0.75 words a token'),
    ('tuning_tokens', 1e7, 'assumed', NULL, 'Tokens of a fine-tuning job, all passes over the data together'),
    ('gpu_price_kept_per_year', r.kept, 'data', NULL,
        'Median over ' || r.gpus || ' GPUs of (used price / launch price) ^ (1 / years since release), used prices a year old at least. '
            || 'A GPU bought above its launch price keeps less')
) AS t(assumption_id, value, basis, source_id, note)
