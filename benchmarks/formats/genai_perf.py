"""GenAI-Perf's profile export, JSON: an object per metric with its unit and statistics.

It names no GPU. Quartiles, which the tables do not have, and token counts, which belong to the workload, give no rows. The
server's address, paths and inputs in `input_config` are not stored. Source of the keys: GenAI-Perf, its
profile_export_genai_perf.json.
"""

from collections.abc import Iterator
from typing import Any

from benchmarks.formats.core import ParsedRun, json_number, measure, plain, settings
from pipeline.readers import RefusedError
from pipeline.schema.benchmarks import BenchmarkRun, Measurement

PARSER_VERSION = 1

_METRICS = {
    "request_throughput": "serving_request_throughput",
    "output_token_throughput": "generation_throughput",
    "output_token_throughput_per_request": "generation_throughput",
    "request_latency": "end_to_end_latency",
    "time_to_first_token": "time_to_first_token",
    "inter_token_latency": "inter_token_latency",
}
_LATENCY_STATISTICS = {"avg": "mean", "p50": "median", "p90": "p90", "p95": "p95", "p99": "p99", "min": "best", "max": "worst"}
_RATE_STATISTICS = _LATENCY_STATISTICS | {"min": "worst", "max": "best"}
_UNREAD = {  # token counts, and metrics that the tables do not have
    "input_sequence_length", "output_sequence_length", "output_token_throughput_per_user", "time_to_second_token",
    "request_count", "request_goodput",
}  # fmt: skip
_WORKLOAD = ("backend", "endpoint_type", "streaming", "concurrency", "request_rate", "num_prompts")


def is_document(document: Any) -> bool:
    return isinstance(document, dict) and "input_config" in document and isinstance(document.get("request_throughput"), dict)


def parse_document(document: Any) -> Iterator[ParsedRun]:
    workload = _workload(document)
    figures = [m for test in _METRICS if test in document for m in _figures(test, document[test], workload)]
    status = "ok" if _is_whole(document) else "truncated"
    yield ParsedRun(run=BenchmarkRun(layout_version="json", status=status), measurements=figures)


def _is_whole(document: dict[str, Any]) -> bool:
    """Return whether every metric is known and has all statistics; the rates of the whole server have an average alone."""
    metrics = {key: value for key, value in document.items() if isinstance(value, dict) and "unit" in value}
    is_nested = any(isinstance(item, dict) for value in metrics.values() for item in value.values())
    whole = all(set(value) >= set(_LATENCY_STATISTICS) or set(value) == {"unit", "avg"} for value in metrics.values())
    return whole and not is_nested and "request_latency" in metrics and set(metrics) <= set(_METRICS) | _UNREAD


def _figures(test: str, stated: Any, workload: str | None) -> Iterator[Measurement]:
    if not isinstance(stated, dict) or not isinstance(stated.get("unit"), str):
        raise RefusedError("PARSE", f"{test} is not an object with a unit")
    names = _RATE_STATISTICS if "throughput" in test else _LATENCY_STATISTICS
    for key, statistic in names.items():
        if stated.get(key) is not None:
            stddev = stated.get("std") if key == "avg" else None
            common: dict[str, Any] = {"test": test, "statistic": statistic, "stddev": stddev, "workload": workload}
            yield measure(_METRICS[test], json_number(stated[key], test), stated["unit"], **common)


def _workload(document: dict[str, Any]) -> str | None:
    config = document["input_config"] if isinstance(document["input_config"], dict) else {}
    models = config.get("model") or config.get("model_names")
    model = models[0] if isinstance(models, list) and len(models) == 1 else models
    workload = {key: plain(config.get(key)) for key in _WORKLOAD}
    return settings(
        model=plain(model), **workload, input_tokens=_mean(document, "input"), output_tokens=_mean(document, "output")
    )


def _mean(document: dict[str, Any], side: str) -> str | None:
    stated = document.get(f"{side}_sequence_length")
    return f"{json_number(stated['avg'], side):.4g}" if isinstance(stated, dict) and "avg" in stated else None
