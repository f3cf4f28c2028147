"""Scripts that benchmark one model, JSON: `model`, the runs or their latencies, and mean_tok_s or images_per_s.

Only these two layouts are accepted; a document with other keys is refused. The file names no GPU: its path may, and the user
can. `peak_vram_gb` does not define its gigabyte and is flagged. The prompt is not stored.
"""

from collections.abc import Iterator
from typing import Any

from benchmarks.formats.core import ParsedRun, json_number, measure, plain, settings
from pipeline.readers import RefusedError
from pipeline.schema.benchmarks import BenchmarkRun, Measurement

PARSER_VERSION = 1

_TEXT_KEYS = {"model", "engine", "runs", "mean_tok_s"}
_IMAGE_KEYS = {"model", "images_per_s", "mean_latency_s", "width", "height", "steps"}
_FIGURES = {  # key: metric, unit, statistic, item
    "mean_tok_s": ("generation_throughput", "tokens/s", "mean", "tokens"),
    "median_tok_s": ("generation_throughput", "tokens/s", "median", "tokens"),
    "images_per_s": ("inference_throughput", "images/s", "mean", "images"),
    "mean_latency_s": ("inference_time", "s", "mean", None),
    "median_latency_s": ("inference_time", "s", "median", None),
    "p95_latency_s": ("inference_time", "s", "p95", None),
    "load_s": ("load_overhead", "s", "single", None),
    "peak_vram_gb": ("peak_memory", "GB", "single", None),
}
_WORKLOAD = ("base", "engine", "attn", "weight", "packing", "width", "height", "steps")


def is_document(document: Any) -> bool:
    return isinstance(document, dict) and (set(document) >= _TEXT_KEYS or set(document) >= _IMAGE_KEYS)


def parse_document(document: Any) -> Iterator[ParsedRun]:
    """Yield the run; one with a figure of another name or in another place is truncated: damage may have put it there."""
    runs = document.get("runs") or document.get("latencies_s")
    if not isinstance(runs, list) or not runs:
        raise RefusedError("SCHEMA", "a home-made benchmark has a list of `runs` or of `latencies_s`")
    workload = settings(
        model=plain(document["model"]), **{key: plain(document.get(key)) for key in _WORKLOAD}, new_tokens=_new_tokens(runs)
    )
    figures = [_figure(key, document[key], len(runs), workload) for key in _FIGURES if document.get(key) is not None]
    unread = [key for key, value in document.items() if isinstance(value, float) and key not in _FIGURES]
    unread += [key for run in runs if isinstance(run, dict) for key in run if key in _FIGURES]
    run = BenchmarkRun(layout_version="json", status="truncated" if unread else "ok")
    yield ParsedRun(run=run, measurements=figures)


def _figure(key: str, value: Any, n_runs: int, workload: str | None) -> Measurement:
    metric, unit, statistic, item = _FIGURES[key]
    return measure(
        metric, json_number(value, key), unit, test=key, statistic=statistic, item=item, workload=workload,
        n_samples=n_runs if statistic in ("mean", "median", "p95") else None,
        flags="unit_assumed" if metric == "peak_memory" else None,
    )  # fmt: skip


def _new_tokens(runs: list[Any]) -> str | None:
    """Tokens generated per run, if all runs generated the same number."""
    counts = {plain(run.get("new_tokens")) if isinstance(run, dict) else None for run in runs}
    return counts.pop() if len(counts) == 1 else None
