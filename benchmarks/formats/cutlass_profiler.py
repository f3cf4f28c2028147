"""cutlass_profiler: rate, memory traffic and time of each kernel that it ran, as text blocks and CSV.

Source of the units: CUTLASS, tools/profiler: the CSV column GB/s is divided by 2^30 like the GiB/s of the text; times are in
ms. No device, driver or clock is printed. A kernel that was not run or failed has no figure; one whose result was incorrect
is flagged.
"""

import itertools
import math
import re
from collections.abc import Iterator
from typing import Any

from benchmarks.formats.core import DTYPES, Block, Line, ParsedRun, flags_of, measure, number, settings
from benchmarks.formats.pasted import cut_or_refuse, split_cells
from pipeline.schema.benchmarks import BenchmarkRun, Measurement

PARSER_VERSION = 1
MARK = re.compile(r"^(?:[ \t]*Problem ID: \d+[ \t]*$|(?:[\w-]+,)*Problem,Provider,OperationKind,Operation,)", re.MULTILINE)

_PROBLEM = re.compile(r"^\s*Problem ID: \d+\s*$")
_HEADER = re.compile(r"(?:[\w-]+,)*Problem,Provider,OperationKind,Operation,")
ROW = re.compile(r"\s*(?:Runtime|Memory|Math): +[\d.]+ |(?:[\w.-]+,)*\d+,\w+,\w+,[^,\n]+,(?:passed|not_verified|incorrect),")
_FIELD = re.compile(r"\s*([A-Za-z_/]+): (.*?)\s*$")
_RATE = re.compile(r"\s*(?:Runtime|Memory|Math): ")
_ARGUMENT = re.compile(r"--([\w-]+)=(\S+)")
_UNITS = {"Runtime": "ms", "Memory": "GiB/s", "Math": "GFLOP/s"}
_MEASURED = ("passed", "not_verified", "incorrect")
_OPERANDS = ("A", "B", "Activation", "Filter")
_SHAPE = ("m", "n", "k", "h", "w", "c", "r", "s", "batch_count")
CLOSE = 0.01  # a larger difference shows an edited rate
AS_PRINTED = 1.5e-5  # six digits of rate and time; a larger difference shows a cut rate

Result = dict[str, str]
Lines = dict[str, Line]  # of the figures that a text prints one below the other; the CSV has them on the row's line
_Row = tuple[Line, Result | None, Lines]  # the first line of a result; no fields where the paste is cut


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run of all results. The CSV at the end of a text repeats the results and is read instead of them."""
    rows = list(_csv_rows(block))
    if not rows or not any(line.text.startswith("CSV Results:") for line in block.lines):
        rows = list(_text_results(block)) + rows
    whole = [(line, result, lines) for line, result, lines in rows if result is not None]
    figures = [figure for row in whole for figure in _figures(*row)]
    without = sum(result["Disposition"] not in _MEASURED for _, result, _ in whole)
    status = "ok" if any(figure.status == "ok" for figure in figures) else "invalid" if figures else "failed"
    status = "truncated" if len(whole) < len(rows) else status
    layout = "csv" if any(_HEADER.match(line.text) for line in block.lines) else "text"
    run = BenchmarkRun(layout_version=layout, status=status, args=settings(kernels_without_result=without or None))
    yield ParsedRun(run=run, measurements=figures)


def _text_results(block: Block) -> Iterator[_Row]:
    """Yield results by the names of the CSV; none of a block without a Problem ID. Raises RefusedError PARSE."""
    for part in block.split(_PROBLEM) if block.first(_PROBLEM) else ():
        before = list(itertools.takewhile(lambda line: not _PROBLEM.match(line.text), part.lines))
        if stray := next((line for line in before if _RATE.match(line.text)), None):
            raise stray.refuse("PARSE", "a result without its Problem ID; upload the whole output")
        head, *_ = lines = tuple(itertools.takewhile(lambda line: not _HEADER.match(line.text), part.lines[len(before) :]))
        places = _places(lines)
        header = {name: line.text.partition(": ")[2].strip() for name, line in places.items()}
        yield head, _text_result(head, lines, header, block), places


def _text_result(head: Line, lines: tuple[Line, ...], header: dict[str, str], block: Block) -> Result | None:
    arguments = dict(pair for line in _arguments(lines) for pair in _ARGUMENT.findall(line.text))
    result = arguments | {name: header.get(name, "") for name in ("OperationKind", "Operation", "FLOPs")}
    result["Disposition"] = header.get("Disposition", "").lower().replace(" ", "_")
    if result["Disposition"] and result["Disposition"] not in _MEASURED:
        return result
    for name, unit in _UNITS.items():
        value, _, printed = header.get(name, "").partition(" ")
        if printed.strip() != unit or not result["Disposition"]:
            if any(_PROBLEM.match(line.text) for line in block.lines if line.number > head.number):
                raise head.refuse("PARSE", f"a result without its disposition, or {name} in {unit}; upload the whole output")
            return None
        result[name] = value
    return result


def _places(lines: tuple[Line, ...]) -> Lines:
    """Lines of a result's fields by name. Raises RefusedError PARSE for a figure or a disposition printed twice."""
    places: Lines = {}
    for line in lines:
        if match := _FIELD.match(line.text):
            if match[1] in places and (match[1] in _UNITS or match[1] == "Disposition"):
                raise line.refuse("PARSE", f"{match[1]} twice in one result; upload the whole output")
            places[match[1]] = line
    return places


