"""Serving benchmark of vLLM (`vllm bench serve --save-result`) and of InferenceX, which has the same keys in seconds.

It is recognized by its keys, never by a file's name. It names no GPU. Figures are of the whole server; `date` is the time of
writing, so a run began up to its duration earlier. Percentiles that the tables do not have are left out, and so is the
input rate, which is total less output. Source of the keys: vLLM, vllm/benchmarks/serve.py.
"""

import re
from collections.abc import Iterator
from typing import Any

from benchmarks.formats.core import ParsedRun, integer, json_number, measure, moment, number, plain, records, settings
from pipeline.schema.benchmarks import BenchmarkRun, Measurement

PARSER_VERSION = 1

_KEYS = {"num_prompts", "completed", "duration", "request_throughput", "output_throughput", "model_id"}
_RATES = {
    "request_throughput": ("serving_request_throughput", "requests/s"),
    "output_throughput": ("generation_throughput", "tokens/s"),
    "total_token_throughput": ("serving_total_throughput", "tokens/s"),
}
LATENCIES = {
    "ttft": "time_to_first_token", "tpot": "time_per_output_token", "itl": "inter_token_latency", "e2el": "end_to_end_latency",
}  # fmt: skip
_LATENCY = re.compile(r"(mean|median|p90|p95|p99)_(ttft|tpot|itl|e2el)(_ms)?")
_WORKLOAD = ("backend", "endpoint_type", "request_rate", "max_concurrency", "num_prompts")


def is_document(document: Any) -> bool:
    """Return whether this is one result, or a list of several saved to one file."""
    results = records(document)
    return bool(results) and all(isinstance(result, dict) and set(result) >= _KEYS for result in results)


def parse_document(document: Any) -> Iterator[ParsedRun]:
    return map(_run, records(document))


def _run(result: dict[str, Any]) -> ParsedRun:
    completed, requested = (integer(str(result[key])) for key in ("completed", "num_prompts"))
    status = "ok" if completed >= requested and not result.get("failed") else "failed"
    common = {"status": status, "workload": _workload(result, completed), "n_gpus": _n_gpus(result)}
    run = BenchmarkRun(
        layout_version="milliseconds" if any(key.endswith("_ms") for key in result) else "seconds",
        started_at=moment(result.get("date"), "%Y%m%d-%H%M%S") or moment(result.get("date"), "%Y-%m-%dT%H:%M:%SZ"),  # since 2026
        status=status,
        args=settings(duration_s=result["duration"], completed=completed, failed=result.get("failed")),
    )
    return ParsedRun(run=run, measurements=[*_rates(result, common), *_latencies(result, completed, common)])


def _rates(result: dict[str, Any], common: dict[str, Any]) -> Iterator[Measurement]:
    for key, (metric, unit) in _RATES.items():
        if _is_measured(key, result.get(key)):
            yield measure(metric, result[key], unit, test=key, statistic="single", n_samples=1, **common)


def _latencies(result: dict[str, Any], completed: int, common: dict[str, Any]) -> Iterator[Measurement]:
    for key, value in result.items():
        match = _LATENCY.fullmatch(key)
        if not match or not _is_measured(key, value):
            continue
        statistic, latency, in_ms = match.groups()
        yield measure(
            LATENCIES[latency], value, "ms" if in_ms else "s", test=latency, statistic=statistic,
            n_samples=completed if latency in ("ttft", "e2el") else None,
            stddev=result.get(key.replace("mean_", "std_")) if statistic == "mean" else None, **common,
        )  # fmt: skip


def _is_measured(key: str, value: Any) -> bool:
    """Return whether a value is measured: vLLM writes null or 0 otherwise. Raises RefusedError for anything but a number."""
    if value is None:
        return False
    return json_number(value, key) != 0


def _workload(result: dict[str, Any], completed: int) -> str | None:
    workload = {key: plain(result.get(key)) for key in _WORKLOAD}
    for key, total in (("input_tokens", "total_input_tokens"), ("output_tokens", "total_output_tokens")):
        if result.get(total) and completed:
            workload[key] = f"{number(str(result[total])) / completed:.4g}"
    return settings(model=plain(result["model_id"]), tensor_parallel_size=plain(result.get("tensor_parallel_size")), **workload)


def _n_gpus(result: dict[str, Any]) -> int | None:
    """Number of GPUs of the server, if the caller added both sizes to the result with --metadata."""
    sizes = [result.get(f"{kind}_parallel_size") for kind in ("tensor", "pipeline")]
    return integer(str(sizes[0])) * integer(str(sizes[1])) if all(sizes) else None
