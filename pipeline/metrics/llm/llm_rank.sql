-- title: Rank of a GPU by the cost of language models
-- description: One row per model, use, type of weights and GPU, at a current on-demand price. It has the cheapest number of GPUs in llm_cost, and
-- description: its rank by USD per million output tokens. Measured and predicted speeds are ranked together; a prediction too wide for a rank
-- description: (is_rankable) has none. Such a prediction is the choice of a GPU where no other number of GPUs can be ranked. It also is where it
-- description: costs less than those even at the low end of its speed. Weights stored as fp16 count as bf16, which is as large.
-- group: llm
-- as-in: llm_cost | llm_model_id, tokens_per_s, provider, price_date, usd_per_million_output_tokens
-- column: use | | Use, of llm_use
-- column: quantization | | Stored type of the weights
-- column: gpu_id | | GPU
-- column: gpu_count | | GPUs of the cheapest choice
-- column: replicas | | Copies of the model on them, as in llm_cost: the fewest for its number of GPUs per copy
-- column: tokens_per_s_low | tokens/s | Low end of the speed, as in llm_cost
-- column: tokens_per_s_high | tokens/s | High end of the speed, as in llm_cost
-- column: basis | | Whether the speed is measured or predicted
-- column: usd_per_hour | USD/h | Price of all GPUs together
-- column: variant_stated | | Whether the seller states the variant of the GPU, as in llm_cost
-- column: rank | | Rank by that cost; equal costs share a rank; empty for a prediction too wide
-- column: n_ranked | | GPUs that have a rank
-- column: n_cheaper | | GPUs without a rank that cost less even at the low end of their speed and the high end of this one's
-- unique: llm_model_id, use, quantization, gpu_id
-- check: rank BETWEEN 1 AND n_ranked
WITH
priced AS (
    SELECT * REPLACE (replace(quantization, 'fp16', 'bf16') AS quantization),
        is_rankable(basis, tokens_per_s_low, tokens_per_s_high) IS TRUE AS is_sure,
        usd_per_hour / coalesce(tokens_per_s_low, tokens_per_s) AS most,
        usd_per_hour / coalesce(tokens_per_s_high, tokens_per_s) AS least
    FROM llm_cost
    WHERE priced_by = 'gpu' AND billing = 'on_demand' AND NOT price_stale AND gpu_id IS NOT NULL AND quantization IS NOT NULL AND use <> 'other'
),
compared AS (
    SELECT *, min(usd_per_hour / tokens_per_s) FILTER (is_sure) OVER (PARTITION BY llm_model_id, use, quantization, gpu_id) AS least_sure
    FROM priced
),
of_copy AS (
    SELECT *, NOT is_sure AND coalesce(most >= least_sure, false) AS is_dominated FROM compared
    QUALIFY row_number() OVER (
        PARTITION BY llm_model_id, use, quantization, gpu_id, gpu_count // replicas
        ORDER BY is_dominated, replicas, usd_per_million_output_tokens, gpu_count, cost_id
    ) = 1
),
candidate AS (
    FROM of_copy
    QUALIFY row_number() OVER (
        PARTITION BY llm_model_id, use, quantization, gpu_id ORDER BY is_dominated, usd_per_million_output_tokens, gpu_count, cost_id
    ) = 1
)
SELECT
    llm_model_id, use, quantization, gpu_id, gpu_count, replicas, tokens_per_s, tokens_per_s_low, tokens_per_s_high, basis, usd_per_hour, provider, price_date,
    variant_stated, usd_per_million_output_tokens,
    CASE WHEN is_sure THEN rank() OVER (same ORDER BY NOT is_sure, usd_per_million_output_tokens) END AS rank,
    count(*) FILTER (is_sure) OVER same AS n_ranked,
    (SELECT count(*) FROM candidate AS other
        WHERE (other.llm_model_id, other.use, other.quantization) = (c.llm_model_id, c.use, c.quantization) AND NOT other.is_sure AND other.tokens_per_s_low IS NOT NULL AND other.most < c.least) AS n_cheaper
FROM candidate AS c
WINDOW same AS (PARTITION BY llm_model_id, use, quantization)
