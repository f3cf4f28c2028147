"""Rows that the speed model reads from the database, in bytes, FLOP and seconds without prefixes.

A missing specification has a proxy, which no table receives. The clock follows from FP32 rate and cores, at 2 FLOP per core and
cycle. Siblings are GPUs with the same compute capability and number of SMs. The power limit is the median of the siblings'. The
tensor rate is FP32 times the siblings' ratio, or FP32 if there are none.
"""

from dataclasses import dataclass

import duckdb
import polars as pl

from pipeline.paths import METRICS
from pipeline.warehouse.frames import read_frame
from pipeline.warehouse.sql_models import tables_of

# A link over PCIe crosses the memory of the host: the rate of one direction of 16 lanes. Modules without a figure: 600 GB/s.
# A bridge links two GPUs, so that a larger group has PCIe between the pairs. That of four H200 NVL is not assumed.
# Arithmetic at full load meets the power limit: no faster per watt than the fastest published kernels, 740 TFLOPS in FP16 and
# 1,200 in FP8 on an H100 of 700 W (FlashAttention-3, arXiv 2407.08608), and 1,613 in BF16 on a B200 of 1,000 W (FlashAttention-4,
# assets/fa4_paper.pdf of Dao-AILab/flash-attention). GPUs before Hopper need more energy, but few have so little power.
# vLLM has newer attention kernels for Hopper and data-center Blackwell (get_flash_attn_version in its fa_utils.py), llama.cpp
# from Turing (turing_mma_available in its common.cuh).
GPUS = """
SELECT * EXCLUDE (limit_w, peak_16bit, powered_16bit) FROM (
    SELECT gpu_id, vendor, memory_bandwidth_gb_per_s * 1e9 AS bandwidth, sm_count::DOUBLE AS sm_count,
        coalesce(tdp_w, median(tdp_w) OVER sibling)::DOUBLE AS limit_w, limit_w AS tdp_w,
        limit_w * CASE WHEN architecture LIKE 'Blackwell%' THEN 1613e12 / 1000 ELSE 740e12 / 700 END AS powered_16bit,
        coalesce(boost_clock_mhz * 1e6, fp32_tflops * 1e12 / (2 * cuda_cores)) AS clock_hz,
        fp32_tflops * 1e12 AS fp32_flops,
        coalesce(fp16_tensor_tflops, bf16_tensor_tflops, fp32_tflops * median(fp16_tensor_tflops / fp32_tflops) OVER sibling,
            fp32_tflops) * 1e12 AS peak_16bit,
        least(peak_16bit, powered_16bit) AS tensor_16bit,
        CASE WHEN fp8_tensor_tflops IS NOT NULL
            THEN least(fp8_tensor_tflops * 1e12, powered_16bit * 1200 / 740) END AS tensor_8bit,
        coalesce(int8_tensor_tops * 1e12, int8_tops * 1e12, 2 * peak_16bit) AS int8_ops,
        form_factor LIKE '%PCIe%' OR vendor = 'NVIDIA' AND form_factor NOT LIKE 'SXM%' AND form_factor <> 'Superchip'
            AS is_on_pcie,
        CASE WHEN is_on_pcie THEN 2 * 2 ** coalesce(pcie_generation, 4) ELSE coalesce(nvlink_gb_per_s, 600) END * 1e9 AS link,
        CASE WHEN form_factor LIKE '%PCIe%' THEN nvlink_gb_per_s * 1e9 END AS bridge,
        coalesce(TRY_CAST(compute_capability AS DOUBLE) >= 8, true) AS has_graphs,
        coalesce(TRY_CAST(compute_capability AS DOUBLE) >= 6.1, true) AS has_dp4a,
        coalesce(split_part(compute_capability, '.', 1) NOT IN ('9', '10'), false) AS has_older_vllm_attention,
        coalesce(TRY_CAST(compute_capability AS DOUBLE) < 7.5, false) AS has_older_llama_cpp_attention,
        llm_runs('vLLM', vendor, architecture, segment, compute_capability, 'bf16') IS NOT FALSE AS runs_vllm,
        runs_packed_weights(vendor, compute_capability) AS runs_packed,
        is_alone_in_machine(form_factor, architecture) AS is_alone
    FROM gpu
    WINDOW sibling AS (PARTITION BY vendor, compute_capability, sm_count)
)
ORDER BY gpu_id
"""
# A head of multi-latent attention has 128 values and 64 for the position. With compression, a query meets fewer keys.
MODELS = """
SELECT llm_model_id, n_parameters::DOUBLE AS n_parameters,
    coalesce(n_active_parameters, n_parameters)::DOUBLE AS n_active_parameters, n_layers, hidden_size::DOUBLE AS hidden_size,
    n_heads, CASE WHEN kv_lora_rank IS NULL THEN n_kv_heads END AS n_kv_heads,
    n_heads * coalesce(head_dim, kv_share * (kv_lora_rank + qk_rope_head_dim), 192)::DOUBLE AS attention_width,
    coalesce(vocabulary_size, 0)::DOUBLE AS vocabulary_size, coalesce(n_active_experts / n_experts, 1.0)::DOUBLE AS expert_share,
    llm_kv_bytes_per_layer(n_kv_heads, head_dim, kv_lora_rank, qk_rope_head_dim, 2) AS layer_bytes,
    coalesce(n_sliding_layers * layer_bytes, 0)::DOUBLE AS sliding_kv_bytes,
    kv_bytes_per_token_16bit - sliding_kv_bytes AS kv_bytes, coalesce(sliding_window_tokens, 0)::DOUBLE AS window_tokens,
    coalesce(state_bytes_per_sequence, 0)::DOUBLE AS state_bytes
FROM llm_model
WHERE n_parameters IS NOT NULL AND n_layers IS NOT NULL AND n_heads IS NOT NULL AND kv_bytes_per_token_16bit IS NOT NULL
ORDER BY llm_model_id
"""
# Weights without a stated type count as 16 bits. InferenceX rows are compared with predictions, but nothing is fitted to them.
# `usable_bytes`: memory of a GPU for weights and cache, by the reserve of vLLM in the other programs too.
# Copies of the attention on several GPUs, each with a batch of its own, have no term.
RUNS = """
SELECT r.source_id, r.llm_model_id, gpu_id, phase, r.engine, coalesce(r.quantization, 'bf16') AS quantization,
    coalesce(weight_bytes, n_parameters * bytes_per_weight)::DOUBLE AS weight_bytes, prompt_tokens, output_tokens,
    coalesce(concurrency, batch_size, 1)::DOUBLE AS concurrency,
    coalesce(r.tensor_parallel, gpu_count)::BIGINT AS tensor_parallel,
    1e9 * (llm_visible_gb(g.driver_memory_gb, g.memory_gb) * usable_share
        - llm_reserve_gb(reserve_gb, gb_per_1000_hidden, m.hidden_size)) AS usable_bytes,
    coalesce(gpu_count, r.tensor_parallel)::BIGINT AS gpu_count, gpu_count IS NOT NULL AS is_count_known,
    tokens_per_s, concat_ws(' ', r.source_id, provider_id, instance_type) AS machine,
    coalesce(cited_from LIKE '%InferenceX%', false) AS is_inferencex
FROM llm_measurement AS r
JOIN llm_model AS m ON m.llm_model_id = r.llm_model_id
JOIN gpu AS g USING (gpu_id)
JOIN llm_engine AS e ON e.engine = 'vLLM'
LEFT JOIN llm_quantization AS q ON q.quantization = coalesce(r.quantization, 'bf16')
WHERE in_aggregates AND NOT is_disaggregated AND coalesce(r.tensor_parallel, gpu_count) IS NOT NULL
    AND coalesce(data_parallel, 1) = 1 AND coalesce(batch_size = concurrency, true)
    AND NOT (r.engine = 'llama.cpp' AND phase = 'serving')
ORDER BY measurement_id
"""
USES = "SELECT use, prompt_tokens, output_tokens, concurrency, may_wait FROM llm_use ORDER BY use"
SPREADS = "SELECT phase, size_class, factor_90 FROM llm_repeat ORDER BY phase, size_class"
_FITTED = tables_of(RUNS, MODELS, GPUS)
# `memory` runs it. Only its file is read: every command loads this module, and an error in any metric would stop all of them
_FIT = (METRICS / "llm" / "llm_fit.sql").read_text(encoding="utf-8")
_ASKED = tables_of(RUNS, MODELS, GPUS, USES, SPREADS, _FIT)
READS = {"llm_prediction": _FITTED, "llm_speed": _ASKED, "llm_speed_part": _ASKED, "llm_speed_interval": _FITTED}


@dataclass(frozen=True, slots=True)
class Inputs:
    """Measured runs, models, GPUs, uses, and the factor between machines that measured the same."""

    runs: pl.DataFrame
    models: pl.DataFrame
    gpus: pl.DataFrame
    uses: pl.DataFrame
    spreads: pl.DataFrame


def read_inputs(con: duckdb.DuckDBPyConnection) -> Inputs:
    """Read the tables."""
    return Inputs(*(read_frame(con, sql) for sql in (RUNS, MODELS, GPUS, USES, SPREADS)))


def every_table(con: duckdb.DuckDBPyConnection) -> dict[str, pl.DataFrame]:
    """Compute the rows of all tables of the speed model, by table name; SciPy takes time to load."""
    from pipeline.llm import outputs  # noqa: PLC0415 - see above

    return outputs.every_table(con, read_inputs(con))
