"""nccl-tests: bus bandwidth, algorithm bandwidth and time of collectives; text of all versions and the JSON of -J.

Source of the layout: nccl-tests, src/common.cu and src/util.cu. One collective is one run. GB/s is 10^9 bytes/s; a time is the
mean of the iterations. "Avg bus bandwidth" is the mean over all sizes and both placements, so it does not compare between runs
of different sizes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.formats import nccl_text
from benchmarks.formats.core import DTYPES, Block, Line, ParsedRun, flags_of, integer, measure, moment, number, settings
from benchmarks.formats.nccl_text import Row, Section
from pipeline.readers import RefusedError, json_positions
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

ROW = nccl_text.ROW
PARSER_VERSION = 2
MARK = re.compile(
    r"# nccl-tests version \d|# nThread +\d+ nGpus +\d|# +size +count +type +redop|file,test,N,G,nodes,minBytes,maxBytes,"
    r"|# +Rank +\d+ +(?:Group +\d+ +)?Pid +\d+ on "
)

_SUMMARY = re.compile(r"file,test,N,G,nodes,")
_RANK = re.compile(r"# +Rank +(\d{1,6}) +(?:Group +\d+ +)?Pid +\d+ on +(\S+) +device +\d+ +\[[^\]]*\] +(.+)$")
_RANK_BEGINS = re.compile(r"# +Rank +\d")
_VERSION = re.compile(r"# nccl-tests version (\S+) nccl-headers=\d+ nccl-library=(\d+)")
_HEADING = re.compile(r"# Collective test (?:starting|concluded): (\w+)")
_COMMAND = re.compile(r"(?:^|[\s/])(\w+_perf)\s+-")
_FAILED = re.compile(r"Test (?:NCCL|CUDA) failure|: Test timeout|: Test failure")
_SETTINGS = {
    "min_bytes": re.compile(r"minBytes +(\d+)"),
    "max_bytes": re.compile(r"maxBytes +(\d+)"),
    "step": re.compile(r"step: +(\d+)\(factor\)"),
    "step_bytes": re.compile(r"step: +(\d+)\(bytes\)"),
    "warmup_iters": re.compile(r"warmup iters: +(\d+)"),
    "iters": re.compile(r" iters: +(\d+)(?: agg| validation|$)"),
    "agg_iters": re.compile(r"agg iters: +(\d+)"),
    "validation": re.compile(r"validation: +(\d+)"),
    "graph": re.compile(r"graph: +(\d+)"),
}
UNITS = {"time": "us", "algbw": "GB/s", "busbw": "GB/s"}  # of JSON, and of text whose line of units was lost
ALL_REDUCE_ALONE = 1.02  # only of an all_reduce does bus bandwidth exceed algorithm bandwidth (2(n-1)/n; others at most 1)


@dataclass(frozen=True, slots=True)
class _RunSettings:
    """Values shared by all rows of a run."""

    test: str
    test_settings: dict[str, int]
    n_gpus: int | None
    n_nodes: int | None
    flags: str | None
    units: dict[str, str]


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per collective. Raises RefusedError SCHEMA for a table that a script composed of several logs."""
    first = next(line for line in block.lines if MARK.search(line.text))
    if _SUMMARY.match(first.text):
        raise first.refuse("SCHEMA", "a summary made of nccl-tests logs: dtype, placement and GPUs are lost; upload the logs")
    runs = (_text_run(section) for section in nccl_text.sections(block))
    yield from (run for run in runs if run.devices or run.measurements)


