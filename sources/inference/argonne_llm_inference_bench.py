"""Argonne's LLM-Inference-Bench: offline runs of ten models on accelerators of five vendors, one batch at a time.

Its throughput counts prompt and output tokens; they are equally many in every run.
"""

import re
from collections.abc import Iterator
from typing import Any

from pipeline.schema.llm import LlmRun
from sources import Accepted, Document, Line, Source

SOURCE = Source(
    source_id="argonne-llm-inference-bench",
    title="Argonne National Laboratory: LLM-Inference-Bench",
    kind="inference",
    yields=(LlmRun,),
    attribution="LLM-Inference-Bench, Argonne National Laboratory (arXiv 2411.00136), BSD-3-Clause",
    url="https://github.com/argonne-lcf/LLM-Inference-Bench",
    licence="BSD-3-Clause",
    republish=True,
)
COLUMNS = (
    "hardware_raw", "devices", "framework", "model_id", "input_tokens", "output_tokens", "batch_size", "batch_size_meaning",
    "weight_and_kv_dtype", "parallelism", "latency_s", "throughput_total_tokens_per_s", "output_tokens_per_s",
    "avg_power_w_per_measured_device", "duplicate", "source_file", "commit",
)  # fmt: skip
SETTINGS = ("hardware_raw", "devices", "framework", "model_id", "input_tokens", "batch_size", "weight_and_kv_dtype")
_DTYPES = re.compile(r"Weight = (\w+), KV Cache = (\w+)")
_HYBRID = re.compile(r"Hyb(?:rid|ird) .*?(\d)\D+(\d)")


def parse(document: Document) -> Iterator[Accepted]:
    """Yield one run per accelerator, model, lengths and batch.

    The files of the figures print many runs of the main file again, with the kind of parallelism or the power: the same
    latency of the same settings is one run. A row that the source marks as a repetition repeats the first of its settings.
    """
    first_run: dict[str, str] = {}
    for line in document.selected(COLUMNS):
        settings = "|".join(line.fields[name] for name in (*SETTINGS, "parallelism"))
        run = "|".join(line.fields[name] for name in (*SETTINGS, "latency_s"))
        first = first_run.setdefault(settings, run)
        yield Accepted(line.locator, _run(line, first if line.fields["duplicate"] else run))


def _run(line: Line, run_key: str) -> LlmRun:
    weights, cache = _dtypes(line)
    return LlmRun(
        raw_gpu_name=line.text("hardware_raw"),
        gpu_count=line.integer("devices"),
        model_raw=line.text("model_id"),
        quantization=weights,
        kv_dtype=cache,
        engine=line.text("framework"),
        phase="serving",
        load_pattern="offline",
        prompt_tokens=line.integer("input_tokens"),
        output_tokens=line.integer("output_tokens"),
        **_batch(line),
        **_parallelism(line),
        tokens_per_s=line.number("output_tokens_per_s"),
        throughput_basis="measured",
        total_tokens_per_s=line.number("throughput_total_tokens_per_s"),
        statistic="single",
        power_w=line.number_or_none("avg_power_w_per_measured_device"),
        run_key=run_key,
        is_repeat=bool(line.fields["duplicate"]),
        cited_from=f"{line.text('source_file')} @{line.text('commit')}",
    )


def _dtypes(line: Line) -> tuple[str, str]:
    """Number formats of weights and KV cache: FP16 as the paper states, unless the row states others."""
    stated = line.text_or_none("weight_and_kv_dtype")
    match = _DTYPES.fullmatch(stated) if stated else None
    if stated and not match:
        raise line.fail("weight_and_kv_dtype", "`Weight = ..., KV Cache = ...`")
    return (match[1], match[2]) if match else ("fp16", "fp16")


def _batch(line: Line) -> dict[str, Any]:
    """Sequences of the batch. llama.cpp's figure is the tokens of a prompt processed together; its run has one sequence."""
    size = line.integer("batch_size")
    if line.text("batch_size_meaning") == "sequences":
        return {"batch_size": size, "concurrency": float(size)}
    return {"batch_size": 1, "concurrency": 1.0, "prompt_batch_tokens": size}


def _parallelism(line: Line) -> dict[str, Any]:
    """Degrees of parallelism where the row states its kind; one accelerator has none."""
    kind, devices = line.fields["parallelism"], line.integer("devices")
    if devices == 1:
        return {"tensor_parallel": 1, "pipeline_parallel": 1}
    if hybrid := _HYBRID.match(kind):
        second = "expert_parallel" if "EP" in kind else "pipeline_parallel"
        return {"tensor_parallel": int(hybrid[1]), second: int(hybrid[2])}
    field = {"T": "tensor_parallel", "P": "pipeline_parallel", "E": "expert_parallel"}.get(kind[:1])
    return {field: devices} if field else {}
