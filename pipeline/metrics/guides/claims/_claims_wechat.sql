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
    SELECT *, split_part(author, ' (', 1) AS who, coalesce(raw_gpu_name, card_class) AS card
    FROM guide_recommendation
    WHERE source_id = 'wechat-2022'
),
lists AS (
    SELECT
        bool_or(stance = 'avoid' AND card = 'any Quadro') FILTER (who = 'Tim Dettmers') AS avoids_quadro,
        list_sort(list(DISTINCT card) FILTER (who = 'Tim Dettmers' AND stance = 'avoid' AND card ILIKE 'titan%')) AS titans_avoided,
        list_sort(list(DISTINCT card) FILTER (who = 'Tim Dettmers' AND stance = 'recommended' AND (card ILIKE '%titan%' OR card ILIKE '%quadro%')))
            AS taken_back
    FROM advice
),
-- what Lambda recommends of all that Dettmers advised against
conflict AS (
    SELECT
        list(card ORDER BY card) AS cards,
        string_agg(card || ' (' || recommended_for || ', against: ' || avoided_as || ')', ', ' ORDER BY card) AS line
    FROM guide_conflict
    WHERE recommended_by = 'Lambda (February 2020)' AND avoided_by = 'Tim Dettmers (2019)'
),
list_claim AS (
    SELECT
        'w03' AS claim_id,
        [
            avoids_quadro,
            len(titans_avoided) > 0 AND taken_back IS NULL,
            coalesce(list_has_all(cards, ['Quadro RTX 8000', 'Quadro RTX 6000', 'Titan RTX']), false)
        ] AS parts,
        'Dettmers avoids any Quadro and ' || array_to_string(titans_avoided, ', ') || ', but recommends '
            || coalesce(array_to_string(taken_back, ', ') || ' for very large networks', 'none of them')
            || '; of what he avoids Lambda recommends ' || coalesce(line, 'nothing') AS arithmetic
    FROM lists
    CROSS JOIN conflict
),
-- the order that the digest gives, beside the order by rank correlation with measured speed
rule AS (
    SELECT
        split_part(rule_id, '-', 2) AS family,
        value AS place,
        statement,
        CASE statement
            WHEN 'tensor cores' THEN 'fp16_tensor_tflops'
            WHEN 'FLOPS' THEN 'fp32_tflops'
            WHEN 'memory bandwidth' THEN 'memory_bandwidth_gb_per_s'
            WHEN '16-bit capability' THEN 'fp16_tflops'
        END AS attribute
    FROM guide_rule
    WHERE source_id = 'wechat-2022' AND topic = 'priority'
),
-- the rule for CNN and Transformer is one rule, tested on each of the two; a family without measurements keeps its steps, unknown
tested AS (
    SELECT f.family, r.place, r.statement, c.rank_correlation AS rho, c.workloads, c.cards
    FROM rule AS r
    JOIN (VALUES ('cnn', 'cnn'), ('cnn', 'transformer'), ('rnn', 'rnn')) AS f(rule_family, family) ON f.rule_family = r.family
    LEFT JOIN _rule_correlation AS c ON c.attribute = r.attribute AND c.family = f.family
),
step AS (
    SELECT a.family, a.place, a.rho > b.rho AS kept
    FROM tested AS a
    JOIN tested AS b ON a.family = b.family AND b.place = a.place + 1
),
shown AS (
    SELECT
        family,
        family || coalesce(
            ' (' || any_value(workloads) || ' workloads, at least ' || min(cards) || ' cards): '
                || string_agg(statement || ' ' || number_text(round_half_up(rho, 2)), ', ' ORDER BY place),
            ': no workload measured on 5 cards at hand'
        ) AS line
    FROM tested
    GROUP BY family
),
order_claim AS (
    SELECT
        'w04' AS claim_id,
        (SELECT list(kept ORDER BY family, place) FROM step) AS parts,
        'rank correlation with measured speed in the order of the rule, ' || string_agg(line, '; ' ORDER BY family)
            || '. The timed runs of the guides count, of which the precision is not stated' AS arithmetic
    FROM shown
)
SELECT claim_id, parts, arithmetic
FROM (FROM figure_claim UNION ALL BY NAME FROM list_claim UNION ALL BY NAME FROM order_claim)
