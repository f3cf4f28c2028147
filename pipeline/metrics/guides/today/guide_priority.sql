-- title: Order of properties in the WeChat digest, and as measured
-- description: One row per property that the digest ranks for a kind of network, and family of measured networks. It has the digest's rank, and the
-- description: rank by the correlation of the property with measured training speed in 16 bits over GPUs (rule_of_thumb). The digest ranks CNN and
-- description: Transformer together.
-- group: guides
-- column: family | | Family of networks: cnn, transformer, rnn
-- column: rule_id | | Rule in guide_rule
-- column: subject | | Networks that the digest names
-- column: property | | Property that it ranks
-- column: guide_rank | | Its rank in the digest
-- column: correlation | | Rank correlation of measured speed with the property
-- column: ci_low | | Low end of its 95% interval
-- column: ci_high | | High end of its 95% interval
-- column: n_gpus | | GPUs behind it
-- column: measured_rank | | Rank of the correlation among the four properties
-- column: attribute | | Column of gpu that measures the property
-- unique: family, rule_id
-- check: guide_rank BETWEEN 1 AND 4
-- check: measured_rank BETWEEN 1 AND 4
WITH
property(property, attribute) AS (
    VALUES ('tensor cores', 'fp16_tensor_tflops'), ('FLOPS', 'fp32_tflops'), ('memory bandwidth', 'memory_bandwidth_gb_per_s'),
        ('16-bit capability', 'fp16_tflops')
),
family(subject, family) AS (VALUES ('CNN and Transformer', 'cnn'), ('CNN and Transformer', 'transformer'), ('RNN', 'rnn'))
SELECT
    f.family,
    r.rule_id,
    r.subject,
    p.property,
    r.value::INTEGER AS guide_rank,
    t.value AS correlation,
    t.ci_low,
    t.ci_high,
    t.n AS n_gpus,
    rank() OVER (PARTITION BY f.family ORDER BY t.value DESC)::INTEGER AS measured_rank,
    p.attribute
FROM guide_rule AS r
JOIN family AS f USING (subject)
JOIN property AS p ON p.property = r.statement
JOIN rule_of_thumb AS t ON (t.rule_id, t.family, t.precision) = ('order_by_' || p.attribute, f.family, 'fp16')
WHERE r.source_id = 'wechat-2022' AND r.topic = 'priority'
