"""MLPerf Training result logs: `:::MLLOG {json}` anywhere on a line, mixed with the job's own output.

The figure is the time from run_start to run_stop, for runs with status success only. One file is one run; the published score
averages several. GPUs are read from the `:::SYSJSON` line or the platform's label, nowhere else.
Source of the events: MLCommons, mlperf_logging.
"""

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from benchmarks.formats import mlperf_system
from benchmarks.formats.core import Block, Line, ParsedRun, alike, measure, plain, settings
from benchmarks.formats.pasted import json_or_cut
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

PARSER_VERSION = 2
MARKS_EVERY_LINE = True
MARK = re.compile(r"""(?<!['"]):::(?:MLLOG|SYSJSON) \{""")  # in quotes it is a command that the shell echoes

LONGEST_LABEL = 80
_PLATFORM = re.compile(  # 1xXE9680Lx8B200-SXM-180GB, 1xSR780aV3-8xB200_SXM_180GB, 1xXE9785L_8xMI355X
    r"(\d{1,4})x\w+?(?:x(\d{1,2})(?=[A-Z]\w*-)|[-_](\d{1,2})x)([A-Z][\w-]*)"
)
_GPU_ALONE = re.compile(
    r"(?:(\d{1,4})x)?(NVIDIA [A-Z]+\d{2,3}|MI\d{3}[A-Z]?)"
)  # 18xNVIDIA GB200: nodes, without their number of GPUs
_LATEST_MS = 4e12  # year 2096
_WORKLOAD = ("submission_division", "global_batch_size", "target_accuracy")


@dataclass(slots=True)
class _Trial:
    """State of a log: the last value of each key, and start and end of the run in milliseconds since 1970."""

    fields: dict[str, Any] = field(default_factory=dict)
    system: dict[str, Any] | None = None
    start_ms: int | None = None
    stop_ms: int | None = None
    stop_line: Line | None = None
    ended_as: str | None = None

    def add_event(self, event: dict[str, Any], line: Line) -> None:
        key = event.get("key")
        if key == "run_start" and self.start_ms is None:
            self.start_ms = _time_ms(event, line)
        if key == "run_stop":
            self.stop_ms, self.stop_line = _time_ms(event, line), line
            metadata = event.get("metadata")
            self.ended_as = str(metadata.get("status")) if isinstance(metadata, dict) else None
        if isinstance(key, str):
            self.fields[key] = event.get("value")

    def begin_next(self) -> None:
        """Start the next run of the file, which has the same settings and system."""
        self.start_ms = self.stop_ms = self.ended_as = None

    @property
    def status(self) -> str:
        if self.start_ms is None or self.stop_ms is None:
            return "truncated"
        return "ok" if self.ended_as == "success" else "failed"


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per run_stop, and one for a log that breaks off. Raises RefusedError PARSE for an event that is not JSON."""
    trial, has_run = _Trial(), False
    for line, kind, document in _events(block):
        if kind == "SYSJSON":
            trial.system = document if mlperf_system.is_document(document) else None
            continue
        trial.add_event(document, line)
        if trial.stop_ms is not None:
            if trial.start_ms is not None or not has_run:
                has_run = True
                yield _run(trial)
            trial.begin_next()
    if trial.start_ms is not None or not has_run:
        yield _run(trial)


def _events(block: Block) -> Iterator[tuple[Line, str, dict[str, Any]]]:
    for line in block.lines:
        mark = MARK.search(line.text)
        if mark is None:
            continue
        document = json_or_cut(line.text[mark.end() - 1 :], line, block)
        if isinstance(document, dict):
            yield line, mark[0].strip(": {"), document


def _time_ms(event: dict[str, Any], line: Line) -> int:
    time_ms = event.get("time_ms")
    if isinstance(time_ms, bool) or not isinstance(time_ms, int) or not 0 < time_ms < _LATEST_MS:
        raise line.refuse("PARSE", "the event has no time_ms in milliseconds since 1970")
    return time_ms


def _run(trial: _Trial) -> ParsedRun:
    devices, n_nodes, is_counted = _machine(trial)
    started = dt.datetime.fromtimestamp(trial.start_ms / 1000, dt.UTC).replace(tzinfo=None) if trial.start_ms else None
    run = BenchmarkRun(
        layout_version="mllog",
        started_at=started,
        status=trial.status,
        args=settings(platform=plain(trial.fields.get("submission_platform")), org=plain(trial.fields.get("submission_org"))),
        **(mlperf_system.software(trial.system) if trial.system else {}),
    )
    n_gpus = len(devices) * n_nodes if devices and n_nodes and is_counted else None
    counts = {"n_gpus": n_gpus, "n_nodes": n_nodes, "flags": None if is_counted else "gpu_count_unknown"}
    return ParsedRun(run=run, devices=devices, measurements=_time_to_train(trial, counts))


def _machine(trial: _Trial) -> tuple[list[BenchmarkDevice], int | None, bool]:
    """The GPUs of one node, the number of nodes, and whether the number of GPUs is stated where they are named."""
    if trial.system:
        return mlperf_system.devices(trial.system), mlperf_system.nodes(trial.system), True
    printed = str(trial.fields.get("submission_platform"))[:LONGEST_LABEL]
    if label := _PLATFORM.fullmatch(printed):
        return alike(label[4], int(label[2] or label[3])), int(label[1]), True
    if label := _GPU_ALONE.fullmatch(printed):
        return alike(label[2], 1), int(label[1]) if label[1] else None, False
    return [], None, True


def _time_to_train(trial: _Trial, common: dict[str, Any]) -> list[Measurement]:
    if trial.status != "ok" or trial.start_ms is None or trial.stop_ms is None:
        return []
    benchmark = plain(trial.fields.get("submission_benchmark"))
    workload = settings(benchmark=benchmark, **{key: plain(trial.fields.get(key)) for key in _WORKLOAD})
    return [
        measure(
            "training_time", str(trial.stop_ms - trial.start_ms), "ms", line=trial.stop_line,
            test=benchmark or "time to train", statistic="single", n_samples=1, workload=workload, **common,
        )
    ]  # fmt: skip
