-- title: What a GPU is good for
-- description: One row per GPU: its rank per rental dollar in LLM inference and in training, and the dates of the prices. Inference is of Llama 3.1
-- description: 8B with 16-bit weights, use chat; training is in 16 bits, over all kinds of network, on one GPU. It also has the largest language
-- description: models that one GPU runs for one user. Models of llm_speed come first, as pages list their speeds; a GPU with less memory has the
-- description: largest of the others.
-- group: performance
-- column: gpu_id | | GPU
-- column: llm_rank | | Rank by USD per million output tokens; empty without a current on-demand price or a speed that is certain enough for a rank
-- column: llm_ranked | | GPUs that have one
-- column: llm_n_cheaper | | GPUs without a rank that cost less even at the low end of their speed and the high end of this one's
-- column: llm_gpu_count | | GPUs that the ranked speed is of
-- column: llm_usd_per_gpu_hour | USD/(GPU·h) | Rent behind it, also without a rank: the cheapest current on-demand offer of as many GPUs that counts for this variant (llm_cost)
-- column: llm_date | | Last day on which the price behind it was seen
-- column: training_rank | | Rank by training speed for the rent
-- column: training_ranked | | GPUs that have one
-- column: training_usd_per_gpu_hour | USD/(GPU·h) | Rent behind it, also without a rank, from gpu_price
-- column: training_rent_basis | | Whether that rent is the market median or the lowest price
-- column: training_date | | Last day on which the cheapest current on-demand price was seen
-- column: largest_16_bit | | Largest model that one GPU holds with 16-bit weights (llm_fit); empty for several GPUs on one board
-- column: largest_4_bit | | Largest model that one GPU holds with 4-bit weights (Q4_K_M in llm_fit, or the MXFP4 file of llama.cpp)
-- column: largest_context_tokens | token | Context of the user; a model that reads less has the context that it reads
-- unique: gpu_id
-- check: (llm_rank IS NULL) = (llm_date IS NULL)
-- check: training_rank IS NULL OR training_date IS NOT NULL
SELECT
    g.gpu_id, l.rank AS llm_rank, l.n_ranked AS llm_ranked, l.n_cheaper AS llm_n_cheaper,
    CASE WHEN l.rank IS NOT NULL THEN l.gpu_count END AS llm_gpu_count, l.usd_per_hour / l.gpu_count AS llm_usd_per_gpu_hour,
    CASE WHEN l.rank IS NOT NULL THEN l.price_date END AS llm_date,
    t.rental_rank AS training_rank, t.n_rented AS training_ranked, p.rental_usd_per_gpu_hour AS training_usd_per_gpu_hour,
    p.rental_basis AS training_rent_basis, m.low_price_date AS training_date,
    f.largest_16_bit, f.largest_4_bit, f.largest_context_tokens
FROM gpu AS g
LEFT JOIN llm_rank AS l ON (l.gpu_id, l.llm_model_id, l.use, l.quantization) = (g.gpu_id, 'llama-3.1-8b', 'chat', 'bf16')
LEFT JOIN value_rank AS t ON (t.gpu_id, t.family, t.precision, t.gpu_count) = (g.gpu_id, 'all', 'fp16', 1)
LEFT JOIN gpu_price AS p ON p.gpu_id = g.gpu_id
LEFT JOIN rental_market AS m ON (m.gpu_id, m.billing, m.commitment, m.gpus) = (g.gpu_id, 'on_demand', 'any', 'any')
LEFT JOIN (
    SELECT
        f.gpu_id, arg_max(n.name, size) FILTER (c.quantization = 'bf16') AS largest_16_bit,
        arg_max(n.name, size) FILTER (c.quantization IN ('q4_k_m', 'mxfp4_moe') AND f.runs) AS largest_4_bit,
        coalesce(
            max(c.context_tokens) FILTER (c.quantization = 'bf16'), max(c.context_tokens) FILTER (c.quantization IN ('q4_k_m', 'mxfp4_moe') AND f.runs)
        ) AS largest_context_tokens
    FROM llm_fit AS f
    JOIN llm_fit_case AS c USING (case_id)
    JOIN (SELECT *, (llm_model_id IN (SELECT llm_model_id FROM llm_speed), n_parameters, name) AS size FROM llm_model) AS n USING (llm_model_id)
    WHERE c.tune IS NULL AND f.fits
    GROUP BY f.gpu_id
) AS f ON f.gpu_id = g.gpu_id
