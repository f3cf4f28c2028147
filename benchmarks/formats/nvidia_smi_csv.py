"""nvidia-smi --query-gpu --format=csv: a list of GPUs, with or without units, without performance figures.

The header names each column and its unit. Without it (noheader) a figure in MiB may be any kind of memory, so such a file is
refused. Momentary readings are left out, and so are serial number, UUID and bus address.
"""

import re
from collections.abc import Iterator

from benchmarks.formats.core import Block, Line, ParsedRun, moment
from benchmarks.formats.nvidia_smi import quantity, switch, value_of
from benchmarks.formats.pasted import split_cells
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun

PARSER_VERSION = 1
MEASURES = False
_FIELD = r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*(?: \[[A-Za-z%/]{1,6}\])?"
_OWN = r"(?:memory|power|enforced\.power|clocks|utilization|temperature|pci|pcie|ecc|mig|fan)\.|driver_version|compute_cap"
_BARE = r"(?:\d+, )?(?:NVIDIA|GeForce|Tesla|Quadro|GRID)\b[^,\n]*(?:, [^,\n]+)+"
MARK = re.compile(
    rf"^(?:(?=[a-z][^\n]*\b(?:{_OWN}))(?:{_FIELD}, ?)+{_FIELD}[ \t]*$"
    rf"|\A(?=[^\n]*(?:, \d+ MiB|, \d+\.\d+\.\d\d\b))(?:{_BARE}\n)*{_BARE}\n?\Z)",
    re.MULTILINE,
)

