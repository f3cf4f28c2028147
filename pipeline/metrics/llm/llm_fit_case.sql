-- title: Questions of memory for language models
-- description: One row per model with a known configuration and use. Inference is asked at 16 bits, as FP8, Q4_K_M, MXFP4 or INT4 and as the MXFP4
-- description: file of llama.cpp, where the model has such weights (llm_model_type). It is for one user with 8,192 tokens of context. Fine-tuning
-- description: (full, LoRA and QLoRA with adapters of rank 16) is on sequences of 2,048 tokens, one at a time per GPU. Table llm_fit answers each
-- description: for every GPU. The command `fits` puts a reader's question in their place.
-- group: llm
-- as-in: llm_model | n_parameters, n_layers, hidden_size, n_heads
-- column: case_id | | Model, then quantization or tuning method
-- column: llm_model_id | | Model in llm_model; empty for a configuration by hand
-- column: intermediate_size | | Inner width of a dense feed-forward part; empty for a model with experts
-- column: n_kv_heads | | KV heads
-- column: head_dim | | Values per head
-- column: vocabulary_size | | Vocabulary
-- column: tied_embeddings | | Whether input and output share one matrix
-- column: n_full_layers | | Layers that cache every token
-- column: n_sliding_layers | | Layers that cache a window
-- column: window_tokens | token | Tokens in the window of the sliding layers
-- column: n_global_kv_heads | | KV heads of the layers that cache every token, if those with a window have other ones
-- column: global_head_dim | | Values per head of these layers, likewise
-- column: kv_share | fraction | Part of the keys and values that these layers keep, where they compress them; empty = all
-- column: kv_lora_rank | | Values of the compressed keys and values of multi-latent attention
-- column: qk_rope_head_dim | | Values of its rotary key
-- column: index_bytes_per_token | byte | Index keys of one token over the layers that cache every token, of sparse attention
-- column: state_bytes_per_sequence | byte | State of one sequence in the layers without attention; empty = none
-- column: model_context_tokens | token | Longest context that the model reads
-- column: weight_bytes | byte | Measured size of the weights in this quantization; empty = computed
-- column: quantization | | Stored type of the weights, in llm_quantization
-- column: kv_bytes_per_value | byte | Per number of the KV cache
-- column: tune | | full, lora or qlora; empty = the model answers
-- column: lora_rank | | Rank of the adapters
-- column: context_tokens | token | Tokens of each sequence, prompt and output together
-- column: users | | Sequences at a time; of tuning, in the batch of one GPU
-- column: may_wait | | Whether sequences without room in the KV cache wait; else all must fit
-- column: gpus | | GPUs that work together
-- unique: case_id
-- check: tune IN ('full', 'lora', 'qlora')
-- check: n_parameters > 0 AND n_layers > 0 AND context_tokens > 0 AND users > 0 AND gpus > 0
SELECT
    llm_model_id || '/' || use AS case_id, llm_model_id, n_parameters::DOUBLE AS n_parameters, n_layers, hidden_size,
    CASE WHEN n_experts IS NULL THEN intermediate_size END AS intermediate_size, n_heads, n_kv_heads, head_dim, vocabulary_size, tied_embeddings,
    n_full_attention_layers AS n_full_layers, coalesce(n_sliding_layers, 0) AS n_sliding_layers,
    CASE WHEN n_sliding_layers > 0 THEN sliding_window_tokens END AS window_tokens, n_global_kv_heads, global_head_dim, kv_share, kv_lora_rank, qk_rope_head_dim,
    index_bytes_per_token, state_bytes_per_sequence, m.context_tokens AS model_context_tokens, w.weight_bytes,
    quantization, 2.0::DOUBLE AS kv_bytes_per_value, tune, 16 AS lora_rank, least(m.context_tokens, u.context_tokens) AS context_tokens, 1 AS users,
    false AS may_wait, 1 AS gpus
FROM llm_model AS m
CROSS JOIN (VALUES
    ('bf16', 'bf16', NULL, 8192), ('fp8', 'fp8', NULL, 8192), ('q4_k_m', 'q4_k_m', NULL, 8192),
    ('mxfp4', 'mxfp4', NULL, 8192), ('mxfp4_moe', 'mxfp4_moe', NULL, 8192), ('int4', 'int4', NULL, 8192),
    ('full', 'bf16', 'full', 2048), ('lora', 'bf16', 'lora', 2048), ('qlora', 'nf4', 'qlora', 2048)
) AS u(use, quantization, tune, context_tokens)
LEFT JOIN llm_weight AS w USING (llm_model_id, quantization)
-- the formula of the cache is known to be true where the configuration's own figure is
WHERE n_parameters IS NOT NULL AND n_layers IS NOT NULL AND kv_bytes_per_token_16bit IS NOT NULL
    AND (tune IS NOT NULL OR (llm_model_id, quantization) IN (SELECT (llm_model_id, quantization) FROM llm_model_type))
