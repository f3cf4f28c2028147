"""Configurations of language models that public programs contain, each with its file, and four recalled from memory."""

from pipeline.schema.llm import QUANTIZATION_IDS, LlmConfig, LlmModelAlias, LlmName
from sources import Line, Source, by_file_name, lines_of, rows_of

SOURCE = Source(
    source_id="llm-model-configs",
    title="Configurations of language models",
    kind="inference",
    yields=(LlmConfig, LlmName, LlmModelAlias),
    attribution="NVIDIA aiconfigurator and Megatron-Bridge, LitGPT, Transformers, torchtune; publishers of the models",
    url="https://github.com/ai-dynamo/aiconfigurator",
    licence="Apache-2.0, BSD-3-Clause",
    republish=True,
)
COLUMNS = (
    "model_id", "total_params_billion", "active_params_billion", "params_source", "layers", "hidden_size", "intermediate_size",
    "moe_intermediate_size", "heads", "kv_heads", "head_dim", "vocab_size", "experts", "experts_per_token", "shared_experts",
    "attention", "full_attention_layers", "sliding_layers", "sliding_window_tokens", "global_kv_heads", "global_head_dim",
    "kv_share", "kv_lora_rank", "qk_rope_head_dim", "kv_cache_bytes_per_token_16bit_all_layers",
    "index_bytes_per_token", "state_bytes_per_sequence", "native_dtype", "quantisation", "context_length", "tied_embeddings",
    "source",
)  # fmt: skip
_PARAMETER_SOURCES = {"computed": "computed", "rounded,": "model_name", "active": "model_name", "not": None}


def _config(line: Line) -> LlmConfig:
    attention = _attention(line.text("attention"))
    return line.record(
        LlmConfig,
        config_name=line.text("model_id"),
        n_parameters=_count(line, "total_params_billion"),
        n_active_parameters=_count(line, "active_params_billion"),
        parameters_source=_PARAMETER_SOURCES[line.text("params_source").split(maxsplit=1)[0]],
        n_layers=line.integer_or_none("layers"),
        n_heads=line.integer_or_none("heads"),
        n_kv_heads=line.integer_or_none("kv_heads"),
        # the file divides the width by the heads there
        head_dim=None if attention in ("mla", "compressed") else line.integer_or_none("head_dim"),
        vocabulary_size=line.integer_or_none("vocab_size"),
        n_experts=line.integer_or_none("experts"),
        n_active_experts=line.integer_or_none("experts_per_token"),
        n_shared_experts=line.integer_or_none("shared_experts"),
        attention=attention,
        n_full_attention_layers=line.integer_or_none("full_attention_layers"),
        n_sliding_layers=line.integer_or_none("sliding_layers"),
        n_global_kv_heads=line.integer_or_none("global_kv_heads"),
        kv_bytes_per_token_16bit=line.integer_or_none("kv_cache_bytes_per_token_16bit_all_layers"),
        context_tokens=line.integer_or_none("context_length"),
        native_quantization=_native(line),
        tied_embeddings={"true": True, "false": False, "": None}[line.fields["tied_embeddings"]],
        config_source="recalled" if line.text("source").startswith("recalled") else "fetched",
        config_path=line.text("source"),
    )


def _native(line: Line) -> str | None:
    """The type of most weights: that of the quantization, else the number format; none of a file that mixes several."""
    stated = line.text_or_none("quantisation") or line.text_or_none("native_dtype")
    if stated is None or stated == "mixed_precision":
        return None
    name = stated.removesuffix(" (by name)")
    return QUANTIZATION_IDS.get(name, name)


def _attention(text: str) -> str:
    """The kind of attention in one word; grouped-query and multi-head attention are full attention."""
    first = text.split(maxsplit=1)[0].rstrip(",")
    if first in ("gqa", "mha"):
        return next((kind for kind in ("sliding", "chunked") if kind in text), "full")
    return first if first in ("mla", "hybrid", "compressed") else "other"


def _count(line: Line, name: str) -> int | None:
    billions = line.number_or_none(name)
    return round(billions * 1e9) if billions is not None else None


parse = by_file_name(
    {"model_configs.csv": lines_of(COLUMNS, _config), "models.csv": rows_of(LlmName), "aliases.csv": rows_of(LlmModelAlias)}
)
