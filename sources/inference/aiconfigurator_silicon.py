"""Serving latency that NVIDIA's aiconfigurator compares its predictions with; most of it is measured by InferenceX."""

from collections.abc import Iterator

from pipeline.schema.llm import LlmRun
from sources import Accepted, Document, Source
from sources.document import Line

SOURCE = Source(
    source_id="aiconfigurator-silicon",
    title="NVIDIA aiconfigurator: measured serving latency",
    kind="inference",
    yields=(LlmRun,),
    attribution="NVIDIA aiconfigurator, Apache-2.0; measurements by InferenceX (SemiAnalysis) where the origin says so",
    url="https://github.com/ai-dynamo/aiconfigurator",
    licence="Apache-2.0",
    republish=True,
    stale_after_days=None,
)
COLUMNS = (
    "id", "gpu_from_system", "model_id", "backend", "backend_version", "precision", "mode", "isl_tokens", "osl_tokens",
    "concurrency", "batch_size_per_worker", "tp", "pp", "attention_dp", "moe_ep", "gpus_total", "ttft_ms", "tpot_ms", "measured",
    "origin", "duplicate_of",
)  # fmt: skip
ENGINES = {"trtllm": "TensorRT-LLM", "sglang": "SGLang", "vllm": "vLLM"}


def parse(document: Document) -> Iterator[Accepted]:
    """Yield one run per configuration and number of concurrent requests."""
    for line in document.selected(COLUMNS):
        yield Accepted(line.locator, _run(line))


def _run(line: Line) -> LlmRun:
    tokens_per_s = _tokens_per_s(line)
    return LlmRun(
        raw_gpu_name=line.text("gpu_from_system"),
        gpu_count=line.integer_or_none("gpus_total"),
        model_raw=line.text("model_id"),
        quantization=line.text_or_none("precision"),
        engine=ENGINES[line.text("backend")],
        engine_version=line.text_or_none("backend_version"),
        phase="serving",
        load_pattern="concurrent",
        prompt_tokens=line.integer("isl_tokens"),
        output_tokens=line.integer("osl_tokens"),
        concurrency=line.number_or_none("concurrency"),
        batch_size=line.integer_or_none("batch_size_per_worker"),
        tensor_parallel=line.integer_or_none("tp"),
        pipeline_parallel=line.integer_or_none("pp"),
        data_parallel=line.integer_or_none("attention_dp") or None,  # 0 = not used
        expert_parallel=line.integer_or_none("moe_ep") or None,
        is_disaggregated=line.text("mode") == "disagg",
        tokens_per_s=tokens_per_s,
        throughput_basis="latency" if tokens_per_s else None,
        ttft_ms=line.number("ttft_ms"),
        tpot_ms=line.number("tpot_ms"),
        statistic="mean",
        measured_on=line.day("measured") if line.fields["measured"] else None,
        run_key=line.text_or_none("duplicate_of") or line.text("id"),
        is_repeat=bool(line.fields["duplicate_of"]),
        cited_from=f"{line.text('id')}; {line.text('origin')}",
    )


def _tokens_per_s(line: Line) -> float | None:
    """Output tokens per second of the server, by Little's law: requests in progress over the mean time of one."""
    concurrency, output = line.number_or_none("concurrency"), line.integer("osl_tokens")
    if concurrency is None:
        return None
    request_ms = line.number("ttft_ms") + (output - 1) * line.number("tpot_ms")
    return 1000 * concurrency * output / request_ms
