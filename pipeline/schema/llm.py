"""Tables of language models: their configurations, their names in each source, and measured inference."""

from typing import Annotated

from pipeline.schema.core import Col, record
from pipeline.schema.provenance import Sourced

ATTENTIONS = ("full", "sliding", "chunked", "mla", "hybrid", "other")
CONFIG_ORIGINS = ("fetched", "recalled")
PARAMETER_SOURCES = ("computed", "model_name")
MODEL_ID = "regexp_full_match(llm_model_id, '[a-z0-9.]+(-[a-z0-9.]+)*')"


@record(
    "_llm_config",
    title="Configurations of language models",
    text="One row per published configuration; a quantized edition of a model has one of its own.",
    group="llm",
    key=("config_name",),
)
class LlmConfig(Sourced):
    config_name: Annotated[str, Col("Publisher and name of the repository with the configuration")]
    n_parameters: Annotated[int | None, Col("Parameters", check="n_parameters > 0")]
    n_active_parameters: Annotated[int | None, Col("Parameters that each token passes through", check="n_active_parameters > 0")]
    parameters_source: Annotated[str | None, Col("Source of the parameter counts", values=PARAMETER_SOURCES)]
    n_layers: Annotated[int | None, Col("Layers", check="n_layers > 0")]
    hidden_size: Annotated[int | None, Col("Width of a layer", check="hidden_size > 0")]
    intermediate_size: Annotated[int | None, Col("Inner width of the feed-forward part", check="intermediate_size > 0")]
    moe_intermediate_size: Annotated[int | None, Col("Inner width of one expert", check="moe_intermediate_size > 0")]
    n_heads: Annotated[int | None, Col("Attention heads", check="n_heads > 0")]
    n_kv_heads: Annotated[int | None, Col("Key and value heads", check="n_kv_heads BETWEEN 1 AND n_heads")]
    head_dim: Annotated[int | None, Col("Size of a head", check="head_dim > 0")]
    vocabulary_size: Annotated[int | None, Col("Tokens of the vocabulary", check="vocabulary_size > 0")]
    n_experts: Annotated[int | None, Col("Experts per layer", check="n_experts > 0")]
    n_active_experts: Annotated[int | None, Col("Routed experts per token", check="n_active_experts BETWEEN 1 AND n_experts")]
    n_shared_experts: Annotated[int | None, Col("Experts that every token passes through", check="n_shared_experts >= 0")]
    attention: Annotated[str, Col("Kind of attention", values=ATTENTIONS)]
    n_full_attention_layers: Annotated[int | None, Col("Layers that attend to every token", check="n_full_attention_layers >= 0")]
    n_sliding_layers: Annotated[int | None, Col("Layers that attend to a window", check="n_sliding_layers >= 0")]
    sliding_window_tokens: Annotated[int | None, Col("Window of these layers", "token", check="sliding_window_tokens > 0")]
    kv_lora_rank: Annotated[int | None, Col("Size of the compressed keys and values", check="kv_lora_rank > 0")]
    qk_rope_head_dim: Annotated[int | None, Col("Size of the uncompressed part of a key", check="qk_rope_head_dim > 0")]
    kv_bytes_per_token_16bit: Annotated[
        int | None, Col("KV cache of one token in 16-bit numbers over all layers", "byte", check="kv_bytes_per_token_16bit > 0")
    ]
    context_tokens: Annotated[int | None, Col("Longest context", "token", check="context_tokens > 0")]
    native_dtype: Annotated[str | None, Col("Number format of the published weights")]
    native_quantization: Annotated[str | None, Col("Quantization of the published weights")]
    tied_embeddings: Annotated[bool | None, Col("Whether input and output share one embedding matrix")]
    config_source: Annotated[str, Col("Whether the configuration was read or recalled", values=CONFIG_ORIGINS)]
    config_path: Annotated[str, Col("File of the configuration, or where it was recalled from")]


@record(
    "_llm_name",
    title="Names of language models",
    text="One row per model: its display name, and the configuration that describes it.",
    group="llm",
    key=("llm_model_id",),
)
class LlmName(Sourced):
    llm_model_id: Annotated[str, Col("Name of the model in this dataset", check=MODEL_ID)]
    name: Annotated[str, Col("Display name")]
    family: Annotated[str, Col("Model family")]
    publisher: Annotated[str, Col("Organization that trained the model")]
    config_name: Annotated[str | None, Col("Configuration", references="_llm_config.config_name")]


@record(
    "llm_model_alias",
    title="Names of language models in each source",
    text="One row per name that a source uses for a model. Tuned and quantized editions of one network are one model.",
    group="llm",
    key=("alias_source_id", "alias"),
)
class LlmModelAlias(Sourced):
    llm_model_id: Annotated[str, Col("Model", references="llm_model.llm_model_id")]
    alias_source_id: Annotated[str, Col("Source that uses the name")]
    alias: Annotated[str, Col("Name or file of the model, as the source writes it")]
