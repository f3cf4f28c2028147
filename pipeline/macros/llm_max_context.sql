-- title: Longest context that fits
-- description: Inverse of llm_kv_bytes: most tokens per sequence for which the KV cache is within a number of bytes. Empty where no number of tokens is too many,
-- description: because every layer has a sliding window.
-- parameter: kv_budget_bytes | byte | Memory that the cache may have, without the state of layers without attention
-- parameter: n_full_layers | | Layers with full attention
-- parameter: bytes_per_full_layer | byte | Bytes per token and such layer
-- parameter: n_sliding_layers | | Layers with a sliding window
-- parameter: bytes_per_sliding_layer | byte | Bytes per token and such layer
-- parameter: window_tokens | token | Window of the sliding layers; empty if there are none
-- parameter: sequences | | Sequences at a time
-- returns: token | Longest context
CASE
    WHEN n_sliding_layers = 0
        OR kv_budget_bytes <= (n_full_layers * bytes_per_full_layer + n_sliding_layers * bytes_per_sliding_layer) * window_tokens * sequences
    THEN floor(kv_budget_bytes / ((n_full_layers * bytes_per_full_layer + n_sliding_layers * bytes_per_sliding_layer) * sequences))
    WHEN n_full_layers > 0
    THEN floor((kv_budget_bytes / sequences - n_sliding_layers * bytes_per_sliding_layer * window_tokens) / (n_full_layers * bytes_per_full_layer))
END
