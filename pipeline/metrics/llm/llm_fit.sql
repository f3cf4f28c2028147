-- title: Memory that a language model needs on each GPU
-- description: One row per question of llm_fit_case and GPU. 1 GB is 10^9 bytes. Several GPUs on one board are left out: each has only its part of the
-- description: memory, and no source states their speed together.
-- description: GGUF files run in llama.cpp, which puts whole layers on each GPU. Others run in vLLM with tensor parallelism: the number of GPUs divides the
-- description: attention heads, and divides the KV heads or is a multiple of them. Latent attention repeats its cache on each, and sparse attention its index keys. Tuning runs in PyTorch with its state shared among the GPUs.
-- group: llm
-- column: case_id | | Question in llm_fit_case
-- column: gpu_id | | GPU
-- column: engine | | Program, in llm_engine
-- column: visible_gb | GB | Memory of one GPU that programs see: the total of its driver less 0.5 GB, or the size as sold where no reading is known
-- column: usable_gb | GB | Memory of one GPU that weights, cache and training state may have: usable share less llm_reserve_gb
-- column: weight_gb | GB | Weights, all GPUs together
-- column: at_once | | Sequences that are in memory at a time: all users, or as many as fit where the others may wait, at least one
-- column: kv_gb | GB | KV cache and the state of layers without attention of these sequences, all GPUs together; 0 for tuning
-- column: tuning_gb | GB | Gradients, optimizer and adapters, all GPUs together; 0 if the model answers
-- column: activation_gb | GB | Activations of tuning on each GPU; empty where hidden size or vocabulary is unknown
-- column: gpu_gb | GB | Needed on the GPU with the largest part; empty where the GPUs cannot share the model
-- column: fits | | Whether that is within usable_gb; empty where it is not known
-- column: runs | | Whether the program runs on the GPU with these weights; empty where it is not known
-- column: gpus_needed | | Fewest GPUs, up to 16, on which it fits; empty if none
-- column: max_context_tokens | token | Longest context that fits, for as many sequences, and that the model reads; 0 if weights and state alone do not fit
-- column: max_users | | Most sequences of that context at a time
-- unique: case_id, gpu_id
-- check: usable_gb < 1000 AND weight_gb > 0 AND kv_gb >= 0 AND tuning_gb >= 0
-- check: NOT fits OR gpus_needed <= 16
WITH
stored AS (
    SELECT
        c.*, e.engine, e.usable_share, e.reserve_gb, e.gb_per_1000_hidden, e.split,
        coalesce(vocabulary_size * hidden_size, 0) AS matrix,
        coalesce(hidden_size % row_multiple > 0, false) AS narrow,
        coalesce(c.weight_bytes, llm_weight_bytes(
            n_parameters,
            CASE WHEN tied_embeddings THEN 0 ELSE matrix END,
            matrix,
            CASE WHEN narrow THEN narrow_bytes_per_weight ELSE bytes_per_weight END,
            CASE WHEN narrow THEN narrow_bytes_per_output_weight ELSE bytes_per_embedding_weight END,
            CASE WHEN narrow THEN narrow_bytes_per_output_weight ELSE bytes_per_output_weight END
        )) AS weights,
        coalesce(n_global_kv_heads, n_kv_heads) AS full_kv_heads, coalesce(global_head_dim, head_dim) AS full_head_dim,
        coalesce(index_bytes_per_token / n_full_layers, 0) AS index_bytes, coalesce(state_bytes_per_sequence, 0) AS state_bytes,
        coalesce(kv_share, 1) * llm_kv_bytes_per_layer(full_kv_heads, full_head_dim, kv_lora_rank, qk_rope_head_dim, kv_bytes_per_value) + index_bytes AS full_bytes,
        llm_kv_bytes_per_layer(n_kv_heads, head_dim, kv_lora_rank, qk_rope_head_dim, kv_bytes_per_value) AS sliding_bytes,
        llm_lora_parameters(lora_rank, n_layers, hidden_size, n_heads * coalesce(head_dim, hidden_size / n_heads),
            n_kv_heads * coalesce(head_dim, hidden_size / n_heads), coalesce(intermediate_size, 0)) AS adapters,
        CASE WHEN tune IS NOT NULL THEN llm_activation_bytes(n_layers, hidden_size, vocabulary_size, 1, 1) ELSE 0 END AS token_activations
    FROM llm_fit_case AS c
    JOIN llm_quantization AS q USING (quantization)
    JOIN llm_engine AS e
        ON e.engine = CASE WHEN c.tune IS NOT NULL THEN 'PyTorch' WHEN q.family = 'gguf' THEN 'llama.cpp' ELSE 'vLLM' END
),
sized AS (
    SELECT
        *,
        CASE tune WHEN 'full' THEN llm_tuning_bytes(n_parameters, false) WHEN 'lora' THEN llm_tuning_bytes(adapters, true)
            WHEN 'qlora' THEN llm_tuning_bytes(adapters, true) ELSE 0 END AS tuning,
        CASE WHEN tune IS NULL THEN llm_kv_bytes(n_full_layers, full_bytes, n_sliding_layers, sliding_bytes, window_tokens, state_bytes, context_tokens, 1)
            ELSE 0 END AS user_kv,
        context_tokens * token_activations AS user_activations
    FROM stored
),
-- the part of weights, training state and cache on the GPU with the largest part
counted AS (
    SELECT
        *,
        CASE split
            WHEN 'layer' THEN CASE WHEN n <= n_layers THEN ceil(n_layers / n) / n_layers END
            WHEN 'tensor' THEN CASE WHEN coalesce(n_heads % n = 0, true)
                AND (kv_lora_rank IS NOT NULL OR coalesce(n_kv_heads % n = 0 OR n % n_kv_heads = 0, true)) THEN 1 / n END
            ELSE 1 / n
        END AS weight_part,
        CASE split WHEN 'tensor' THEN n ELSE 1 END AS head_groups,
        CASE split WHEN 'tensor' THEN 1 ELSE weight_part END AS layer_part,
        coalesce(kv_share, 1)
            * llm_kv_bytes_per_layer(ceil(full_kv_heads / head_groups), full_head_dim, kv_lora_rank, qk_rope_head_dim, kv_bytes_per_value)
            AS full_group_bytes,
        layer_part * (full_group_bytes + index_bytes) AS full_part_bytes,
        layer_part * llm_kv_bytes_per_layer(ceil(n_kv_heads / head_groups), head_dim, kv_lora_rank, qk_rope_head_dim, kv_bytes_per_value)
            AS sliding_part_bytes,
        state_bytes * weight_part AS state_part_bytes,
        CASE WHEN tune IS NULL
            THEN llm_kv_bytes(n_full_layers, full_part_bytes, n_sliding_layers, sliding_part_bytes, window_tokens, state_part_bytes, context_tokens, 1)
            ELSE user_activations END AS user_part
    FROM sized, range(1, 17) AS r(n)
),
placed AS (
    SELECT
        c.*, g.gpu_id, llm_visible_gb(g.driver_memory_gb, g.memory_gb) AS visible_gb,
        visible_gb * usable_share - llm_reserve_gb(reserve_gb, gb_per_1000_hidden, hidden_size) AS usable_gb,
        (weights + tuning) * weight_part / 1e9 AS fixed_gb,
        1e9 * (usable_gb - fixed_gb) AS left_bytes, CASE WHEN left_bytes > 0 THEN floor(left_bytes / user_part) ELSE 0 END AS max_users,
        CASE WHEN may_wait THEN greatest(least(users, max_users), 1) ELSE users END::BIGINT AS at_once,
        fixed_gb + at_once * user_part / 1e9 AS gpu_gb,
        gpu_gb <= usable_gb AS fits, llm_runs(engine, g.vendor, g.architecture, g.segment, g.compute_capability, quantization) AS runs,
        left_bytes - CASE WHEN tune IS NULL THEN at_once * state_part_bytes ELSE 0 END AS cache_bytes
    FROM counted AS c
    JOIN gpu AS g ON is_one_device(g.name)
),
least_gpus AS (
    SELECT case_id, gpu_id, min(n) AS gpus_needed FROM placed WHERE fits GROUP BY case_id, gpu_id
)
SELECT
    case_id, gpu_id, engine, visible_gb, usable_gb, weights / 1e9 AS weight_gb, at_once, at_once * user_kv / 1e9 AS kv_gb, tuning / 1e9 AS tuning_gb,
    users * user_activations / 1e9 AS activation_gb,
    gpu_gb, fits, runs, gpus_needed,
    CASE
        WHEN cache_bytes IS NULL OR cache_bytes <= 0 THEN 0
        WHEN tune IS NULL THEN least(
            llm_max_context(cache_bytes, n_full_layers, full_part_bytes, n_sliding_layers, sliding_part_bytes, window_tokens, at_once), model_context_tokens)
        ELSE least(floor(left_bytes / (users * token_activations)), model_context_tokens)
    END::DOUBLE AS max_context_tokens, max_users
FROM placed
LEFT JOIN least_gpus USING (case_id, gpu_id)
WHERE n = gpus
