-- title: KV cache of a language model
-- description: Layers with full attention store every token; sliding layers the last tokens of their window. Layers without attention (linear, state-space) store
-- description: a state whose size does not grow. Gemma 4 has other KV heads in its layers with full attention.
-- parameter: n_full_layers | | Layers with full attention
-- parameter: bytes_per_full_layer | byte | Bytes per token and such layer, from llm_kv_bytes_per_layer
-- parameter: n_sliding_layers | | Layers with a sliding window; 0 if none
-- parameter: bytes_per_sliding_layer | byte | Bytes per token and such layer, likewise
-- parameter: window_tokens | token | Window of the sliding layers; empty if there are none
-- parameter: state_bytes | byte | State of a sequence in the layers without attention; 0 if none
-- parameter: context_tokens | token | Tokens of each sequence, prompt and output together
-- parameter: sequences | | Sequences at a time
-- returns: byte | Size of the cache
(n_full_layers * bytes_per_full_layer * context_tokens
    + n_sliding_layers * bytes_per_sliding_layer * least(context_tokens, coalesce(window_tokens, context_tokens)) + state_bytes) * sequences
