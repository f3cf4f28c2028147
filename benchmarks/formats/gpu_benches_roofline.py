"""gpu-roofline of te42kyfo's gpu-benches: arithmetic and bandwidth over arithmetic intensity, with clock, power and temperature.

Source of the layout: gpu-benches, gpu-roofline/main.cu. One line per GPU and intensity; the GPUs run at the same time. No
GPU is named. The kernel does (1 + n) operations per byte of an operand, from which follows its width: 4 or 8 bytes.
"""

import re
from collections.abc import Iterator
from typing import Any

from benchmarks.formats.core import Block, Line, ParsedRun, integer, measure, number, settings
from benchmarks.formats.pasted import cut_or_refuse
from pipeline.schema.benchmarks import BenchmarkRun, Measurement

PARSER_VERSION = 2
MARKS_EVERY_LINE = True
MARK = re.compile(r"^\d+ +\d+ blocks +\d+ its +[\d.]+ Fl/B ", re.MULTILINE)

_ROW = re.compile(r"(\d+) +\d+ blocks +(\d+) its +(\S+) Fl/B +(\S+) GB/s +(\S+) GF/s +(\S+) Mhz +(\S+) W +(\S+?) ?°C$")
_DTYPES = {4: "fp32", 8: "fp64"}


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run of all lines. Raises RefusedError PARSE for a broken row that is not the end of the paste."""
    figures: list[Measurement] = []
    status = "ok"
    for line in (line for line in block.lines if " Fl/B " in line.text):
        if match := _ROW.match(line.text.strip()):
            figures += _figures(line, match)
        else:
            cut_or_refuse(line, block, "a row of gpu-roofline has intensity, GB/s, GF/s, Mhz, W and °C")
            status = "truncated"
    yield ParsedRun(run=BenchmarkRun(layout_version="text", status=status), measurements=figures)


def _figures(line: Line, match: re.Match[str]) -> Iterator[Measurement]:
    gpu, iterations, intensity, bandwidth, rate, clock, watts, temperature = match.groups()
    width = (1 + integer(iterations, line)) / number(intensity, line) if number(intensity, line) else 0
    dtype = _DTYPES.get(round(width))
    workload = settings(operations_per_byte=intensity, iterations=iterations)
    common: dict[str, Any] = {
        "line": line,
        "test": "roofline",
        "device_ordinal": integer(gpu, line),
        "n_gpus": 1,
        "dtype": dtype,
        "workload": workload,
    }
    yield measure("vector_throughput", rate, "GF/s", statistic="mean", tensor_core="no", sparsity="dense", **common)
    yield measure("memory_bandwidth", bandwidth, "GB/s", statistic="mean", engine="sm", **common)
    yield measure("sm_clock", clock, "Mhz", statistic="median", **common)
    yield measure("power", watts, "W", statistic="worst", **common)
    yield measure("temperature", temperature, "°C", statistic="last", **common)
