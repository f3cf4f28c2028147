"""bandwidthTest of the CUDA samples: copies between host and GPU and within a GPU; quick, range and shmoo, text and --csv.

Source of the layout: cuda-samples, bandwidthTest.cu. GB/s is 10^9 bytes/s. Versions before CUDA 10 print MB/s, which was 2^20 or
1000 x 1024 bytes/s depending on the version; it is read as 10^6 and flagged. A copy within the GPU counts reads and writes.
"""

import re
from collections.abc import Iterator

from benchmarks.formats.core import Block, Line, ParsedRun, integer, measure, settings
from benchmarks.formats.pasted import cut_or_refuse
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

PARSER_VERSION = 2
MARK = re.compile(
    r"\[CUDA Bandwidth Test\]|Host to Device Bandwidth, \d|Device to (?:Host|Device) Bandwidth, \d|bandwidthTest-[HD]2[HD]"
)

_TITLE = re.compile(r"\[CUDA Bandwidth Test\]")
_DEVICE = re.compile(r"Device (\d{1,6}): (.+)$")
_MODE = re.compile(r"(Quick|Range|Shmoo) Mode$", re.IGNORECASE)
_WAY = re.compile(r"(Host to Device|Device to Host|Device to Device) Bandwidth, (\d{1,6}) Device\(s\)")
_MEMORY = re.compile(r"(PINNED|PAGEABLE) Memory Transfers", re.IGNORECASE)
_COLUMNS = re.compile(r"Transfer Size \(Bytes\)\s+Bandwidth\((GB/s|MB/s)\)$")
_ROW = re.compile(r"(\d+)\s+(\d+\.\d)$")
_CSV = re.compile(
    r"bandwidthTest-(H2D|D2H|D2D)(?:-(Pinned|Paged|Pageable))?(?:-WriteCombined)?, Bandwidth = (\S+) (GB/s|MB/s), "
    r"Time = (\S+) s, Size = (\d+) bytes, NumDevsUsed = (\d{1,6})$"
)
_RESULT = re.compile(r"Result = (PASS|FAIL)")
_DIRECTIONS = {"Host to Device": "h2d", "Device to Host": "d2h", "Device to Device": "d2d_local"}
_CSV_DIRECTIONS = {"H2D": "h2d", "D2H": "d2h", "D2D": "d2d_local"}
_TESTS = {"h2d": "host_to_device", "d2h": "device_to_host", "d2d_local": "device_to_device"}


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per title; a text without a title is one run.

    Raises RefusedError PARSE for a broken row that is not the end of the paste.
    """
    return map(_run, block.split(_TITLE))


def _run(part: Block) -> ParsedRun:
    devices = {integer(match[1]): match[2] for match in Block(part.lines[:-1]).matches(_DEVICE)}
    result = next((match[1] for match in part.matches(_RESULT)), None)
    mode = next((match[1].lower() for match in part.matches(_MODE)), None)
    only = next(iter(devices)) if len(devices) == 1 else None
    rows, cut = _rows(part, only)
    every_way = mode == "quick" and {row.direction for row in rows} == set(_DIRECTIONS.values())
    run = BenchmarkRun(
        layout_version="csv" if any(line.text.strip().startswith("bandwidthTest-") for line in part.lines) else "text",
        status="failed" if result == "FAIL" else "ok" if not cut and (result or every_way) else "truncated",
        args=settings(mode=mode),
    )
    listed_devices = [BenchmarkDevice(ordinal=ordinal, name_raw=name) for ordinal, name in devices.items()]
    return ParsedRun(run=run, devices=listed_devices, measurements=rows)


def _rows(part: Block, only: int | None) -> tuple[list[Measurement], bool]:
    """Rows with the headings above them, and whether the paste ends inside a row."""
    headings: dict[str, str] = {}
    rows: list[Measurement] = []
    for line in part.lines:
        text = line.text.strip()
        _above(headings, text)
        is_inside = "unit" in headings and text[:1].isdigit()
        if not (is_inside or text.startswith("bandwidthTest-") or _ROW.match(text)):
            continue
        row = _row(line, text, headings, only)
        if row is None:
            cut_or_refuse(line, part, "not a row that bandwidthTest prints; upload the whole output")
            return rows, True
        rows.append(row)
    return rows, False


def _above(headings: dict[str, str], text: str) -> None:
    """Update the current headings; a new direction ends the table before it."""
    if way := _WAY.match(text):
        headings.clear()
        headings.update(direction=_DIRECTIONS[way[1]], n_gpus=way[2])
    elif memory := _MEMORY.match(text):
        headings["memory"] = memory[1].lower()
    elif (columns := _COLUMNS.match(text)) and "direction" in headings:
        if "unit" in headings:  # the heading of this table is lost
            headings.clear()
        else:
            headings["unit"] = columns[1]
    elif text.startswith(("Result", "```")):
        headings.clear()


def _row(line: Line, text: str, headings: dict[str, str], only: int | None) -> Measurement | None:
    """The figure of a row of CSV, or of a table with these headings; None for any other line."""
    if match := _CSV.match(text):
        direction, raw, unit, size, n_gpus = _CSV_DIRECTIONS[match[1]], match[3], match[4], match[6], match[7]
        memory = {"Pinned": "pinned", "Paged": "pageable", "Pageable": "pageable"}.get(match[2] or "")
    elif "unit" in headings and (match := _ROW.match(text)):
        direction, raw, unit, size, n_gpus = headings["direction"], match[2], headings["unit"], match[1], headings["n_gpus"]
        memory = headings.get("memory")
    else:
        return None
    within = direction == "d2d_local"
    return measure(
        "copy_bandwidth", raw, unit, line=line, device_ordinal=only, test=_TESTS[direction], statistic="mean",
        direction=direction, size_bytes=integer(size, line), n_gpus=integer(n_gpus, line) or None,
        workload=settings(memory=None if within else memory, counted="read+write" if within else None),
        flags="unit_assumed" if unit == "MB/s" else None,
    )  # fmt: skip
