"""BabelStream and its ancestor GPU-STREAM: best rates of copy, mul, add, triad and dot, text of v0 to v6.0-rc and CSV.

Source of the layout: BabelStream, src/main.cpp. Rates are the best of N runs, in the unit that the header of the table prints.
"""

import re
from collections.abc import Iterator
from typing import Any

from benchmarks.formats import units
from benchmarks.formats.core import DTYPES, Block, Line, ParsedRun, cuda_version, integer, measure, number, settings
from benchmarks.formats.pasted import cut_or_refuse, named_values, read_rows, split_cells
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

PARSER_VERSION = 2
MARK = re.compile(r"^(?:BabelStream|GPU-STREAM)[ \t]*$|^function,num_times,n_elements,sizeof,", re.MULTILINE)

LEAST_KERNELS = 4  # copy, mul, add and triad are in every version
FIELDS = 5
_KERNELS = ("Copy", "Mul", "Add", "Triad", "Dot", "Nstream")
_DEVICE = re.compile(r"(?:Using \S+ device (.+?)(?: \(compute_units=\d+\))?|CUDA Device \d+: \"([^\"]+)\" .*)$")
_COLUMNS = re.compile(r"Function\s+(\S+)\s+Min \(sec\)\s+Max\s+Average$")
_CSV_UNIT = re.compile(r"max_(\w+_per_sec)")
_ROW = re.compile(r"\w+(?:\s+\d+\.\d+){4}$")
_NAMES = "|".join(_KERNELS)
ROW = re.compile(rf"[ \t]*(?:(?:{_NAMES})(?:\s+\d+\.\d+){{4}}\s*$|(?:{_NAMES}),\d+,\d+,\d+,)")
_TIMES = re.compile(r"Running\b.*? (\d+) times")
_SIZE = re.compile(r"([\d.]+) ([KMGT]i?B)")


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per header. A table that breaks off is a truncated run."""
    return (_csv_run(part) if "function,num_times" in part.text else _text_run(part) for part in block.split(MARK))


def _text_run(part: Block) -> ParsedRun:
    header = named_values(part.lines)
    rows = [_text_row(line, unit, header) for line, unit in _table(part)]
    driver = header.get("CUDA Driver") or (header.get("Driver") if header.get("Implementation") == "CUDA" else None)
    run = BenchmarkRun(
        tool_version=header.get("Version"),
        layout_version="text",
        status="ok" if len(rows) >= LEAST_KERNELS else "truncated",
        cuda_runtime=cuda_version(integer(driver)) if driver and driver.isdigit() else None,
        framework=header.get("Implementation"),
        args=settings(array=header.get("Array size")),
    )
    device = part.first(_DEVICE)
    devices = [BenchmarkDevice(ordinal=0, name_raw=device[1] or device[2])] if device else []
    return ParsedRun(run=run, devices=devices, measurements=rows)


def _table(part: Block) -> Iterator[tuple[Line, str]]:
    """Yield the rows with their unit, without a last row that the paste cuts. Raises RefusedError PARSE or SCHEMA."""
    unit = ""
    for line in part.lines:
        text = line.text.strip()
        if columns := _COLUMNS.match(text):
            unit = columns[1]
        elif unit and text.split()[:1] and text.split()[0] in _KERNELS:
            if len(text.split()) == FIELDS:
                yield line, unit
            else:
                cut_or_refuse(line, part, f"a row of {len(text.split())} fields where BabelStream prints {FIELDS}")
        elif _ROW.match(text):
            raise line.refuse("SCHEMA", "figures without BabelStream's header, or of an unknown kernel; upload it whole")


def _array_bytes(header: dict[str, str]) -> int | None:
    """Size of one array in bytes. Version 0 divided by 1024 x 1024 and printed MB nevertheless."""
    match = _SIZE.match(header.get("Array size", ""))
    if not match:
        return None
    unit = 2**20 / 1e6 if header.get("Version") == "0.0" else 1
    return round(number(match[1]) * unit * units.BYTES[match[2]])


def _text_row(line: Line, unit: str, header: dict[str, str]) -> Measurement:
    kernel, rate, *seconds = line.text.split()
    for time in seconds:
        number(time, line)
    times = _TIMES.search("\n".join(header))
    common = {"n_samples": int(times[1]) if times else None, "dtype": DTYPES.get(header.get("Precision", ""))}
    return _rate(line, kernel, rate, unit, size_bytes=_array_bytes(header), **common)


def _rate(line: Line, kernel: str, rate: str, unit: str, **common: Any) -> Measurement:
    common |= {"device_ordinal": 0, "test": kernel.lower(), "statistic": "best", "engine": "sm", "n_gpus": 1}
    return measure("memory_bandwidth", rate, unit, line=line, **common)


def _csv_run(part: Block) -> ParsedRun:
    lines = [line for line in part.lines if line.text.strip()]
    head = next(place for place, line in enumerate(lines) if MARK.search(line.text))
    column = next((match for name in split_cells(lines[head]) if (match := _CSV_UNIT.fullmatch(name))), None)
    if column is None:
        raise lines[head].refuse("SCHEMA", "BabelStream's CSV has a column such as max_MB_per_sec; upload the whole output")
    rows = [_csv_row(line, row, column) for line, row in read_rows(lines[head:])]
    run = BenchmarkRun(layout_version="csv", status="ok" if len(rows) >= LEAST_KERNELS else "truncated")
    return ParsedRun(run=run, measurements=rows)


def _csv_row(line: Line, row: dict[str, str], column: re.Match[str]) -> Measurement:
    width = integer(row["sizeof"], line)
    common = {"n_samples": integer(row["num_times"], line), "dtype": {8: "fp64", 4: "fp32"}.get(width)}
    size_bytes = integer(row["n_elements"], line) * width
    return _rate(line, row["function"], row[column[0]], column[1], size_bytes=size_bytes, **common)