def _text_run(section: Section) -> ParsedRun:
    text = "\n".join(section.texts)
    ranks = _matches(section, _RANK)
    devices, n_gpus, n_nodes = _ranks((integer(match[1]), match[2], match[3]) for match in ranks)
    if len(_matches(section, _RANK_BEGINS)) > len(ranks):
        section.cut, n_gpus, n_nodes = True, None, None
    version = _VERSION.search(text)
    wrong = section.out_of_bounds or 0
    common = _RunSettings(
        test=_collective(text, section.rows),
        test_settings={name: integer(match[1]) for name, form in _SETTINGS.items() if (match := form.search(text))},
        n_gpus=n_gpus,
        n_nodes=n_nodes,
        flags=_flags(section, unlocated=wrong > 0 and not section.counts_wrong),
        units=section.units or UNITS,
    )
    run = BenchmarkRun(
        tool_version=version[1] if version else None,
        layout_version=section.layout,
        status=_status(section, wrong),
        framework=f"NCCL {_nccl_version(integer(version[2]))}" if version else None,
        args=settings(**common.test_settings),
    )
    return ParsedRun(run=run, devices=devices, measurements=_measurements(section.rows, section.average, common))


def _matches(section: Section, form: re.Pattern[str]) -> list[re.Match[str]]:
    return [match for text in section.texts if (match := form.match(text))]


def _ranks(lines: Iterator[tuple[int, str, str]]) -> tuple[list[BenchmarkDevice], int | None, int | None]:
    """Devices by rank, number of ranks, and number of hosts if every rank is listed. Ranks count from 0."""
    ranks = {rank: (host, name) for rank, host, name in lines}
    if not ranks:
        return [], None, None
    devices = [BenchmarkDevice(ordinal=rank, name_raw=name.strip()) for rank, (_, name) in sorted(ranks.items())]
    n_gpus = max(ranks) + 1
    return devices, n_gpus, len({host for host, _ in ranks.values()}) if len(ranks) == n_gpus else None


def _collective(text: str, rows: list[Row]) -> str:
    """Name of the test as the output or the command states it. Of the figures only those of an all_reduce identify it."""
    if heading := _HEADING.search(text):
        return heading[1]
    if commands := _COMMAND.findall(text):
        return str(commands[-1])
    largest = max(rows, key=lambda row: row.size, default=None)
    if largest and any(number(half.busbw) > ALL_REDUCE_ALONE * number(half.algbw) > 0 for _, half in largest.halves):
        return "all_reduce_perf"
    return "unknown_perf"


def _flags(section: Section, unlocated: bool) -> str | None:
    amd = any("rccl-tests" in text for text in section.texts)
    return flags_of(incorrect_result=unlocated, edited=section.half, non_cuda=amd, unit_assumed=not section.units)


def _status(section: Section, wrong: int) -> str:
    if any(_FAILED.search(text) for text in section.texts):
        return "failed"
    if not section.is_complete:
        return "truncated"
    return "invalid" if wrong else "ok"


def _nccl_version(printed: int) -> str:
    """Format NCCL's own integer: 22807 as 2.28.7; below 2.9 it was 2708. Source: nccl.h, NCCL_VERSION."""
    size = 10000 if printed >= 10000 else 1000
    return f"{printed // size}.{printed % size // 100}.{printed % 100}"


def _measurements(rows: list[Row], average: tuple[str, Line | None] | None, common: _RunSettings) -> list[Measurement]:
    measurements = [measurement for row in rows for measurement in _of_row(row, common)]
    if average is not None:
        bytes_moved = [row.size for row in rows]
        sizes = settings(min_bytes=min(bytes_moved, default=None), max_bytes=max(bytes_moved, default=None))
        measurements.append(
            measure(
                "collective_bus_bandwidth", average[0], common.units["busbw"], line=average[1], test=common.test,
                statistic="avg_all_sizes", workload=sizes, n_gpus=common.n_gpus, n_nodes=common.n_nodes, flags=common.flags,
            )
        )  # fmt: skip
    return measurements


