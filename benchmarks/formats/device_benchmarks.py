"""chsasank's device-benchmarks: rates of torch.matmul and of copies over growing sizes, one backend of torch at a time.

Source of the layout: device-benchmarks, benchmark.py: TFLOPS are 2 n^3 over the mean time, bandwidth is bytes read and written.
The column of rates is called flops or tops and has 10^12 per second. Only the backend identifies the device.
"""

import math
import re
from collections.abc import Iterator
from typing import Any

from benchmarks.formats.core import DTYPES, Block, Line, ParsedRun, flags_of, integer, measure, number, settings
from benchmarks.formats.pasted import cut_or_refuse
from pipeline.schema.benchmarks import BenchmarkRun, Measurement

PARSER_VERSION = 1
_HEAD = re.compile(
    r"^benchmarking (\w+(?::\d+)?)(?: using torch\.(\w+))?[ \t]*\n+size, elapsed_time, (?:flops|tops)[ \t]*$", re.MULTILINE
)
MARK = re.compile(rf"{_HEAD.pattern}|^size, elapsed_time, (?:flops|tops)[ \t]*$", re.MULTILINE)

ROW = re.compile(r"\d[\d.]*, \d[\d.e-]*, \d[\d.e-]*\s*$")
CLOSE = 1e-6  # a larger difference shows an edited rate
AS_PRINTED = 1e-14  # every digit is printed; a larger difference shows a cut one
_BEGIN = re.compile(r"^benchmarking \w+(?::\d+)?(?: using torch\.\w+)?\s*$")
_PRODUCTS = re.compile(r"size, elapsed_time, (?:flops|tops)\s*$")
_COPIES = re.compile(r"size \(GB\), elapsed_time, bandwidth(?: \(GB/s\))?\s*$")


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per start of the script."""
    return (_run(part, block) for part in block.split(_BEGIN) if _HEAD.search(part.text))


def _run(part: Block, block: Block) -> ParsedRun:
    start = _HEAD.search(part.text)
    backend, dtype_name = (start[1], start[2]) if start else ("", None)
    common = {"dtype": DTYPES.get(dtype_name or ""), "non_cuda": not backend.startswith("cuda")}
    whole, figures = _figures(part, block, common)
    run = BenchmarkRun(
        layout_version="text", status="ok" if whole else "truncated", args=settings(device=backend, dtype=dtype_name)
    )
    return ParsedRun(run=run, measurements=figures)


def _figures(part: Block, block: Block, common: dict[str, Any]) -> tuple[bool, list[Measurement]]:
    """The figures of both tables, after a flag for completeness."""
    figures: list[Measurement] = []
    table = None
    for line in part.lines:
        heading = next((pattern for pattern in (_PRODUCTS, _COPIES) if pattern.match(line.text)), None)
        if heading or not line.text[:1].isdigit():
            table = heading or (table if not line.text.strip() and table is _PRODUCTS else None)
        elif table:
            figure = _figure(line, block, common, products=table is _PRODUCTS)
            if figure is None:
                return False, figures
            figures.append(figure)
    return any(figure.metric == "memory_bandwidth" for figure in figures), figures


def _figure(line: Line, block: Block, common: dict[str, Any], *, products: bool) -> Measurement | None:
    """The figure of a row; None if the paste cuts it: then the rate does not follow from size and time. Raises RefusedError."""
    cells = [cell.strip() for cell in line.text.split(",")]
    if len(cells) != 3 or not cells[2]:
        cut_or_refuse(line, block, "a row without size, time and rate")
        return None
    size, seconds, rate = cells
    work = 2 * integer(size, line) ** 3 / 1e12 if products else 2 * number(size, line)
    stated = number(rate, line) * number(seconds, line)
    if line is block.lines[-1] and not math.isclose(work, stated, rel_tol=AS_PRINTED):
        return None
    flags = flags_of(non_cuda=common["non_cuda"], edited=not math.isclose(work, stated, rel_tol=CLOSE))
    shared = {"line": line, "device_ordinal": 0, "statistic": "mean", "n_gpus": 1, "dtype": common["dtype"], "flags": flags}
    if not products:
        return measure("memory_bandwidth", rate, "GB/s", test="copy", size_bytes=round(number(size, line) * 1e9), **shared)
    whole = str(common["dtype"]).startswith("int")
    metric, unit = ("integer_throughput", "TOP/s") if whole else ("matrix_throughput", "TFLOP/s")
    return measure(metric, rate, unit, test="matmul", sparsity="dense", workload=settings(n=size), **shared)
