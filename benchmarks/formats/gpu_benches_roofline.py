"""gpu-roofline of te42kyfo's gpu-benches: arithmetic and bandwidth over arithmetic intensity, with clock, power and temperature.

Source of the layout: gpu-benches, gpu-roofline/main.cu. One line per card and intensity; the cards run at the same time. No
card is named. The kernel does (1 + n) operations per byte of an operand, which tells the width of the operand: 4 or 8 bytes.
"""

import re
from collections.abc import Iterator
from typing import Any

from benchmarks.formats.core import Block, Line, ParsedRun, integer, measure, number, settings
from benchmarks.formats.pasted import cut_or_refuse
from pipeline.schema.benchmarks import BenchmarkRun, Measurement

TOOL = "gpu_benches_roofline"
PARSER_VERSION = 1
MARK = re.compile(r"^\d+ +\d+ blocks +\d+ its +[\d.]+ Fl/B ", re.MULTILINE)

_ROW = re.compile(r"(\d+) +\d+ blocks +(\d+) its +(\S+) Fl/B +(\S+) GB/s +(\S+) GF/s +(\S+) Mhz +(\S+) W +(\S+?) ?°C$")
_DTYPES = {4: "fp32", 8: "fp64"}


def parse(block: Block) -> Iterator[ParsedRun]:
    """All lines together are one run."""
    lines = [line for line in block.lines if MARK.match(line.text)]
    rows = [(line, found) for line in lines if (found := _row(line, block))]
    run = BenchmarkRun(tool=TOOL, layout_version="text", status="ok" if len(rows) == len(lines) else "truncated")
    yield ParsedRun(run=run, measurements=[figure for line, found in rows for figure in _figures(line, found)])


def _row(line: Line, block: Block) -> re.Match[str] | None:
    """None where the paste was cut inside the row. Raises RefusedError PARSE."""
    match = _ROW.match(line.text.strip())
    if match is None:
        cut_or_refuse(line, block, "a row of gpu-roofline has intensity, GB/s, GF/s, Mhz, W and °C")
    return match


def _figures(line: Line, match: re.Match[str]) -> Iterator[Measurement]:
    card, iterations, intensity, bandwidth, rate, clock, watts, temperature = match.groups()
    width = (1 + integer(iterations, line)) / number(intensity, line) if number(intensity, line) else 0
    dtype = _DTYPES.get(round(width))
    workload = settings(operations_per_byte=intensity, iterations=iterations)
    common: dict[str, Any] = {
        "line": line,
        "test": "roofline",
        "device_ordinal": integer(card, line),
        "n_gpus": 1,
        "dtype": dtype,
        "workload": workload,
    }
    yield measure("vector_throughput", rate, "GF/s", statistic="mean", tensor_core="no", sparsity="dense", **common)
    yield measure("memory_bandwidth", bandwidth, "GB/s", statistic="mean", engine="sm", **common)
    yield measure("sm_clock", clock, "Mhz", statistic="median", **common)
    yield measure("power", watts, "W", statistic="worst", **common)
    yield measure("temperature", temperature, "°C", statistic="last", **common)
