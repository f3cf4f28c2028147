"""Tables of language models: their configurations, their names in each source, and measured inference."""

import datetime as dt
from typing import Annotated

from pipeline.schema.core import Col, record
from pipeline.schema.provenance import Sourced

ATTENTIONS = ("full", "sliding", "chunked", "mla", "hybrid", "compressed", "other")
CONFIG_ORIGINS = ("fetched", "recalled")
PARAMETER_SOURCES = ("computed", "model_name")
QUANTIZATIONS = ("fp16", "bf16", "fp8", "int8", "fp4", "int4", "bnb_4bit", "q4_k_m")
# ids in llm_quantization of the names that configurations, tools and readers use
QUANTIZATION_IDS = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "f16": "fp16",
    "nvfp4": "fp4",
    "gptq": "gptq_4bit",
    "awq": "awq_4bit",
    "bnb": "bnb_4bit",
    "4bit": "bnb_4bit",
    "8bit": "bnb_8bit",
}
PHASES = ("prefill", "decode", "serving")
LOAD_PATTERNS = ("synchronous", "constant", "throughput", "concurrent", "offline")
THROUGHPUT_BASES = ("measured", "latency")
MODEL_ID = "regexp_full_match(llm_model_id, '[a-z0-9.]+(-[a-z0-9.]+)*')"


@record("_llm_config", title="Configurations of language models", group="llm", key=("config_name",))
class LlmConfig(Sourced):
    """One row per published configuration; a quantized edition of a model has one of its own."""

    config_name: Annotated[str, Col("Publisher and name of the repository with the configuration")]
    n_parameters: Annotated[int | None, Col("Parameters", above=0)]
    n_active_parameters: Annotated[int | None, Col("Parameters that each token passes through", above=0)]
    parameters_source: Annotated[str | None, Col("Source of the parameter counts", values=PARAMETER_SOURCES)]
    n_layers: Annotated[int | None, Col("Layers", above=0)]
    hidden_size: Annotated[int | None, Col("Width of a layer", above=0)]
    intermediate_size: Annotated[int | None, Col("Inner width of the feed-forward part", above=0)]
    moe_intermediate_size: Annotated[int | None, Col("Inner width of one expert", above=0)]
    n_heads: Annotated[int | None, Col("Attention heads", above=0)]
    n_kv_heads: Annotated[int | None, Col("Key and value heads", check="n_kv_heads BETWEEN 1 AND n_heads")]
    head_dim: Annotated[int | None, Col("Size of a head", above=0)]
    vocabulary_size: Annotated[int | None, Col("Tokens of the vocabulary", above=0)]
    n_experts: Annotated[int | None, Col("Experts per layer", above=0)]
    n_active_experts: Annotated[int | None, Col("Routed experts per token", check="n_active_experts BETWEEN 1 AND n_experts")]
    n_shared_experts: Annotated[int | None, Col("Experts that every token passes through", least=0)]
    attention: Annotated[str, Col("Kind of attention", values=ATTENTIONS)]
    n_full_attention_layers: Annotated[int | None, Col("Layers that attend to every token", least=0)]
    n_sliding_layers: Annotated[int | None, Col("Layers that attend to a window", least=0)]
    sliding_window_tokens: Annotated[int | None, Col("Window of these layers", "token", above=0)]
    n_global_kv_heads: Annotated[
        int | None, Col("Key and value heads of the layers that attend to every token, if the others have other ones")
    ]
    global_head_dim: Annotated[int | None, Col("Size of a head of these layers, likewise", above=0)]
    kv_share: Annotated[float | None, Col("Part of the keys and values that these layers keep, if they compress them", "fraction", between=(0, 1))]
    kv_lora_rank: Annotated[int | None, Col("Size of the compressed keys and values", above=0)]
    qk_rope_head_dim: Annotated[int | None, Col("Size of the uncompressed part of a key", above=0)]
    kv_bytes_per_token_16bit: Annotated[
        int | None, Col("KV cache of one token in 16-bit numbers over all layers", "byte", above=0)
    ]
    index_bytes_per_token: Annotated[
        int | None, Col("Index keys of one token over all layers, which sparse attention keeps", "byte", above=0)
    ]
    state_bytes_per_sequence: Annotated[int | None, Col("State of one sequence in the layers without attention", "byte", above=0)]
    context_tokens: Annotated[int | None, Col("Longest context", "token", above=0)]
    native_dtype: Annotated[str | None, Col("Number format of the published weights")]
    native_quantization: Annotated[str | None, Col("Type in which the weights of this edition are stored")]
    tied_embeddings: Annotated[bool | None, Col("Whether input and output share one embedding matrix")]
    config_source: Annotated[str, Col("Whether the configuration was read or recalled", values=CONFIG_ORIGINS)]
    config_path: Annotated[str, Col("File of the configuration, or where it was recalled from")]


@record("_llm_name", title="Names of language models", group="llm", key=("llm_model_id",))
class LlmName(Sourced):
    """One row per model: its display name, and the configuration that describes it."""

    llm_model_id: Annotated[str, Col("Name of the model in this dataset", check=MODEL_ID)]
    name: Annotated[str, Col("Display name")]
    family: Annotated[str, Col("Model family")]
    publisher: Annotated[str, Col("Organization that trained the model")]
    config_name: Annotated[str | None, Col("Configuration", references="_llm_config.config_name")]
    native_quantization: Annotated[str | None, Col("Type of the publisher's own weights, where the configuration is another's")]
    native_source: Annotated[str | None, Col("Who states that type, or that it was not found")]


