"""Parts of the time of a step, in seconds per unit coefficient, as expressions over the columns of `inputs`.

Decode and serving: one step makes one token for every sequence in progress. Serving includes the prompts, of which a step
processes concurrency x prompt / output tokens. Prefill: one token of the prompt. Bytes, FLOP and seconds without prefixes.
"""

from polars import Expr, col, max_horizontal, min_horizontal, when

BATCH, PROMPT, OUTPUT, TP = col("concurrency"), col("prompt_tokens"), col("output_tokens"), col("tensor_parallel")
LAYERS, PARAMETERS, VOCABULARY = col("n_layers"), col("n_parameters"), col("vocabulary_size")
BANDWIDTH, TENSOR, CLOCK = col("bandwidth"), col("tensor_flops"), col("clock_hz")
UNITS = col("sm_count") * CLOCK  # instructions of one kind per second, per lane
CONTEXT = PROMPT + OUTPUT / 2  # mean length during the output
CACHE = col("kv_bytes") * CONTEXT + col("sliding_kv_bytes") * min_horizontal(CONTEXT, "window_tokens")  # of one sequence
STATE = 2 * col("state_bytes")  # of layers without attention, of one sequence: a step reads and writes it
UBATCH = min_horizontal(PROMPT, 512)  # llama.cpp processes a prompt in parts of 512 tokens

# The first token reads its experts, each further one those that no other token of the step chose.
_SHARE = col("n_active_parameters") / PARAMETERS
_READ = _SHARE + (1 - _SHARE) * (1 - (1 - col("expert_share")) ** max_horizontal(BATCH - 1, 0))
_WITHOUT_OUTPUT = col("n_active_parameters") - VOCABULARY * col("hidden_size")  # prompts skip the output matrix
_MATRICES = 2 * BATCH * (col("n_active_parameters") + _WITHOUT_OUTPUT * PROMPT / OUTPUT)
_ATTENTION = 4 * LAYERS * col("attention_width") * BATCH * (PROMPT**2 / 2 / OUTPUT + CONTEXT)
# Tokens that a layer looks at, as a mean over those with and without a window. GPUs with older kernels were measured up to 4,352.
_LOOKED_AT = min_horizontal(CACHE / (col("kv_bytes") + col("sliding_kv_bytes")), 4352)
# Each layer adds up two vectors of 16-bit numbers per token. In a ring every GPU sends 2 (n - 1) / n of them over half a link,
# that of one direction.
_EXCHANGED = 4 * BATCH * (1 + PROMPT / OUTPUT) * LAYERS * col("hidden_size")
_PROMPT_ATTENTION = 2 * LAYERS * col("attention_width") * PROMPT  # of one token of the prompt

SERVING: dict[str, Expr] = {
    "weights": col("weight_bytes") * _READ / BANDWIDTH / TP,
    "kv_cache": BATCH * (CACHE / col("cache_parts") + STATE / TP) / BANDWIDTH,
    "arithmetic": (_MATRICES + _ATTENTION) / TENSOR / TP,
    "layers": LAYERS / CLOCK,
    "parallelism": LAYERS * (TP > 1),
    "older_attention": LAYERS * col("attention_width") * BATCH * _LOOKED_AT * col("has_older_vllm_attention") / UNITS / TP,
    "links": 2 * _EXCHANGED * 2 * (TP - 1) / TP / col("link"),
    "unpacking": PARAMETERS * col("is_4bit") / UNITS / TP,
    "sampling": 4 * BATCH * VOCABULARY / BANDWIDTH,
    "experts": LAYERS * (col("expert_share") < 1),
    "older_layers": LAYERS * col("is_older_engine"),
    "older_sequences": BATCH * col("is_older_engine"),
    "sequences": BATCH * (LAYERS > 0),
}
DECODE: dict[str, Expr] = {
    "weights": col("weight_bytes") * _SHARE / BANDWIDTH,
    "kv_cache": (CACHE + STATE) / BANDWIDTH,
    "layers": LAYERS / CLOCK,
    "launches": LAYERS * (~col("has_graphs") | (col("gpu_count") > 1)),  # the runs on several GPUs fit no CUDA graphs
    "emulation": when(col("has_dp4a")).then(0.0).otherwise(col("weight_bytes") * _SHARE / col("fp32_flops")),
    "power": col("weight_bytes") * _SHARE / col("tdp_w"),
}
PREFILL: dict[str, Expr] = {
    "arithmetic": 2 * col("n_active_parameters") / col("int8_ops"),
    "units": 2 * col("n_active_parameters") / UNITS,
    "layers": LAYERS / UBATCH,
    "activations": LAYERS * col("hidden_size") / UNITS,
    "attention": _PROMPT_ATTENTION / UNITS,
    "older_attention": _PROMPT_ATTENTION * col("has_older_llama_cpp_attention") / UNITS,
}
ROOFLINE: dict[str, tuple[str, ...]] = {
    "decode": ("weights",),
    "prefill": ("arithmetic",),
    "serving": ("weights", "kv_cache", "arithmetic"),
}
TERMS = {"decode": DECODE, "prefill": PREFILL, "serving": SERVING}
