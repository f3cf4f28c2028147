-- title: GPUs compared on the same language models
-- description: One row per two GPU models and source that measured both with the same settings: model, quantization, engine, phase, number of GPUs, lengths,
-- description: load and requests in progress (within 10%). A ratio is that of the first GPU over the second; engine versions may differ. The ratio of cost is that of prices
-- description: over speed, at the cheapest current on-demand listing of each model.
-- group: llm
-- column: gpu_model_a | | First GPU model
-- column: gpu_model_b | | Second GPU model
-- column: source_id | | Source that measured both
-- column: phase | | Phase: prefill, decode or serving
-- column: n_settings | | Settings with both
-- column: n_models | | Language models of these
-- column: speed_ratio | ratio | Median ratio of tokens/s
-- column: speed_ratio_p10 | ratio | Tenth percentile over settings
-- column: speed_ratio_p90 | ratio | Ninetieth percentile
-- column: usd_per_gpu_hour_a | USD/(GPU·h) | Cheapest on-demand price of the first
-- column: usd_per_gpu_hour_b | USD/(GPU·h) | Cheapest on-demand price of the second
-- column: price_date_a | | Last day on which it was seen
-- column: price_date_b | | Last day on which it was seen
-- column: cost_ratio | ratio | Cost of a token on the first over that on the second
-- unique: gpu_model_a, gpu_model_b, source_id, phase
-- check: speed_ratio_p10 <= speed_ratio AND speed_ratio <= speed_ratio_p90
-- check: gpu_model_a < gpu_model_b
WITH setting AS (
    SELECT source_id, gpu_model_id, llm_model_id, quantization, kv_dtype, engine, phase, load_pattern, gpu_count, prompt_tokens, output_tokens,
        prompt_batch_tokens, is_disaggregated, round(ln(concurrency) / ln(1.1)) AS concurrency_band, median(tokens_per_s) AS tokens_per_s
    FROM llm_measurement
    WHERE in_aggregates AND gpu_count IS NOT NULL AND concurrency IS NOT NULL
    GROUP BY ALL
),
compared AS (
    SELECT source_id, phase, a.gpu_model_id AS gpu_model_a, b.gpu_model_id AS gpu_model_b, count(*) AS n_settings,
        count(DISTINCT llm_model_id) AS n_models, quantile_cont(a.tokens_per_s / b.tokens_per_s, [0.1, 0.5, 0.9]) AS ratios
    FROM setting AS a
    JOIN setting AS b USING (
        source_id, llm_model_id, engine, phase, gpu_count, prompt_tokens, output_tokens, is_disaggregated, concurrency_band
    )
    WHERE
        a.gpu_model_id < b.gpu_model_id AND a.quantization IS NOT DISTINCT FROM b.quantization AND a.kv_dtype IS NOT DISTINCT FROM b.kv_dtype
        AND a.load_pattern IS NOT DISTINCT FROM b.load_pattern AND a.prompt_batch_tokens IS NOT DISTINCT FROM b.prompt_batch_tokens
    GROUP BY ALL
),
market AS (
    SELECT gpu_model_id, usd_per_gpu_hour_low AS usd, low_price_date
    FROM rental_market
    WHERE gpu_id = 'any' AND billing = 'on_demand' AND commitment = 'any' AND gpus = 'any'
)
SELECT c.gpu_model_a, c.gpu_model_b, c.source_id, c.phase, c.n_settings, c.n_models, ratios[2] AS speed_ratio, ratios[1] AS speed_ratio_p10,
    ratios[3] AS speed_ratio_p90, a.usd AS usd_per_gpu_hour_a, b.usd AS usd_per_gpu_hour_b, a.low_price_date AS price_date_a,
    b.low_price_date AS price_date_b, a.usd / b.usd / ratios[2] AS cost_ratio
FROM compared AS c
LEFT JOIN market AS a ON a.gpu_model_id = c.gpu_model_a
LEFT JOIN market AS b ON b.gpu_model_id = c.gpu_model_b
ORDER BY ALL