def _arguments(lines: tuple[Line, ...]) -> Iterator[Line]:
    """Lines of the arguments, up to an empty line, since a pasted shell command below has the same form."""
    begun = itertools.dropwhile(lambda line: not line.text.strip().startswith("Arguments:"), lines)
    return itertools.takewhile(lambda line: line.text.strip(), begun)


def _csv_rows(block: Block) -> Iterator[_Row]:
    names: list[str] = []
    for line in block.lines:
        text = line.text.strip()
        if _HEADER.match(text):
            names = _columns(line)
        elif not text or text.startswith("```"):
            names = []
        elif names:
            yield line, _csv_row(line, names, block), {}


def _columns(line: Line) -> list[str]:
    """Names of the CSV columns. Raises RefusedError SCHEMA if a column that every version writes is missing."""
    names = line.text.strip().split(",")
    if not {"Operation", "OperationKind", "Disposition", "Flops", "GB/s", "GFLOPs"} <= set(names) or len(set(names)) < len(names):
        raise line.refuse("SCHEMA", "cutlass_profiler's CSV has Disposition, Flops, GB/s and GFLOPs, each once")
    return names


def _csv_row(line: Line, names: list[str], block: Block) -> Result | None:
    cells = split_cells(line)
    if len(cells) != len(names):
        cut_or_refuse(line, block, f"{len(cells)} fields where cutlass_profiler names {len(names)}")
        return None
    row = dict(zip(names, cells, strict=True))
    figures = {"Runtime": row.get("Runtime", row.get("Runtime(ms)", "")), "Memory": row["GB/s"], "Math": row["GFLOPs"]}
    result = row | figures | {"FLOPs": row["Flops"]}
    if line is block.lines[-1] and result["Disposition"] in _MEASURED and not _agrees(line, result, AS_PRINTED):
        return None
    return result


def _agrees(line: Line, result: Result, tolerance: float) -> bool:
    """Return whether the rate equals operations over time. A last figure that was cut and one that was edited do not."""
    operations = result["FLOPs"].partition(" ")[0]
    time_ms = number(result["Runtime"], line)
    if not operations or not time_ms:
        return True
    return math.isclose(number(operations, line) / time_ms / 1e6, number(result["Math"], line), rel_tol=tolerance)


def _figures(line: Line, result: Result, lines: Lines) -> Iterator[Measurement]:
    if result["Disposition"] not in _MEASURED:
        return
    dtype, integers = _dtype(result)
    wrong = result["Disposition"] == "incorrect"
    flags = flags_of(incorrect_result=wrong, edited=not _agrees(line, result, CLOSE))
    common: dict[str, Any] = {"test": result["Operation"], "device_ordinal": 0, "statistic": "mean", "n_gpus": 1}
    common |= {"dtype": dtype, "workload": _workload(result), "flags": flags, "status": "invalid" if wrong else "ok"}
    common |= _cores(result)
    metric, unit = ("integer_throughput", "GOP/s") if integers else ("matrix_throughput", "GFLOP/s")
    yield measure(metric, result["Math"], unit, line=lines.get("Math", line), **common)
    yield measure("memory_bandwidth", result["Memory"], "GiB/s", line=lines.get("Memory", line), engine="sm", **common)
    yield measure("kernel_time", result["Runtime"], "ms", line=lines.get("Runtime", line), **common)


def _dtype(result: Result) -> tuple[str | None, bool]:
    """Number format of the operands, and whether it is an integer format. Tensor cores read fp32 as TF32."""
    operands = {result[name].partition(":")[0] for name in _OPERANDS if result.get(name)}
    dtypes = {DTYPES.get(operand) for operand in operands}
    dtype = dtypes.pop() if len(dtypes) == 1 else "mixed" if dtypes else None
    if dtype == "fp32" and _cores(result)["tensor_core"] == "yes":
        dtype = "tf32"
    return dtype, bool(operands) and all(re.fullmatch(r"[su]\d+", operand) for operand in operands)


def _cores(result: Result) -> dict[str, str]:
    op_class = result.get("op_class", "")
    cores = "no" if op_class == "simt" else "yes" if "tensorop" in op_class or "wmma" in op_class else "unknown"
    sparse = result["OperationKind"].startswith(("sp", "sparse")) or op_class.startswith("sp")
    return {"tensor_core": cores, "sparsity": "sparse" if sparse else "dense"}


def _workload(result: Result) -> str | None:
    shape = {name: result[name] for name in _SHAPE if result.get(name)}
    verification = "not_verified" if result["Disposition"] == "not_verified" else None
    return settings(operation=result["OperationKind"], **shape, verification=verification)
