-- title: Speed of a request of one user in llama.cpp
-- description: One row per row of llm_speed with the output of one user: the tokens of the use over the time of its prompt and its output, one after the
-- description: other. A bound that is not known is the speed.
-- group: llm
-- as-in: llm_speed | gpu_id, quantization, prompt_tokens, output_tokens, concurrency
-- column: llm_model_id | | Language model in llm_model
-- column: gpu_count | | GPUs that share the model
-- column: is_fewest | | Whether no smaller number of GPUs has enough memory
-- column: engine | | Inference engine
-- column: use | | Use in llm_use
-- column: tokens_per_s | tokens/s | Output tokens per second of the request
-- column: low | tokens/s | Lower bound, from those of prompt and output
-- column: high | tokens/s | Upper bound, likewise
-- column: basis | | measured where both parts are, else predicted
-- unique: llm_model_id, gpu_id, gpu_count, quantization, engine, use
-- check: 0 < low AND low <= tokens_per_s AND tokens_per_s <= high
-- check: basis IN ('measured', 'predicted')
SELECT
    d.llm_model_id, d.gpu_id, d.gpu_count, d.is_fewest, d.quantization, d.engine, d.use, u.prompt_tokens, u.output_tokens, d.concurrency,
    llm_request_speed(u.prompt_tokens, p.tokens_per_s, u.output_tokens, d.tokens_per_s) AS tokens_per_s,
    llm_request_speed(u.prompt_tokens, coalesce(p.low, p.tokens_per_s), u.output_tokens, coalesce(d.low, d.tokens_per_s)) AS low,
    llm_request_speed(u.prompt_tokens, coalesce(p.high, p.tokens_per_s), u.output_tokens, coalesce(d.high, d.tokens_per_s)) AS high,
    CASE WHEN p.basis = d.basis THEN d.basis ELSE 'predicted' END AS basis
FROM llm_speed AS d
JOIN llm_speed AS p USING (llm_model_id, gpu_id, gpu_count, quantization, engine, use)
JOIN llm_use AS u USING (use)
WHERE d.phase = 'decode' AND p.phase = 'prefill'
