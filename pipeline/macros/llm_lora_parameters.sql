-- title: Parameters that LoRA trains
-- description: Two thin matrices beside each linear layer (LoRA, arXiv 2106.09685): rank times the sum of its two sizes. The layers are the four
-- description: projections of the attention and the three of a dense feed-forward part, which QLoRA (arXiv 2305.14314) found necessary. A model
-- description: with experts gets them on the attention only.
-- parameter: lora_rank | | Rank of the adapters
-- parameter: n_layers | | Layers
-- parameter: hidden_size | | Hidden size
-- parameter: query_size | | Attention heads times values per head
-- parameter: kv_size | | KV heads times values per head
-- parameter: intermediate_size | | Size of the feed-forward part; 0 leaves it out
-- returns: | Trained parameters
lora_rank * n_layers * (
    2 * (hidden_size + query_size) + 2 * (hidden_size + kv_size)
    + CASE WHEN intermediate_size > 0 THEN 3 * (hidden_size + intermediate_size) ELSE 0 END
)