def _of_row(row: Row, common: _RunSettings) -> Iterator[Measurement]:
    """Yield bus bandwidth, algorithm bandwidth and time of both placements; a size of zero moves nothing."""
    for placement, half in row.halves:
        workload = settings(placement=placement, type=None if row.type in DTYPES else row.type, redop=row.redop, root=row.root)
        wrong = half.wrong not in (None, "N/A") and number(half.wrong or "0", row.line) > 0
        fields = {
            "test": common.test, "statistic": "mean", "n_samples": common.test_settings.get("iters") or None,
            "size_bytes": row.size,
            "dtype": DTYPES.get(row.type), "n_gpus": common.n_gpus, "n_nodes": common.n_nodes, "workload": workload,
            "flags": ",".join(filter(None, ["incorrect_result" if wrong else None, common.flags])) or None,
        }  # fmt: skip
        rates = [("collective_bus_bandwidth", half.busbw, "busbw"), ("collective_algorithm_bandwidth", half.algbw, "algbw")]
        for metric, raw, column in rates if row.size else []:
            yield measure(metric, raw, common.units[column], line=row.line, **fields)
        yield measure("collective_time", half.time, common.units["time"], line=row.line, **fields)


def is_document(document: Any) -> bool:
    return isinstance(document, dict) and {"nccl_version", "config", "results"} <= document.keys()


def parse_document(document: Any) -> Iterator[ParsedRun]:
    """Yield the run of a -J file, without `env` and host names. Raises RefusedError PARSE for another structure."""
    try:
        yield _json_run(document)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise RefusedError("PARSE", f"not the JSON that nccl-tests -J writes ({error!r:.80}); upload it unchanged") from None


def _json_run(document: dict[str, Any]) -> ParsedRun:
    config = document["config"]
    entries = document.get("devices") or config.get("devices") or []
    devices, n_gpus, n_nodes = _ranks((integer(str(d["rank"])), str(d["hostname"]), str(d["device_info"])) for d in entries)
    rows = [_json_row(result) for result in document["results"]]
    bounds, average = document.get("out_of_bounds") or {}, document.get("average_bus_bandwidth") or {}
    names = [str(word).rsplit("/", 1)[-1] for word in (document.get("args") or [])[:1]]
    common = _RunSettings(
        _collective(f"{names[0]} -" if names else "", rows), _json_settings(config), n_gpus, n_nodes, None, UNITS
    )
    is_complete = "bandwidth" in average
    run = BenchmarkRun(
        layout_version="json",
        started_at=moment(document.get("start_time")),
        status=("invalid" if bounds.get("count") else "ok") if is_complete else "truncated",
        framework=f"NCCL {_nccl_version(integer(str(document['nccl_version'])))}",
        args=settings(**common.test_settings),
    )
    printed = (json_positions.printed(average["bandwidth"]), None) if is_complete else None
    measurements = _measurements(rows, printed, common)
    return ParsedRun(run=run, devices=devices, measurements=measurements)


def _json_settings(config: dict[str, Any]) -> dict[str, int]:
    names = {
        "minimum_bytes": "min_bytes", "maximum_bytes": "max_bytes", "step_factor": "step", "step_bytes": "step_bytes",
        "warmup_iters": "warmup_iters", "iterations": "iters", "aggregated_iterations": "agg_iters",
        "validation": "validation", "graph": "graph",
    }  # fmt: skip
    return {ours: integer(str(config[theirs])) for theirs, ours in names.items() if config.get(theirs) is not None}


def _json_row(result: dict[str, Any]) -> Row:
    redop, root = str(result.get("redop", "")).strip(), str(result.get("root", "")).strip()
    halves: list[tuple[str | None, nccl_text.Half]] = [
        (placement, _json_half(result[placement])) for placement in nccl_text.PLACEMENTS if result.get(placement)
    ]
    line = Line(json_positions.line_of_value(result["size"]) or 1, "")
    return Row(line, integer(str(result["size"])), str(result["type"]), nccl_text.redop(redop), nccl_text.root(root), halves)


def _json_half(half: dict[str, Any]) -> nccl_text.Half:
    time = half["time"] if "time" in half else half["cpu_time"]
    wrong = half.get("nwrong")
    return nccl_text.Half(
        json_positions.printed(time),
        json_positions.printed(half["alg_bw"]),
        json_positions.printed(half["bus_bw"]),
        None if wrong is None else json_positions.printed(wrong),
    )
