"""OpenCL-Benchmark of ProjectPhysX: one box per device with arithmetic outside the tensor cores, memory and PCIe rates.

Source of the layout: OpenCL-Benchmark, src/main.cpp, and OpenCL-Wrapper. Memory is in 2^20 bytes and labelled MB. The
bidirectional rate is the bytes of both directions over the whole time.
"""

import re
from collections.abc import Iterator
from typing import Any

from benchmarks.formats.core import Block, Line, ParsedRun, measure, settings
from benchmarks.formats.pasted import cut_or_refuse
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

PARSER_VERSION = 1
MARK = re.compile(r"^[ \t>]*\| Device ID +\| \d+ +\|", re.MULTILINE)

_COMPUTE = re.compile(r"(FP64|FP32|FP16|INT64|INT32|INT16|INT8) +[Cc]ompute\b(?: +\([^)]*\))? +(\S+) +(TFLOPs/s|TIOPs/s)\b")
_BANDWIDTH = re.compile(r"(Memory|PCIe) +Bandwidth \( *(\w+) *(\w*) *\) +(?:\(Gen\d x\d+\) +)?(\S+) GB/s$")
_IS_FIGURE = re.compile(r"(?:(?:FP|INT)\d+ +[Cc]ompute\b|(?:Memory|PCIe) +Bandwidth\b)")
ROW = re.compile(rf"[ \t>]*\|[ \t]*{_IS_FIGURE.pattern}(?!.*not supported)")
_FIELD = re.compile(r"([A-Z][A-Za-z, ]+?) +\| (.*?) *$")
_UNITS = re.compile(r"(\d+) at (\d+) MHz")
_MEMORY = re.compile(r"(\d+) MB\b")
_DIRECTIONS = {"send": "h2d", "receive": "d2h", "bidirectional": "bidir_sum"}


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per box; a box without its lower edge is cut."""
    return (_run(part, block) for part in block.split(MARK))


def _run(part: Block, block: Block) -> ParsedRun:
    fields = {match[1]: match[2] for line in part.lines if (match := _FIELD.match(_inside(line)))}
    nvidia = "nvidia" in fields.get("Device Vendor", "").lower()
    common = {"device_ordinal": 0, "n_gpus": 1, "statistic": "mean", "flags": None if nvidia else "non_cuda"}
    ended, figures = _figures(part, block, common)
    run = BenchmarkRun(
        layout_version="box",
        status="ok" if ended else "truncated",
        driver=fields.get("Device Driver", "").partition(" ")[0] or None,
        framework=fields.get("OpenCL Version"),
        args=settings(device_id=fields.get("Device ID")),
    )
    return ParsedRun(run=run, devices=_devices(fields, nvidia), measurements=figures)


def _inside(line: Line) -> str:
    """Text between the edges of the box; empty for a row without its right edge."""
    text = line.text.strip(" \t>")
    return text[1:-1].strip() if text.startswith("|") and text.endswith("|") and len(text) > 1 else ""


def _devices(fields: dict[str, str], nvidia: bool) -> list[BenchmarkDevice]:
    units = _UNITS.search(fields.get("Compute Units", ""))
    memory = _MEMORY.match(fields.get("Memory, Cache", ""))
    if not fields.get("Device Name"):
        return []
    return [
        BenchmarkDevice(
            ordinal=0,
            name_raw=fields["Device Name"],
            named_by="opencl",
            sm_count=int(units[1]) if units and nvidia else None,
            sm_clock_mhz=float(units[2]) or None if units else None,
            memory_total_mib=float(memory[1]) if memory else None,
        )
    ]


def _figures(part: Block, block: Block, common: dict[str, Any]) -> tuple[bool, list[Measurement]]:
    """The figures of the box, after a flag for completeness; an unsupported test has none."""
    figures: list[Measurement] = []
    for line in part.lines:
        text = line.text.strip(" \t>|")
        if _IS_FIGURE.match(text) and not text.endswith("not supported"):
            figure = _figure(_inside(line), line, common)
            if figure is None:
                cut_or_refuse(line, block, "a row of the box without its figure, unit or right edge")
                return False, figures
            figures.append(figure)
        elif figures and set(text) <= set("-'`") and len(text) > 3:
            return True, figures
    return False, figures


def _figure(text: str, line: Line, common: dict[str, Any]) -> Measurement | None:
    """The figure of a row, by the text inside the box; None if it has none."""
    if row := _COMPUTE.match(text):
        dtype = row[1].lower()
        metric = "vector_throughput" if dtype.startswith("fp") else "integer_throughput"
        facts = {"test": f"{dtype} compute", "dtype": dtype, "tensor_core": "no", "sparsity": "dense"}
        return measure(metric, row[2], row[3], line=line, **facts | common)
    if not (row := _BANDWIDTH.match(text)):
        return None
    if row[1] == "Memory":
        return measure("memory_bandwidth", row[4], "GB/s", line=line, test=f"{row[2]} {row[3]}", engine="sm", **common)
    return measure("copy_bandwidth", row[4], "GB/s", line=line, test=row[2], direction=_DIRECTIONS.get(row[2]), **common)
