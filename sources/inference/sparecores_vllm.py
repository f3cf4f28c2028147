"""Spare Cores' runs of vLLM on cloud machines with GPUs: three workloads, from one request at a time to as many as allowed."""

import math
from collections.abc import Iterator

from pipeline.schema.llm import LlmRun
from sources import Accepted, Document, Line, Rejected, Source
from sources.inference.spare_cores import ATTRIBUTION, describe_machine

SOURCE = Source(
    source_id="sparecores-vllm",
    title="Spare Cores: vLLM on cloud machines",
    kind="inference",
    yields=(LlmRun,),
    attribution=ATTRIBUTION,
    url="https://github.com/SpareCores/sc-inspector-data",
    licence="CC BY-SA 4.0",
    republish=True,
)
COLUMNS = (
    "vendor", "server", "gpu_raw", "gpu_count_machine", "vgpu", "model_id", "prompt_tokens", "output_tokens", "dtype",
    "quantisation", "tensor_parallel", "pipeline_parallel", "data_parallel", "strategy", "concurrency_mean",
    "output_tokens_per_s", "total_tokens_per_s", "requests_per_s", "completed_requests_estimate", "status", "ttft_mean_ms",
    "tpot_mean_ms", "model_weight_gib", "kv_bytes_per_token_per_tp_rank", "vllm_version", "run_start", "smi_gpus",
    "smi_memory_mib", "path", "commit",
)  # fmt: skip
MARKS = {"ok": None, "under 10 requests": "few_requests"}
DTYPES = {"bfloat16": "bf16", "float16": "fp16"}
QUANTIZATIONS = {"bnb-4bit": "bnb_4bit"}
_BYTES_PER_GIB = 2**30


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one run per load level; one that completed no request is rejected."""
    for line in document.selected(COLUMNS):
        if line.text("status") == "no request completed":
            yield line.reject("NO_RESULT", "no request was completed while the test lasted")
        else:
            yield Accepted(line.locator, _run(line))


def _run(line: Line) -> LlmRun:
    dtype, quantization = line.one_of("dtype", DTYPES), line.text("quantisation")
    weights, rank_bytes = line.number_or_none("model_weight_gib"), line.integer_or_none("kv_bytes_per_token_per_tp_rank")
    return line.record(
        LlmRun,
        **describe_machine(line),
        gpu_count=_gpu_count(line),
        model_raw=line.text("model_id"),
        quantization=QUANTIZATIONS.get(quantization, dtype),
        kv_dtype=dtype,
        weight_bytes=round(weights * _BYTES_PER_GIB) if weights else None,
        kv_bytes_per_token=rank_bytes * line.integer("tensor_parallel") if rank_bytes else None,
        engine="vLLM",
        engine_version=line.text("vllm_version"),
        phase="serving",
        load_pattern=line.text("strategy"),
        concurrency=line.number("concurrency_mean"),
        tokens_per_s=line.number("output_tokens_per_s"),
        throughput_basis="measured",
        n_requests=line.number("completed_requests_estimate"),
        ttft_ms=line.number("ttft_mean_ms"),
        tpot_ms=line.number("tpot_mean_ms"),
        statistic="mean",
        measured_on=line.day_of("run_start"),
        mark=line.one_of("status", MARKS),
    )


def _gpu_count(line: Line) -> int | None:
    """GPUs of the server: those of the machine if tensor parallelism spans it, else the product of all three; None if unknown."""
    sizes = [line.integer_or_none(f"{kind}_parallel") for kind in ("tensor", "pipeline", "data")]
    if line.integer("gpu_count_machine") in (1, sizes[0]):
        return line.integer("gpu_count_machine")
    stated = [size for size in sizes if size is not None]
    return math.prod(stated) if len(stated) == len(sizes) else None