_HEADER = re.compile(rf"^(?=.*\b(?:{_OWN}))(?:{_FIELD}, ?)+{_FIELD}[ \t]*$")
_UNIT = re.compile(r"^(\S+) \[([^\]]+)\]$")
_NAMES = ("name", "gpu_name")
_KEYS = ("index", "uuid", "gpu_uuid", "serial", "gpu_serial", "pci.bus_id", "gpu_bus_id")
_SHAPES = {"index": r"\d+", "driver_version": r"\d+(?:\.\d+)+", "compute_cap": r"\d+\.\d+"}
_QUANTITY = r"\d[\d.]*(?: [A-Za-z%/]+)?|\[?(?:N/A|Not Supported|Unknown Error)\]?"
_MOMENT = "%Y/%m/%d %H:%M:%S.%f"


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per header. Raises RefusedError SCHEMA if the columns do not identify the GPUs, PARSE for a broken row."""
    if not any(_HEADER.match(line.text) for line in block.lines):
        raise block.lines[0].refuse(
            "SCHEMA", "nvidia-smi without a header does not say what a column is; run it without noheader"
        )
    return map(_run, block.split(_HEADER))


def _run(part: Block) -> ParsedRun:
    head = next(place for place, line in enumerate(part.lines) if _HEADER.match(line.text))
    columns = [cell.strip() for cell in split_cells(part.lines[head])]
    names = [match[1] if (match := _UNIT.match(column)) else column for column in columns]
    if len(set(names)) != len(names) or not set(_NAMES) & set(names):
        raise part.lines[head].refuse("SCHEMA", "the columns must hold `name`, and none twice; add name to --query-gpu")
    rows, cut = _rows(part, head, columns)
    gpus = _gpus(rows)
    first = gpus[0][1] if gpus else {}
    run = BenchmarkRun(
        layout_version="csv",
        started_at=moment(first.get("timestamp", ""), _MOMENT),
        status="truncated" if cut else "ok",
        driver=value_of(first.get("driver_version")),
    )
    return ParsedRun(run=run, devices=[_device(ordinal, line, row) for ordinal, (line, row) in enumerate(gpus)])


def _rows(part: Block, head: int, columns: list[str]) -> tuple[list[tuple[Line, dict[str, str]]], bool]:
    """Rows as column and cell with its unit, and whether the paste ends inside a row. Raises RefusedError PARSE."""
    rows: list[tuple[Line, dict[str, str]]] = []
    for line in _row_lines(part.lines[head + 1 :], columns):
        last = line is part.lines[-1]
        row = [cell.strip() for cell in split_cells(line)]
        if len(row) != len(columns):
            if last:
                return rows, True
            raise line.refuse("PARSE", f"{len(row)} cells where nvidia-smi names {len(columns)}; upload the output unchanged")
        cut = last and not _is_complete(columns[-1], row[-1])
        cells = [*row[:-1], ""] if cut else row
        rows.append((line, dict(_cell(column, cell) for column, cell in zip(columns, cells, strict=True))))
        if cut:
            return rows, True
    return rows, False


def _row_lines(lines: tuple[Line, ...], columns: list[str]) -> Iterator[Line]:
    """Yield the lines of rows. Below a blank line or another output, a line must look like a row.

    nvidia-smi writes an error in the place of a GPU that it cannot reach, so rows below such a line are refused.
    """
    ended, instead = False, None
    for line in lines:
        text = line.text.strip()
        if text.startswith("#"):
            continue
        begun = "," in text or (text and line is lines[-1])
        if (begun and not ended) or _looks_like_row(line, columns):
            if instead:
                raise instead.refuse("PARSE", "this line is among the GPUs; run nvidia-smi where it reaches all of them")
            yield line
        else:
            ended, instead = True, line if text else instead


def _looks_like_row(line: Line, columns: list[str]) -> bool:
    row = [cell.strip() for cell in line.text.split(",")]
    shapes = [_QUANTITY if _UNIT.match(column) else _SHAPES.get(column, ".+") for column in columns]
    return len(row) == len(columns) and all(re.fullmatch(shape, cell) for shape, cell in zip(shapes, row, strict=True))


def _is_complete(column: str, cell: str) -> bool:
    """Return whether the last cell of a text without a final line end is complete: by its unit or by a fixed word."""
    match = _UNIT.match(column)
    return cell in ("Enabled", "Disabled", "[N/A]", "[Not Supported]") or (match is not None and cell.endswith(f" {match[2]}"))


def _cell(column: str, cell: str) -> tuple[str, str]:
    """Name of the column, and its cell with the unit of the header where the cell has none (nounits)."""
    match = _UNIT.match(column)
    if not match:
        return column, cell
    return match[1], f"{cell} {match[2]}" if cell[:1].isdigit() and " " not in cell else cell


def _gpus(rows: list[tuple[Line, dict[str, str]]]) -> list[tuple[Line, dict[str, str]]]:
    """Each GPU once, of a log over time too. Raises RefusedError SCHEMA if such a log does not number its GPUs."""
    key = next((name for name in _KEYS if rows and name in rows[0][1]), None)
    if key is None and len(rows) > 1 and "timestamp" in rows[0][1]:
        raise rows[0][0].refuse("SCHEMA", "a log over time that does not identify its GPUs; add index to --query-gpu")
    first: dict[str, tuple[Line, dict[str, str]]] = {}
    for place, (line, row) in enumerate(rows):
        first.setdefault(row[key] if key else str(place), (line, row))
    return list(first.values())


def _device(ordinal: int, line: Line, row: dict[str, str]) -> BenchmarkDevice:
    name = next((row[name] for name in _NAMES if name in row), None)
    limit = row.get("enforced.power.limit") or row.get("power.limit")
    return BenchmarkDevice(
        ordinal=ordinal,
        name_raw=value_of(name),
        compute_capability=value_of(row.get("compute_cap")),
        memory_total_mib=quantity(row.get("memory.total"), "MiB", line),
        sm_clock_mhz=quantity(row.get("clocks.max.sm"), "MHz", line),
        memory_clock_mhz=quantity(row.get("clocks.max.memory") or row.get("clocks.max.mem"), "MHz", line),
        power_limit_w=quantity(limit, "W", line),
        ecc=switch(row.get("ecc.mode.current"), line),
        mig=switch(row.get("mig.mode.current"), line),
    )
