"""Configurations of language models: every row accounted for, one id per network, recalled figures marked."""

from pipeline.fetch.snapshots import stored_files
from pipeline.paths import DATA
from pipeline.schema.llm import LlmConfig, LlmModelAlias, LlmName
from sources import Accepted
from sources.inference import llm_model_configs


def rows(kind):
    items = [item for file in stored_files(llm_model_configs.SOURCE, DATA) for item in llm_model_configs.parse(file.document())]
    return [item.row for item in items if isinstance(item, Accepted) and isinstance(item.row, kind)]


def test_every_configuration_is_read_and_recalled_ones_are_marked() -> None:
    configs = {row.config_name: row for row in rows(LlmConfig)}
    assert len(configs) == 134
    assert sum(row.config_source == "recalled" for row in configs.values()) == 4
    assert configs["meta-llama/Meta-Llama-3.1-8B"].config_source == "fetched"
    assert configs["Qwen/Qwen2-72B"].config_source == "recalled"


def test_stated_kv_cache_follows_from_the_geometry() -> None:
    derived = ("full", "sliding", "mla", "compressed")
    stated = [row for row in rows(LlmConfig) if row.kv_bytes_per_token_16bit and row.attention in derived]
    assert len(stated) > 70
    for row in stated:
        heads = row.kv_lora_rank + row.qk_rope_head_dim if row.kv_lora_rank else 2 * row.n_kv_heads * row.head_dim
        full = 2 * row.n_global_kv_heads * row.global_head_dim if row.n_global_kv_heads else heads
        values = row.n_full_attention_layers * full * (row.kv_share or 1) + (row.n_sliding_layers or 0) * heads
        assert row.kv_bytes_per_token_16bit == round(2 * values), row.config_name


def test_models_with_layers_without_attention_have_a_state() -> None:
    configs = rows(LlmConfig)
    assert {row.config_name for row in configs if row.state_bytes_per_sequence} == {
        row.config_name for row in configs if row.attention == "hybrid"
    }
    states = {row.config_name: row.state_bytes_per_sequence for row in configs}
    nano = 23 * (64 * 64 * 128 * 4 + (64 * 64 + 2 * 8 * 128) * 3 * 2)  # 23 layers of Mamba 2 with 64 heads and 8 groups
    assert states["nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"] == nano


def test_llama_4_has_a_shared_expert() -> None:
    """Its configuration does not say so, but the network has one beside the one that the router chooses."""
    found = {row.config_name: row.n_shared_experts for row in rows(LlmConfig) if "Llama-4" in row.config_name}
    assert len(found) == 2
    assert set(found.values()) == {1}


def test_what_no_configuration_states_is_empty() -> None:
    configs = {row.config_name: row for row in rows(LlmConfig)}
    unknown = configs["moonshotai/Kimi-K3"]
    assert (unknown.n_parameters, unknown.parameters_source, unknown.attention) == (None, None, "other")
    assert configs["deepseek-ai/DeepSeek-R1"].head_dim is None


def test_each_model_has_one_id_and_every_configuration_names_a_model() -> None:
    names = {row.llm_model_id: row for row in rows(LlmName)}
    aliases = {(row.alias_source_id, row.alias): row.llm_model_id for row in rows(LlmModelAlias)}
    configs = {row.config_name for row in rows(LlmConfig)}
    assert set(aliases.values()) <= names.keys()
    assert {alias for source_id, alias in aliases if source_id == "llm-model-configs"} == configs
    one = {aliases["llm-model-configs", f"meta-llama/{name}"] for name in ("Meta-Llama-3.1-8B", "Llama-3.1-8B-Instruct")}
    assert one == {"llama-3.1-8b"}


def test_editions_of_one_network_have_its_size() -> None:
    sizes = {row.config_name: row.n_parameters for row in rows(LlmConfig)}
    for alias in (row for row in rows(LlmModelAlias) if row.alias_source_id == "llm-model-configs"):
        config = next(row.config_name for row in rows(LlmName) if row.llm_model_id == alias.llm_model_id)
        assert sizes[alias.alias] == sizes[config]


def test_a_published_type_is_the_publishers_own() -> None:
    """A configuration of another publisher's edition says nothing about it: its model names who states the type."""
    own = {
        "baidu": "Baidu", "deepseek-ai": "DeepSeek", "google": "Google", "HuggingFaceTB": "Hugging Face", "meta-llama": "Meta",
        "microsoft": "Microsoft", "MiniMaxAI": "MiniMax", "mistralai": "Mistral AI", "moonshotai": "Moonshot AI",
        "nvidia": "NVIDIA", "openai": "OpenAI", "Qwen": "Alibaba Qwen", "stepfun-ai": "StepFun", "XiaomiMiMo": "Xiaomi",
        "zai-org": "Z.ai",
    }  # fmt: skip
    described = [row for row in rows(LlmName) if row.config_name]
    repacked = {row.llm_model_id for row in described if own.get(row.config_name.split("/")[0]) != row.publisher}
    assert {"deepseek-v3.1", "gemma-4-31b", "kimi-k2.6", "llama-7b"} <= repacked
    assert {row.llm_model_id for row in described if row.native_source} == repacked
    assert all(row.native_source for row in rows(LlmName) if row.native_quantization)


def test_types_of_configurations_have_their_ids() -> None:
    types = {row.config_name: row.native_quantization for row in rows(LlmConfig)}
    expected = {
        "moonshotai/Kimi-K2.5": "int4", "moonshotai/Kimi-K3": "mxfp4", "nvidia/GLM-5-NVFP4": "fp4", "nvidia/GLM-5.1-NVFP4": "fp4",
        "nvidia/Llama-3.1-70B-Instruct-FP8": "fp8", "nvidia/Qwen3.6-27B-NVFP4": None, "Qwen/Qwen3-8B": "bf16",
        "meta-llama/Llama-2-7b-hf": "fp16", "openai/gpt-oss-20b": "mxfp4",
    }  # fmt: skip
    assert {name: types[name] for name in expected} == expected
