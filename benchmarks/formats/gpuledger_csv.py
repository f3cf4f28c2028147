"""This project's own format and the simplest: device_name, kernel, size_bytes, time_ms, gbps, as CSV, JSON or JSON lines.

One bad row refuses the whole file. Identical rows count once: they may be one reading pasted twice, so they are no evidence of
repetitions. A file is one run, and each name in it one device of the run.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks.formats.core import Block, Line, ParsedRun, integer, json_number, measure, number, records
from benchmarks.formats.pasted import read_rows, split_cells
from pipeline.readers import RefusedError, json_positions
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

PARSER_VERSION = 1
MARK = re.compile(r'^"?device_name"?[ \t]*[,;\t]', re.MULTILINE)

HEADER = ("device_name", "kernel", "size_bytes", "time_ms", "gbps")
ALLOWED = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._()/+-]{0,79}")  # no name begins with a punctuation mark, as paths and formulas do
# A kernel over arrays of size_bytes moves one (fill), two (copy) or three (triad) of them; 5% for rounded figures
LEAST_TRAFFIC, MAX_TRAFFIC, ROUNDING = 1, 3, 1.05


class _Row(NamedTuple):
    device_name: str
    kernel: str
    size_bytes: str
    time_ms: str
    gbps: str


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per table. Raises RefusedError for a header other than HEADER, and for any bad row."""
    head = next(line for line in block.lines if line.text.strip())
    if tuple(split_cells(head)) != HEADER:
        raise head.refuse("SCHEMA", "the header must be exactly " + ",".join(HEADER) + ", commas between, on the first line")
    yield _run("csv", [(_Row(**cells), line) for line, cells in read_rows(block.lines)])


def is_document(document: Any) -> bool:
    """Return whether this is a list of objects whose first has a device_name, or one object with exactly the fields of HEADER."""
    if isinstance(document, dict):
        return set(document) == set(HEADER)
    return isinstance(document, list) and bool(document) and isinstance(document[0], dict) and "device_name" in document[0]


def parse_document(document: Any) -> Iterator[ParsedRun]:
    yield _run("json", [(_of_record(record, n), None) for n, record in enumerate(records(document), start=1)])


def _of_record(record: Any, number_of_row: int) -> _Row:
    place = f"row {number_of_row}: "
    if not isinstance(record, dict) or set(record) != set(HEADER):
        raise RefusedError("SCHEMA", place + "the fields must be exactly " + ", ".join(HEADER))
    for name in HEADER[:2]:
        if not isinstance(record[name], str):
            raise RefusedError("PARSE", f"{place}{name} is not a text")
    for name in HEADER[2:]:
        json_number(record[name], place + name)
    return _Row(**{name: json_positions.printed(record[name]) for name in HEADER})


def _run(layout: str, rows: list[tuple[_Row, Line | None]]) -> ParsedRun:
    distinct: dict[_Row, Line | None] = {}
    for row, line in rows:
        distinct.setdefault(row, line)
    names = list(dict.fromkeys(row.device_name for row in distinct))
    return ParsedRun(
        run=BenchmarkRun(layout_version=layout),
        devices=[BenchmarkDevice(ordinal=n, name_raw=name) for n, name in enumerate(names)],
        measurements=[_measurement(row, names.index(row.device_name), line) for row, line in distinct.items()],
    )


def _check_texts(row: _Row, line: Line | None) -> None:
    where = line.number if line else None
    for name, text in row._asdict().items():
        if not text.strip():
            raise RefusedError("PARSE", f"{name} is blank; a row has all of {', '.join(HEADER)}", where)
    for name in HEADER[:2]:
        text = getattr(row, name)
        if not ALLOWED.fullmatch(text):
            raise RefusedError("NAME_NOT_ALLOWED", f"{name} {text[:80]!r} does not match {ALLOWED.pattern}", where)


def _measurement(row: _Row, device: int, line: Line | None) -> Measurement:
    _check_texts(row, line)
    size_bytes = _above_zero(integer(row.size_bytes, line), "size_bytes", line)
    time_ms = _above_zero(number(row.time_ms, line), "time_ms", line)
    rate = _above_zero(number(row.gbps, line), "gbps", line)
    return measure(
        "memory_bandwidth", row.gbps, "GB/s", line=line, device_ordinal=device, test=row.kernel, statistic="single",
        engine="sm", n_gpus=1, size_bytes=int(size_bytes), flags=None if _agree(size_bytes, time_ms, rate) else "edited",
    )  # fmt: skip


def _above_zero(value: float, name: str, line: Line | None) -> float:
    if value <= 0:
        raise RefusedError("RANGE", f"{name} = {value:g} is not above zero", line.number if line else None)
    return value


def _agree(size_bytes: float, time_ms: float, gbps: float) -> bool:
    """Return whether the rate follows from size and time, for a kernel that reads and writes one to three such arrays.

    Any other rate has another unit or was edited; its row is flagged and excluded from aggregates.
    """
    traffic = gbps * time_ms * 1e6 / size_bytes
    return LEAST_TRAFFIC / ROUNDING <= traffic <= MAX_TRAFFIC * ROUNDING
