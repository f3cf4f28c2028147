"""BabelStream and its ancestor GPU-STREAM: best rates of copy, mul, add, triad and dot, text of v0 to v5 and CSV.

Source of the layout: BabelStream, src/main.cpp. Rates are the best of N runs, in 10^6 bytes/s unless the header prints MiB.
"""

import re
from collections.abc import Iterator
from typing import Any

from benchmarks.formats.core import Block, Line, ParsedRun, cuda_version, integer, measure, number, settings
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

TOOL = "babelstream"
PARSER_VERSION = 1
MARK = re.compile(r"^(?:BabelStream|GPU-STREAM)[ \t]*$|^function,num_times,n_elements,sizeof,", re.MULTILINE)

LEAST_KERNELS = 4  # copy, mul, add and triad are in every version
FIELDS = 5
_KERNELS = ("Copy", "Mul", "Add", "Triad", "Dot", "Nstream")
_DEVICE = re.compile(r"Using (\S+) device (.+?)(?: \(compute_units=\d+\))?$")
_COLUMNS = re.compile(r"Function\s+(M(?:i)?Bytes)/sec\s+Min \(sec\)\s+Max\s+Average$")
_CSV_UNITS = {"max_mbytes_per_sec": "MBytes/sec", "max_mibytes_per_sec": "MiBytes/sec"}
_DTYPES = {"double": "fp64", "float": "fp32"}


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per header. A table that breaks off is a truncated run."""
    for part in block.split(MARK):
        yield _csv_run(part) if "function,num_times" in part.text else _text_run(part)


def _text_run(part: Block) -> ParsedRun:
    header = {name.strip(): value.strip() for name, _, value in (line.text.partition(":") for line in part.lines)}
    rows = [_text_row(line, unit, header) for line, unit in _table(part)]
    cuda = header.get("Implementation") == "CUDA" and "Driver" in header
    run = BenchmarkRun(
        tool=TOOL,
        tool_version=header.get("Version"),
        layout_version="text",
        status="ok" if len(rows) >= LEAST_KERNELS else "truncated",
        cuda_runtime=cuda_version(integer(header["Driver"])) if cuda else None,
        framework=header.get("Implementation"),
        args=settings(array=header.get("Array size")),
    )
    matches = (_DEVICE.match(line.text.strip()) for line in part.lines)
    devices = [BenchmarkDevice(ordinal=0, name_raw=match[2]) for match in matches if match]
    return ParsedRun(run=run, devices=devices[:1], measurements=rows)


def _table(part: Block) -> Iterator[tuple[Line, str]]:
    """Yield the rows with their unit, without a last row that the paste cuts."""
    unit = ""
    for line in part.lines:
        if columns := _COLUMNS.match(line.text.strip()):
            unit = columns[1] + "/sec"
        elif unit and line.text.split(" ")[0] in _KERNELS:
            if len(line.text.split()) == FIELDS:
                yield line, unit
            elif line is not part.lines[-1]:
                raise line.refuse("PARSE", f"a row of {len(line.text.split())} fields where BabelStream prints {FIELDS}")


def _array_bytes(header: dict[str, str]) -> int | None:
    """Size of one array in bytes. Version 0 divided by 1024 x 1024 and printed MB nevertheless."""
    match = re.match(r"([\d.]+) MB", header.get("Array size", ""))
    return round(number(match[1]) * (2**20 if header.get("Version") == "0.0" else 1e6)) if match else None


def _text_row(line: Line, unit: str, header: dict[str, str]) -> Measurement:
    kernel, rate, *seconds = line.text.split()
    for time in seconds:
        number(time, line)
    times = re.search(r"Running kernels (\d+) times", "\n".join(header))
    common = {"n_samples": int(times[1]) if times else None, "dtype": _DTYPES.get(header.get("Precision", ""))}
    return _rate(line, kernel, rate, unit, size_bytes=_array_bytes(header), **common)


def _rate(line: Line, kernel: str, rate: str, unit: str, **common: Any) -> Measurement:
    common |= {"device_ordinal": 0, "test": kernel.lower(), "statistic": "best", "engine": "sm", "n_gpus": 1}
    return measure("memory_bandwidth", rate, unit, line=line, **common)


def _csv_run(part: Block) -> ParsedRun:
    lines = [line for line in part.lines if line.text.strip()]
    head = next(place for place, line in enumerate(lines) if MARK.search(line.text))
    names = lines[head].text.strip().split(",")
    unit = next((column for column in names if column in _CSV_UNITS), None)
    if unit is None:
        raise lines[head].refuse("SCHEMA", f"BabelStream's CSV has one of the columns {', '.join(_CSV_UNITS)}")
    rows = [_csv_row(line, names, unit) for line in lines[head + 1 :]]
    run = BenchmarkRun(tool=TOOL, layout_version="csv", status="ok" if len(rows) >= LEAST_KERNELS else "truncated")
    return ParsedRun(run=run, measurements=rows)


def _csv_row(line: Line, names: list[str], unit: str) -> Measurement:
    cells = line.text.strip().split(",")
    if len(cells) != len(names):
        raise line.refuse("PARSE", f"{len(cells)} fields where the header names {len(names)}; upload the whole output")
    row = dict(zip(names, cells, strict=True))
    width = integer(row["sizeof"], line)
    common = {"n_samples": integer(row["num_times"], line), "dtype": {8: "fp64", 4: "fp32"}.get(width)}
    size_bytes = integer(row["n_elements"], line) * width
    return _rate(line, row["function"], row[unit], _CSV_UNITS[unit], size_bytes=size_bytes, **common)
