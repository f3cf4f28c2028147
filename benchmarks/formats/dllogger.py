"""NVIDIA's DLLogger, of the DeepLearningExamples: `DLLL {json}` lines and the console's `DLL date - step name : value`.

Figures are read from the summary only (an empty step), by the names that those examples use. Intermediate steps, and paths in
the parameters, are skipped. It names no GPU. Source of the layout: dllogger, logger.py.
"""

import datetime as dt
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks.formats.core import Block, Line, ParsedRun, integer, measure, moment, settings
from benchmarks.formats.pasted import json_or_cut
from pipeline.readers.json_positions import with_positions
from pipeline.schema.benchmarks import BenchmarkRun, Measurement

PARSER_VERSION = 2
MARKS_EVERY_LINE = True
MARK = re.compile(r"DLLL \{|DLL \d{4}-\d\d-\d\d \d\d:\d\d:\d\d")

_CONSOLE = re.compile(r"DLL (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?:\.\d+)? - (.*)$")
_NEXT = re.compile(r"(?=DLL \d{4}-\d\d-\d\d \d\d:\d\d:\d\d)")
_SUMMARY = re.compile(r"(?:Summary:|\(\))? ")
_FPS = re.compile(r"(Training performance) = (\S+) (FPS)\s*$")  # of SSD: the sum over all GPUs
_FIGURES = {  # name: metric, unit where none is printed
    "training_sequences_per_second": ("training_throughput", "sequences/s"),
    "inference_sequences_per_second": ("inference_throughput", "sequences/s"),
    "train.total_ips": ("training_throughput", "images/s"),
    "val.total_ips": ("inference_throughput", "images/s"),
    "train_throughput": ("training_throughput", None),
    "best_train_throughput": ("training_throughput", None),
    "mean_train_throughput": ("training_throughput", None),
    "throughput_train": ("training_throughput", None),
    "train_items_per_sec": ("training_throughput", None),
    "avg_img/sec": ("training_throughput", "images/s"),
    "Training performance": ("training_throughput", None),
    "e2e_train_time": ("training_time", "s"),
    "raw_train_time": ("training_time", "s"),
    "time_to_train": ("training_time", "s"),
    "e2e_inference_time": ("inference_time", "s"),
    "final_loss": ("loss", "1"),
}
_OF_ONE_GPU = {"avg_img/sec"}  # printed by each process of SSD
_ITEMS = {"FPS": "images"}
_SPEED = ("training_throughput", "inference_throughput", "training_time", "inference_time")
_UNITS = {"img/s": "images/s", "imgs/s": "images/s", "seq/s": "sequences/s", "tok/s": "tokens/s"}
_SETTING = re.compile(
    r"\b(train_batch_size|batch_size|max_seq_length|max_steps|gradient_accumulation_steps|fp16|amp|world_size)"
    r"""["']?\s{0,2}[=:]\s{0,2}["']?(\w{1,20}(?:\.\d{1,9})?)"""
)
_GPU_COUNTS = re.compile(r"--(nnodes|nproc[_-]per[_-]node)[= ](\d{1,4})\b")


