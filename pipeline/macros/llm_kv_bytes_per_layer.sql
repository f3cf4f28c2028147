-- title: KV cache of one token in one layer
-- description: Keys and values of each KV head (grouped-query attention shares a head among several query heads). Multi-head latent attention (DeepSeek-V2,
-- description: arXiv 2405.04434) stores one compressed vector and one rotary key in their place.
-- parameter: n_kv_heads | | KV heads
-- parameter: head_dim | | Values per head
-- parameter: kv_lora_rank | | Values of the compressed vector; empty = no latent attention
-- parameter: qk_rope_head_dim | | Values of the rotary key; used with latent attention only
-- parameter: bytes_per_value | byte | 2 at 16 bits, 1 as FP8, 34/32 as Q8_0, 18/32 as Q4_0
-- returns: byte | Bytes per token and layer
CASE WHEN kv_lora_rank IS NOT NULL THEN kv_lora_rank + qk_rope_head_dim ELSE 2 * n_kv_heads * head_dim END * bytes_per_value
