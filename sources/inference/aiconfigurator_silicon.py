"""Serving latency that NVIDIA's aiconfigurator compares its predictions with; most of it is measured by InferenceX.

InferenceX's TP is the number of GPUs of a run on one node: the parallelism of experts (EP) and the copies of the attention use
the same GPUs (its utils/process_result.py divides by TP alone). The export of 2026-03-25 counts them so. That of 2026-04-06 and
the database dump of 2026-04-27 multiply TP by EP, or by the copies: 8 GPUs became 64. Both contain runs of the first export, with
the same latencies. InferenceX runs on several nodes only with prefill and decode apart, and so do runs of more GPUs than a node
has that an export calls aggregated.
"""

from dataclasses import dataclass, replace

from pipeline.schema.llm import LlmRun
from sources import Line, Source, lines_of

SOURCE = Source(
    source_id="aiconfigurator-silicon",
    title="NVIDIA aiconfigurator: measured serving latency",
    kind="inference",
    yields=(LlmRun,),
    attribution="NVIDIA aiconfigurator, Apache-2.0; measurements by InferenceX (SemiAnalysis) where the origin says so",
    url="https://github.com/ai-dynamo/aiconfigurator",
    licence="Apache-2.0",
    republish=True,
)
COLUMNS = (
    "id", "gpu_from_system", "model_id", "backend", "backend_version", "precision", "mode", "isl_tokens", "osl_tokens",
    "concurrency", "batch_size_per_worker", "tp", "pp", "attention_dp", "moe_tp", "moe_ep", "gpus_total", "ttft_ms", "tpot_ms",
    "measured", "origin", "duplicate_of",
)  # fmt: skip
NODE_GPUS = 8
ENGINES = {"trtllm": "TensorRT-LLM", "sglang": "SGLang", "vllm": "vLLM"}


def _run(line: Line) -> LlmRun:
    """Return the run of a configuration with a number of concurrent requests."""
    tokens_per_s = _tokens_per_s(line)
    parallel = _parallelism(line)
    return line.record(
        LlmRun,
        raw_gpu_name=line.text("gpu_from_system"),
        gpu_count=parallel.gpus,
        model_raw=line.text("model_id"),
        quantization=line.text_or_none("precision"),
        engine=line.one_of("backend", ENGINES),
        engine_version=line.text_or_none("backend_version"),
        phase="serving",
        load_pattern="concurrent",
        prompt_tokens=line.integer("isl_tokens"),
        output_tokens=line.integer("osl_tokens"),
        batch_size=parallel.batch,
        tensor_parallel=parallel.tensor,
        pipeline_parallel=parallel.pipeline,
        data_parallel=parallel.data,
        expert_parallel=parallel.experts,
        is_disaggregated=parallel.is_disaggregated,
        tokens_per_s=tokens_per_s,
        throughput_basis="latency" if tokens_per_s else None,
        statistic="mean",
        measured_on=line.day("measured") if line.fields["measured"] else None,
        run_key=line.text_or_none("duplicate_of") or line.text("id"),
        is_repeat=bool(line.fields["duplicate_of"]),
        cited_from=f"{line.text('id')}; {line.text('origin')}",
    )


@dataclass(frozen=True, slots=True)
class _Parallelism:
    """Parallelism of a run on its GPUs. A run without a number of GPUs states none that is known."""

    is_disaggregated: bool
    gpus: int | None = None
    batch: int | None = None
    tensor: int | None = None
    pipeline: int | None = None
    data: int | None = None
    experts: int | None = None


def _parallelism(line: Line) -> _Parallelism:
    """Return the parallelism, without the factor by which two exports of InferenceX multiply the GPUs."""
    found = _Parallelism(
        is_disaggregated=line.text("mode") == "disagg",
        gpus=line.integer_or_none("gpus_total"),
        batch=line.integer_or_none("batch_size_per_worker"),
        tensor=line.integer_or_none("tp"),
        pipeline=line.integer_or_none("pp"),
        data=line.integer_or_none("attention_dp") or None,  # 0 = not used
        experts=line.integer_or_none("moe_ep") or None,
    )
    if found.is_disaggregated or not line.text("origin").startswith("InferenceX"):
        return found
    corrected = _divided(found, line.integer("moe_tp"), line.integer("concurrency"))
    return corrected if (corrected.gpus or 0) <= NODE_GPUS else _Parallelism(is_disaggregated=True)


def _divided(found: _Parallelism, expert_shares: int, concurrency: int) -> _Parallelism:
    """Return the parallelism of as many GPUs as InferenceX's TP. Every GPU that shares the layers of experts is one of them."""
    gpus, tensor, data, experts = found.gpus or 1, found.tensor or 1, found.data or 1, found.experts or 1
    if expert_shares > 1 and experts > 1:
        if tensor > 1:
            return replace(found, gpus=gpus // experts, tensor=tensor // experts)
        copies = data // experts
        if not copies:  # the counts contradict each other
            return _Parallelism(is_disaggregated=False)
        return replace(found, gpus=gpus // experts, batch=concurrency // copies, data=copies)
    if tensor > 1 and data > 1:
        return replace(found, gpus=gpus // data, tensor=tensor // data, experts=experts // data)
    return found


def _tokens_per_s(line: Line) -> float | None:
    """Output tokens per second of the server, by Little's law: requests in progress over the mean time of one."""
    concurrency, output = line.number_or_none("concurrency"), line.integer("osl_tokens")
    if concurrency is None:
        return None
    request_ms = line.number("ttft_ms") + (output - 1) * line.number("tpot_ms")
    return 1000 * concurrency * output / request_ms


parse = lines_of(COLUMNS, _run, exactly=False)
