"""mixbench: throughput and memory bandwidth over arithmetic intensity, for CUDA, HIP and OpenCL.

Two header rows name groups of four columns; the groups depend on the device. Every row is stored, so that a sweep that was cut
yields no false maximum. The table ends in a dashed line.
"""

import re
from collections.abc import Iterator
from typing import Any

from benchmarks.formats.core import Block, Line, ParsedRun, integer, measure, number, settings
from benchmarks.formats.pasted import cut_or_refuse, named_values, staged
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

PARSER_VERSION = 2
MARK = re.compile(
    r"^(?:mixbench(?:-\w+)?(?:/[\w-]+)? \(v[^)\n]*\)|-{3,} Device specifications -{3,}|Experiment ID, [^\n]*ops,,,,)",
    re.MULTILINE,
)

_VERSION = re.compile(r"mixbench(-\w+)?(?:/[\w-]+)? \((v[^)]*)\)")
_COLUMNS_OF_A_GROUP = 4
_GROUPS = {  # name of the tests and type of number
    "single precision ops": ("fp32", "fp32"),
    "packed single precision ops": ("packed fp32", "fp32"),
    "double precision ops": ("fp64", "fp64"),
    "half precision ops": ("fp16", "fp16"),
    "integer operations": ("int32", "int32"),
}
NEWEST_CUDA = 100  # HIP prints its own version as that of CUDA: 50221.151
ROW = re.compile(r"\s*\d+,(?:\s*\d+\.\d+,){3}")
_LAST_CELL = re.compile(r"\d+\.\d\d|\D+")  # to its last digit
_STAGES = (("mixbench", 1), ("------------------------ Device spec", 2), ("Experiment ID", 3))


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per table; a header without a table is a truncated run of its device."""
    return map(_run, staged(block.lines, _stages(block)))


def _stages(block: Block) -> Iterator[int | None]:
    """Stages of the lines: version, device, table. The line after one has a later stage, so that two tables are two runs."""
    after: int | None = None
    for line in block.lines:
        stage = next((n for start, n in _STAGES if line.text.startswith(start) and MARK.match(line.text)), None)
        yield stage if stage is not None else after
        after = None if stage is None else 4 if stage == 3 else stage


def _run(part: Block) -> ParsedRun:
    fields = named_values(part.lines)
    version = next((match for line in part.lines if (match := _VERSION.match(line.text))), None)
    ended, rows = _table(part, _flags(fields, version[1] if version else None))
    run = BenchmarkRun(
        tool_version=version[2] if version else None,
        layout_version="csv",
        status="ok" if ended else "truncated",
        args=settings(
            cuda_driver_api=_cuda_driver(fields),
            theoretical_fp32_gflops=fields.get("Compute throughput", "").partition(" ")[0] or None,
            theoretical_gb_per_s=fields.get("Memory bandwidth", "").partition(" ")[0] or None,
            buffer=fields.get("Buffer size"),
            elements_per_thread=fields.get("Elements per thread"),
            thread_fusion_degree=fields.get("Thread fusion degree"),
        ),
    )
    return ParsedRun(run=run, devices=[_device(fields)] if "Device" in fields else [], measurements=rows)


def _flags(fields: dict[str, str], variant: str | None) -> str | None:
    """Flags of every figure: the OpenCL and SYCL versions print no CUDA driver, HIP prints its own version as CUDA's."""
    return "non_cuda" if variant == "-hip" or ("Device" in fields and _cuda_driver(fields) is None) else None


def _cuda_driver(fields: dict[str, str]) -> str | None:
    """CUDA version of the driver, which is misprinted as 10.20 for 10.2."""
    printed = fields.get("CUDA driver version")
    return f"{number(printed):.1f}" if printed and number(printed) < NEWEST_CUDA else None


def _device(fields: dict[str, str]) -> BenchmarkDevice:
    units = re.search(r"\((\d+) MPs", fields.get("Total SPs", ""))
    return BenchmarkDevice(
        ordinal=0,
        name_raw=fields["Device"] or None,
        compute_capability=fields.get("Compute Capability"),
        sm_count=int(units[1]) if units else None,
        memory_total_mib=_figure(fields, "Total global mem", "MB"),
        sm_clock_mhz=_figure(fields, "GPU clock rate", "MHz"),
        memory_clock_mhz=_figure(fields, "Memory clock rate", "MHz"),
        ecc={"Yes": True, "No": False}.get(fields.get("ECC enabled", "")),
    )


def _figure(fields: dict[str, str], name: str, unit: str) -> float | None:
    """A property of the device; None where it is not printed, or as zero."""
    value, _, printed = fields.get(name, "").partition(" ")
    return number(value) or None if printed == unit else None


def _table(part: Block, flags: str | None) -> tuple[bool, list[Measurement]]:
    """The figures of the table, after a flag for completeness."""
    start = next((n for n, line in enumerate(part.lines) if line.text.startswith("Experiment ID")), None)
    if start is None or start + 1 >= len(part.lines):
        return False, []
    groups = _groups(part.lines[start], part.lines[start + 1])
    rows: list[Measurement] = []
    for line in part.lines[start + 2 :]:
        if line.text.startswith("---") or not line.text.strip() or line.text.startswith("```"):
            return line.text.startswith("---"), rows
        cells = [cell.strip() for cell in line.text.split(",")]
        n_figures = 1 + _COLUMNS_OF_A_GROUP * len(groups)
        if len(cells) != n_figures or not _LAST_CELL.fullmatch(cells[-1]):
            cut_or_refuse(line, part, f"a row without {n_figures} figures")
            return False, rows
        rows += _row(line, cells, groups, flags)
    return False, rows


def _groups(names: Line, columns: Line) -> list[tuple[str, str]]:
    """Name and number format of each group of columns. Raises RefusedError SCHEMA."""
    groups = [cell.strip().lower() for cell in names.text.split(",")[1:] if cell.strip()]
    cells = [cell.strip() for cell in columns.text.split(",")][1:]
    unknown = [group for group in groups if group not in _GROUPS]
    if unknown or not groups or len(cells) != _COLUMNS_OF_A_GROUP * len(groups):
        raise names.refuse("SCHEMA", "the two header rows of mixbench do not fit; upload the whole output")
    if any(not cell.startswith(("Flops/byte", "Iops/byte", "ex.time", "GFLOPS", "GIOPS", "GB/sec")) for cell in cells):
        raise columns.refuse("SCHEMA", "mixbench's columns are operations per byte, time, GFLOPS or GIOPS, and GB/sec")
    return [_GROUPS[group] for group in groups]


def _row(line: Line, cells: list[str], groups: list[tuple[str, str]], flags: str | None) -> Iterator[Measurement]:
    iterations = integer(cells[0], line)
    for n, (name, dtype) in enumerate(groups):
        intensity, _, throughput, bandwidth = cells[1 + n * _COLUMNS_OF_A_GROUP :][:_COLUMNS_OF_A_GROUP]
        workload = settings(compute_iterations=iterations, operations_per_byte=number(intensity, line))
        common: dict[str, Any] = {"line": line, "device_ordinal": 0, "statistic": "single", "n_gpus": 1, "dtype": dtype}
        common |= {"workload": workload, "flags": flags}
        metric, unit = ("integer_throughput", "GIOPS") if dtype.startswith("int") else ("vector_throughput", "GFLOPS")
        yield measure(metric, throughput, unit, test=f"{name} throughput", tensor_core="no", sparsity="dense", **common)
        yield measure("memory_bandwidth", bandwidth, "GB/sec", test=f"{name} bandwidth", engine="sm", **common)
