-- title: Language models
-- description: One row per language model with the figures of its configuration. Tuned and quantized editions of one network are one model.
-- description: A model without a configuration has empty figures.
-- group: llm
-- as-in: _llm_config | n_parameters, n_active_parameters, n_layers, hidden_size, intermediate_size, moe_intermediate_size
-- as-in: _llm_config | n_heads, n_kv_heads, vocabulary_size, n_active_experts, n_shared_experts, n_full_attention_layers
-- as-in: _llm_config | sliding_window_tokens, global_head_dim, context_tokens, native_dtype, tied_embeddings, config_name
-- as-in: _llm_config | config_path, locator
-- as-in: _llm_name | llm_model_id, name, family, publisher
-- column: parameters_source | | Source of the parameter counts: computed from the configuration, or rounded in the model's name
-- column: head_dim | | Size of a head; empty for multi-latent and compressed attention, which the last two sizes describe
-- column: n_experts | | Experts per layer of a mixture of experts
-- column: attention | | Kind of attention: full, sliding (some layers see a window), chunked, mla (multi-latent), hybrid (some layers have no KV cache), compressed (several tokens share an entry of the cache), other
-- column: n_sliding_layers | | Layers that attend to a window; with compressed attention all do, those that attend to every token too
-- column: n_global_kv_heads | | Key and value heads of the layers that attend to every token, if those with a window have other ones
-- column: kv_share | fraction | Part of the keys and values that these layers keep in the cache, where they compress them; empty = all
-- column: kv_lora_rank | | Size of the compressed keys and values of multi-latent attention
-- column: qk_rope_head_dim | | Size of the uncompressed part of a key, likewise
-- column: kv_bytes_per_token_16bit | byte | KV cache of one token in 16-bit numbers over all layers, sliding layers in full, without index_bytes_per_token
-- column: index_bytes_per_token | byte | Index keys of one token over all layers, by which sparse attention chooses the tokens that it reads; engines store them in a type of their own. With compressed attention they are in kv_share
-- column: state_bytes_per_sequence | byte | State of one sequence in the layers without attention (linear attention, state space), whatever its length: sums in 32 bits and last inputs of the convolution in 16, as vLLM stores them by these configurations; empty = none, or not known where the attention is `other`
-- column: native_quantization | | Type in which the publisher stores most of the weights, of llm_quantization; empty = not known
-- column: native_source | | Who states that type, where the configuration is that of another publisher's edition; else empty
-- column: config_source | | Whether the configuration was read (fetched) or recalled from memory (recalled)
-- column: source_id | | Source of the figures
-- column: snapshot_id | | Stored file with the figures
-- unique: llm_model_id
-- check: config_source IS NOT NULL OR n_parameters IS NULL
-- check: n_active_parameters <= n_parameters
SELECT n.llm_model_id, n.name, n.family, n.publisher, c.* EXCLUDE (source_id, snapshot_id, locator, config_name) REPLACE (
        CASE WHEN n.native_source IS NULL THEN c.native_quantization ELSE n.native_quantization END AS native_quantization
    ), n.native_source, n.config_name,
    coalesce(c.source_id, n.source_id) AS source_id, coalesce(c.snapshot_id, n.snapshot_id) AS snapshot_id,
    coalesce(c.locator, n.locator) AS locator
FROM _llm_name AS n LEFT JOIN _llm_config AS c USING (config_name)
ORDER BY n.llm_model_id