class _Entry(NamedTuple):
    """One logged line: its kind of step, its time, and name -> (figure, unit or None)."""

    line: Line
    kind: str  # summary, parameter, step, metadata
    time: dt.datetime | None
    pairs: dict[str, tuple[str, str | None]]
    text: str


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per summary; a log without one is truncated. Raises RefusedError PARSE for a line that is not JSON."""
    before = "\n".join(line.text for line in block.lines if "--nproc" in line.text)
    run: list[_Entry] = []
    for entry in _entries(block):
        if entry.kind == "parameter" and any(earlier.kind == "summary" for earlier in run):
            yield _run(run, before)
            run = []
        run.append(entry)
    yield _run(run, before)


def _entries(block: Block) -> Iterator[_Entry]:
    for line in block.lines:
        if "DLLL {" in line.text:
            yield from _json_entry(line, block)
        elif match := _FPS.match(line.text):
            yield _Entry(line, "summary", None, {match[1]: (match[2], match[3])}, match[0])
        else:
            yield from _console_entries(line, "" if line is block.lines[-1] else " ")


def _console_entries(line: Line, end: str) -> Iterator[_Entry]:
    """Yield the entries of a line; processes that print at once may join two in one line."""
    for text in _NEXT.split(line.text + end):
        if match := _CONSOLE.search(text):
            yield _Entry(line, _kind_of_text(match[2]), moment(match[1]), _pairs(match[2]), match[2])


def _kind_of_text(text: str) -> str:
    if text.startswith("PARAMETER"):
        return "parameter"
    return "summary" if _SUMMARY.match(text) else "step"


def _pairs(text: str) -> dict[str, tuple[str, str | None]]:
    """Figures by name, without those printed as None. Each ends in a space and its unit, which may be empty, else it is cut."""
    words = text.split(" ")
    colons = [n for n in range(1, len(words) - 2) if words[n] == ":"]
    units = {n: None if words[n + 3 : n + 4] == [":"] else words[n + 2] or None for n in colons}
    return {words[n - 1]: (words[n + 1], units[n]) for n in colons if words[n + 1] != "None"}


def _json_entry(line: Line, block: Block) -> Iterator[_Entry]:
    text = line.text[line.text.index("DLLL {") + 5 :]
    parsed = json_or_cut(text, line, block)
    if parsed is None:
        return
    document = with_positions(parsed, text)
    time = moment(str(document.get("datetime"))[:19])
    if document.get("type") == "METADATA" and isinstance(document.get("metadata"), dict):
        unit = document["metadata"].get("unit")
        yield _Entry(line, "metadata", time, {str(document.get("metric")): ("", unit if isinstance(unit, str) else None)}, text)
    elif isinstance(document.get("data"), dict):
        kind = {"PARAMETER": "parameter", "[]": "summary"}.get(str(document.get("step")), "step")
        data: dict[str, tuple[str, str | None]] = {
            name: (str(value), None) for name, value in document["data"].items() if value is not None
        }
        yield _Entry(line, kind, time, data, text)


def _run(entries: list[_Entry], commands: str) -> ParsedRun:
    fields = {name: value for entry in entries if entry.kind == "parameter" for name, value in _SETTING.findall(entry.text)}
    units = {name: unit for entry in entries if entry.kind == "metadata" for name, (_, unit) in entry.pairs.items()}
    common = _common_fields(fields, commands)
    figures = [m for entry in entries if entry.kind == "summary" for m in _figures(entry, units, common)]
    run = BenchmarkRun(
        layout_version="json" if entries and entries[0].text.startswith("{") else "console",
        started_at=entries[0].time if entries else None,
        status="ok" if any(figure.metric in _SPEED for figure in figures) else "truncated",
        args=settings(**fields),
    )
    return ParsedRun(run=run, measurements=figures)


def _common_fields(fields: dict[str, str], commands: str) -> dict[str, Any]:
    gpus = {name.replace("-", "_"): count for name, count in _GPU_COUNTS.findall(commands)}
    n_nodes = int(gpus.get("nnodes", 1)) or None
    per_node = int(gpus.get("nproc_per_node", 0)) or None
    world = fields.get("world_size", "")
    n_gpus = per_node * n_nodes if per_node and n_nodes else _count(world)
    dtype = "fp16" if fields.get("fp16") == "True" else "mixed" if fields.get("amp") == "True" else None
    batch = fields.get("train_batch_size", "")  # of BERT, per GPU
    return {
        "dtype": dtype,
        "batch_size": _count(batch) or None,
        "n_gpus": n_gpus or None,
        "workload": settings(max_seq_length=fields.get("max_seq_length"), batch_size=fields.get("batch_size")),
    }


def _count(text: str) -> int | None:
    return integer(text) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else None


def _figures(entry: _Entry, units: dict[str, str | None], common: dict[str, Any]) -> Iterator[Measurement]:
    for name, (value, printed_unit) in entry.pairs.items():
        if name not in _FIGURES:
            continue
        metric, default_unit = _FIGURES[name]
        unit = printed_unit or units.get(name) or default_unit
        unit = _UNITS.get(unit, unit) if unit else unit
        yield measure(
            metric, value, unit or "items/s", line=entry.line, test=name, statistic=_statistic(name),
            item=_ITEMS.get(unit or "") or (unit.partition("/")[0] if unit and "/" in unit else None),
            flags=None if unit else "unit_assumed", **common | ({"n_gpus": 1} if name in _OF_ONE_GPU else {}),
        )  # fmt: skip


def _statistic(name: str) -> str:
    if name.startswith(("best_", "mean_")):
        return name.partition("_")[0]
    return "mean" if name.startswith("avg_") else "single"
