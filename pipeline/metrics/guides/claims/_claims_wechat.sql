-- title: Statements of the WeChat digest, computed
-- description: One row per statement: the truth of each of its parts from the digest's lists, the GPUs' figures and measured throughput.
-- group: audit
-- column: claim_id | | Statement in _guide_statement
-- column: parts | | Truth of each part; empty = not known
-- column: arithmetic | | The numbers in words
-- unique: claim_id
WITH
-- statements that are figures as well: the audit's recomputation decides them
figure_claim AS (
    SELECT
        claim_id,
        [CASE claim_id WHEN 'w01' THEN r.recomputed > f.value ELSE round_half_up(r.recomputed, f.decimals) = f.value END] AS parts,
        r.formula || '; ' || r.note AS arithmetic
    FROM (VALUES ('w01', 'cost_efficiency_ratio_at_least'), ('w02', 'speed_ratio')) AS c(claim_id, quantity)
    JOIN published_figure AS f USING (quantity)
    JOIN _recomputed_wechat AS r USING (figure_id)
),
advice AS (
    SELECT *, split_part(author, ' (', 1) AS who, coalesce(raw_gpu_name, gpu_class) AS subject
    FROM guide_recommendation
    WHERE source_id = 'wechat-2022'
),
lists AS (
    SELECT
        bool_or(stance = 'avoid' AND subject = 'any Quadro') FILTER (who = 'Tim Dettmers') AS avoids_quadro,
        list_sort(list(DISTINCT subject) FILTER (who = 'Tim Dettmers' AND stance = 'avoid' AND subject ILIKE 'titan%')) AS titans_avoided,
        list_sort(list(DISTINCT subject) FILTER (who = 'Tim Dettmers' AND stance = 'recommended' AND (subject ILIKE '%titan%' OR subject ILIKE '%quadro%')))
            AS taken_back
    FROM advice
),
-- what Lambda recommends of all that Dettmers advised against
conflict AS (
    SELECT
        list(raw_gpu_name ORDER BY raw_gpu_name) AS gpus,
        string_agg(raw_gpu_name || ' (' || recommended_for || ', against: ' || avoided_as || ')', ', ' ORDER BY raw_gpu_name) AS line
    FROM guide_conflict
    WHERE recommended_by = 'Lambda (February 2020)' AND avoided_by = 'Tim Dettmers (2019)'
),
list_claim AS (
    SELECT
        'w03' AS claim_id,
        [
            avoids_quadro,
            len(titans_avoided) > 0 AND taken_back IS NULL,
            coalesce(list_has_all(gpus, ['Quadro RTX 8000', 'Quadro RTX 6000', 'Titan RTX']), false)
        ] AS parts,
        'Dettmers avoids any Quadro and ' || array_to_string(titans_avoided, ', ') || ', but recommends '
            || coalesce(array_to_string(taken_back, ', ') || ' for very large networks', 'none of them')
            || '; of what he avoids Lambda recommends ' || coalesce(line, 'nothing') AS arithmetic
    FROM lists
    CROSS JOIN conflict
),
price_claim AS (
    SELECT
        'd16' AS claim_id,
        [NULL::BOOLEAN, agrees] AS parts,
        'the licence is a matter of text, not of data; ' || formula || '; ' || note AS arithmetic
    FROM audit
    WHERE figure_id = 'wechat-2022/Tesla over GeForce/price_ratio_at_most'
)
SELECT claim_id, parts, arithmetic
FROM (FROM figure_claim UNION ALL BY NAME FROM list_claim UNION ALL BY NAME FROM price_claim)
