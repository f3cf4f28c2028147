"""Serving benchmark of vLLM (`vllm bench serve --save-result`) and of InferenceX, which keeps its keys in seconds.

It is told by its keys, never by a file's name. It names no card. Figures are of the whole server; `date` is written when the
file is, so a run began up to its duration earlier. Percentiles that the tables have no word for are left out, and so is the
input rate, which is total less output. Source of the keys: vLLM, vllm/benchmarks/serve.py.
"""

import datetime as dt
import re
from collections.abc import Iterator
from typing import Any

from benchmarks.formats.core import ParsedRun, integer, measure, number, settings
from benchmarks.formats.plain_fields import plain
from pipeline.readers import RefusedError
from pipeline.schema.benchmarks import BenchmarkRun, Measurement

TOOL = "vllm_bench"
PARSER_VERSION = 1

_KEYS = {"num_prompts", "completed", "duration", "request_throughput", "output_throughput", "model_id"}
_RATES = {
    "request_throughput": ("serving_request_throughput", "requests/s"),
    "output_throughput": ("generation_throughput", "tokens/s"),
    "total_token_throughput": ("serving_total_throughput", "tokens/s"),
}
_LATENCIES = {
    "ttft": "time_to_first_token", "tpot": "time_per_output_token", "itl": "inter_token_latency", "e2el": "end_to_end_latency",
}  # fmt: skip
_LATENCY = re.compile(r"(mean|median|p90|p95|p99)_(ttft|tpot|itl|e2el)(_ms)?")
_WORKLOAD = ("backend", "endpoint_type", "request_rate", "max_concurrency", "num_prompts")


def is_document(document: Any) -> bool:
    """One result, or the list that several saved to one file make."""
    results = document if isinstance(document, list) else [document]
    return bool(results) and all(isinstance(result, dict) and set(result) >= _KEYS for result in results)


def parse_document(document: Any) -> Iterator[ParsedRun]:
    for result in document if isinstance(document, list) else [document]:
        yield _run(result)


def _run(result: dict[str, Any]) -> ParsedRun:
    completed, asked = (integer(str(result[key])) for key in ("completed", "num_prompts"))
    status = "ok" if completed >= asked and not result.get("failed") else "failed"
    about = {"status": status, "workload": _workload(result, completed), "n_gpus": _n_gpus(result)}
    run = BenchmarkRun(
        tool=TOOL,
        layout_version="milliseconds" if any(key.endswith("_ms") for key in result) else "seconds",
        started_at=_date(result.get("date")),
        status=status,
        args=settings(duration_s=result["duration"], completed=completed, failed=result.get("failed")),
    )
    return ParsedRun(run=run, measurements=[*_rates(result, about), *_latencies(result, completed, about)])


def _rates(result: dict[str, Any], common: dict[str, Any]) -> Iterator[Measurement]:
    for key, (metric, unit) in _RATES.items():
        if _is_measured(result.get(key)):
            yield measure(metric, result[key], unit, test=key, statistic="single", n_samples=1, **common)


def _latencies(result: dict[str, Any], completed: int, common: dict[str, Any]) -> Iterator[Measurement]:
    for key, value in result.items():
        match = _LATENCY.fullmatch(key)
        if not match or not _is_measured(value):
            continue
        statistic, what, in_ms = match.groups()
        yield measure(
            _LATENCIES[what], value, "ms" if in_ms else "s", test=what, statistic=statistic,
            n_samples=completed if what in ("ttft", "e2el") else None,
            stddev=result.get(key.replace("mean_", "std_")) if statistic == "mean" else None, **common,
        )  # fmt: skip


def _is_measured(value: Any) -> bool:
    """vLLM writes null or 0 where it measured nothing. Raises RefusedError for what is no number."""
    if value is None:
        return False
    if isinstance(value, bool | str | dict | list):
        raise RefusedError("PARSE", f"{str(value)[:40]!r} is not a number")
    return number(repr(value)) != 0


def _workload(result: dict[str, Any], completed: int) -> str | None:
    named = {key: plain(result.get(key)) for key in _WORKLOAD}
    for key, total in (("input_tokens", "total_input_tokens"), ("output_tokens", "total_output_tokens")):
        if result.get(total) and completed:
            named[key] = f"{number(str(result[total])) / completed:.4g}"
    return settings(model=plain(result["model_id"]), tensor_parallel_size=plain(result.get("tensor_parallel_size")), **named)


def _n_gpus(result: dict[str, Any]) -> int | None:
    """Cards of the server, only where the caller put both sizes into the result with --metadata."""
    sizes = [result.get(f"{kind}_parallel_size") for kind in ("tensor", "pipeline")]
    return integer(str(sizes[0])) * integer(str(sizes[1])) if all(sizes) else None


def _date(text: Any) -> dt.datetime | None:
    """20260213-141321 (local time, before 2026) or 2026-07-22T13:35:44Z."""
    for form in ("%Y%m%d-%H%M%S", "%Y-%m-%dT%H:%M:%SZ"):
        try:
            return dt.datetime.strptime(str(text), form)
        except ValueError:
            continue
    return None