@record("llm_model_alias", title="Names of language models in each source", group="llm", key=("alias_source_id", "alias"))
class LlmModelAlias(Sourced):
    """One row per name that a source uses for a model. Tuned and quantized editions of one network are one model."""

    llm_model_id: Annotated[str, Col("Model", references="llm_model.llm_model_id")]
    alias_source_id: Annotated[str, Col("Source that uses the name", references="source.source_id")]
    alias: Annotated[str, Col("Name or file of the model, as the source writes it")]


@record("_llm_run", title="Measured inference, as the sources state it", group="llm", key=("measurement_id",))
class LlmRun(Sourced):
    """One row per measured configuration of a source; llm_measurement adds the model, the flags and what they exclude."""

    measurement_id: Annotated[str, Col("SHA-256 of snapshot_id and locator", filled=True)] = ""
    model_raw: Annotated[str, Col("Model, as the source writes it")]
    raw_gpu_name: Annotated[str, Col("GPU, as the source writes it")]
    gpu_context: Annotated[str | None, Col("Origin of the GPU's name")] = None
    reported_memory_gb: Annotated[float | None, Col("Memory of one GPU as the driver reports it", "GB")] = None
    gpu_id: Annotated[str | None, Col("GPU that the name means", references="gpu.gpu_id", filled=True)] = None
    gpu_model_id: Annotated[str | None, Col("GPU model that the name means", references="gpu_model.gpu_model_id", filled=True)] = (
        None
    )
    candidates: Annotated[str | None, Col("GPUs that a model's name can mean", filled=True)] = None
    partition: Annotated[str | None, Col("Whether the name means a whole GPU", filled=True)] = None
    is_vgpu: Annotated[bool, Col("Whether the driver names a virtual GPU")] = False
    gpu_count: Annotated[int | None, Col("GPUs of the run", between=(1, 1000))]
    machine_gpu_count: Annotated[int | None, Col("GPUs of the machine", between=(1, 1000))] = None
    provider_id: Annotated[str | None, Col("Provider of the machine")] = None
    instance_type: Annotated[str | None, Col("The provider's name of the machine")] = None
    quantization: Annotated[str | None, Col("Stored type of the weights", values=QUANTIZATIONS)]
    kv_dtype: Annotated[str | None, Col("Type of the KV cache")] = None
    weight_bytes: Annotated[int | None, Col("Size of the weights, measured", "byte", above=0)] = None
    kv_bytes_per_token: Annotated[int | None, Col("KV cache of one token, measured", "byte", above=0)] = None
    engine: Annotated[str, Col("Inference engine")]
    engine_version: Annotated[str | None, Col("Version of the engine")] = None
    phase: Annotated[str, Col("Phase", values=PHASES)]
    load_pattern: Annotated[str | None, Col("Arrival of requests", values=LOAD_PATTERNS)] = None
    prompt_tokens: Annotated[int, Col("Prompt", "token", least=0)]
    output_tokens: Annotated[int, Col("Output", "token", least=0)]
    concurrency: Annotated[float | None, Col("Requests in progress", above=0)]
    batch_size: Annotated[int | None, Col("Sequences of a batch", above=0)] = None
    prompt_batch_tokens: Annotated[int | None, Col("Prompt tokens processed together", "token", above=0)] = None
    tensor_parallel: Annotated[int | None, Col("Tensor parallelism", between=(1, 1000))] = None
    pipeline_parallel: Annotated[int | None, Col("Pipeline parallelism", between=(1, 1000))] = None
    data_parallel: Annotated[int | None, Col("Data parallelism", between=(1, 1000))] = None
    expert_parallel: Annotated[int | None, Col("Expert parallelism", between=(1, 1000))] = None
    is_disaggregated: Annotated[bool, Col("Whether prefill and decode have GPUs of their own")] = False
    tokens_per_s: Annotated[float | None, Col("Throughput of the phase", "tokens/s", above=0)]
    throughput_basis: Annotated[
        str | None,
        Col("Origin of the throughput", values=THROUGHPUT_BASES, check="(throughput_basis IS NULL) = (tokens_per_s IS NULL)"),
    ]
    total_tokens_per_s: Annotated[float | None, Col("Prompt and output tokens", "tokens/s", above=0)] = None
    requests_per_s: Annotated[float | None, Col("Requests", "1/s", above=0)] = None
    n_requests: Annotated[float | None, Col("Requests completed, computed from their rate", least=0)] = None
    ttft_ms: Annotated[float | None, Col("Time to first token", "ms", above=0)] = None
    tpot_ms: Annotated[float | None, Col("Time per output token", "ms", above=0)] = None
    statistic: Annotated[str, Col("Statistic", values=("mean", "single"))]
    n_samples: Annotated[int | None, Col("Repetitions", above=0)] = None
    stddev_tokens_per_s: Annotated[float | None, Col("Their standard deviation", "tokens/s", least=0)] = None
    power_w: Annotated[float | None, Col("Mean power", "W", above=0)] = None
    measured_on: Annotated[dt.date | None, Col("Day of the run")] = None
    run_key: Annotated[str | None, Col("Name of the run in its source; rows of one name are repeats")] = None
    is_repeat: Annotated[bool, Col("Whether the source marks the row as a repeat")] = False
    mark: Annotated[str | None, Col("Reason to exclude the row that its own fields state", values=("partial_offload", "few_requests"))] = (
        None
    )
    cited_from: Annotated[str, Col("Place of the figure in the source")]
