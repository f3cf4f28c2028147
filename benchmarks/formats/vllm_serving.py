"""Serving benchmark of vLLM as Spare Cores runs it: GuideLLM's load against a vLLM server, one figure per JSON line.

A line names the GPU, the machine's number of GPUs and the parallelism of the server. Lines of older versions state the tensor
parallelism alone: unless it spans the machine, data parallelism may use more GPUs, and the count is unknown. `gpu_count` 0 is a
server on the processor. A load of which no request ended in time has 0 for all its figures: they are no result.
Source of the keys: github.com/SpareCores/sc-images, images/benchmark-vllm.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from benchmarks.formats.core import ParsedRun, alike, flags_of, integer, json_number, measure, number, plain, records, settings
from benchmarks.formats.vllm_bench import LATENCIES
from pipeline.readers import RefusedError
from pipeline.schema.benchmarks import BenchmarkRun, Measurement

PARSER_VERSION = 2

_KEYS = {"benchmark", "model_id", "workload", "strategy", "measurement", "score", "unit", "gpu_count", "tensor_parallel"}
_METRICS = LATENCIES | {
    "output_throughput": "generation_throughput",
    "total_throughput": "serving_total_throughput",
    "request_throughput": "serving_request_throughput",
}
_STATISTICS = {"p50": "median", "p90": "p90", "p95": "p95", "p99": "p99", "mean": "mean", None: "single"}
_ITEMS = {"generation_throughput": "tokens", "serving_total_throughput": "tokens", "serving_request_throughput": "requests"}
_WORKLOAD = ("prompt_tokens", "output_tokens", "max_model_len", "strategy", "target_rate")
_MACHINE = ("vllm_version", "guidellm_version", "mode", "arch", "gpu_model", "gpu_count")
_PARALLEL = ("tensor_parallel", "pipeline_parallel", "data_parallel")


def is_document(document: Any) -> bool:
    """Return whether this is one line, or the list of a file's lines."""
    rows = records(document)
    return bool(rows) and isinstance(rows[0], dict) and rows[0].keys() >= _KEYS and rows[0]["benchmark"] == "vllm_serving"


def parse_document(document: Any) -> Iterator[ParsedRun]:
    """Yield one run per machine and version. Raises RefusedError PARSE or RANGE."""
    rows = records(document)
    if not all(isinstance(row, dict) and row.keys() >= _KEYS for row in rows):
        raise RefusedError("PARSE", "a line without the keys of the vLLM serving benchmark; upload the whole file")
    for _, group in groupby(rows, key=lambda row: [str(row.get(name)) for name in _MACHINE]):
        yield _run(list(group))


def _run(rows: list[dict[str, Any]]) -> ParsedRun:
    first = rows[0]
    devices = alike(_name(first), _integer(first, "gpu_count"))
    run = BenchmarkRun(
        tool_version=plain(first.get("vllm_version")),
        layout_version="json lines",
        framework=f"vLLM {first['vllm_version']}" if plain(first.get("vllm_version")) else None,
        args=settings(**{name: plain(first.get(name)) for name in ("guidellm_version", "mode", "arch", "profile")}),
    )
    return ParsedRun(run=run, devices=devices, measurements=[_figure(row, len(devices)) for row in rows])


def _name(row: dict[str, Any]) -> str | None:
    name = row.get("gpu_model")
    if name is not None and not isinstance(name, str):
        raise RefusedError("PARSE", "gpu_model is not a text")
    return name or None


def _figure(row: dict[str, Any], machine_gpus: int) -> Measurement:
    kind, statistic = row["measurement"], row.get("percentile")
    if kind not in _METRICS or statistic not in _STATISTICS:
        raise RefusedError("PARSE", f"{str(kind)[:40]!a} {str(statistic)[:20]!a} is not a figure of the vLLM serving benchmark")
    score = json_number(row["score"], "score")
    n_gpus = _n_gpus(row, machine_gpus)
    is_empty = score == 0
    flags = flags_of(non_cuda=not machine_gpus, gpu_count_unknown=bool(machine_gpus) and n_gpus is None, no_result=is_empty)
    metric = _METRICS[kind]
    return measure(
        metric, score, str(row["unit"]), test=kind, statistic=_STATISTICS[statistic], item=_ITEMS.get(metric),
        n_gpus=n_gpus, workload=_workload(row), status="failed" if is_empty else "ok", flags=flags,
    )  # fmt: skip


def _n_gpus(row: dict[str, Any], machine_gpus: int) -> int | None:
    """GPUs of the server: the product of all three kinds of parallelism, or all of the machine; None if neither is stated."""
    sizes = [_integer(row, name) for name in _PARALLEL if row.get(name) is not None]
    if machine_gpus <= 1 or machine_gpus in sizes:
        return machine_gpus or None
    return sizes[0] * sizes[1] * sizes[2] or None if len(sizes) == len(_PARALLEL) else None


def _integer(row: dict[str, Any], name: str) -> int:
    return integer(str(row.get(name) or 0))


def _workload(row: dict[str, Any]) -> str | None:
    concurrency = f"{number(str(row['concurrency'])):.4g}" if row.get("concurrency") is not None else None
    tuning = row.get("tuning")
    return settings(
        model=plain(row["model_id"]), task=plain(row["workload"]), **{name: plain(row.get(name)) for name in _WORKLOAD},
        concurrency=concurrency, dtype=plain(tuning.get("dtype")) if isinstance(tuning, dict) else None,
        **{name: plain(row.get(name)) for name in _PARALLEL},
    )  # fmt: skip
