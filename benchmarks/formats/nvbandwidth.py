"""nvbandwidth: matrices of copy bandwidth and latency between host and GPUs, text of v0.2 to v0.10 and JSON.

Source of the layout: nvbandwidth, output.cpp and json_output.cpp. Rates are bytes x 1e-9 per second. A bidirectional test
reports one copy, measured while the other runs; only a test whose key ends in _total adds both. A cell is the median
of the samples unless the command has --useMean.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from benchmarks.formats.core import Block, ParsedRun, cuda_version, flags_of, integer, measure, number, settings
from benchmarks.formats.nvbandwidth_text import Matrix, Row, command, matrices, problems
from pipeline.readers import RefusedError, json_positions
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

PARSER_VERSION = 2
MARK = re.compile(
    r"nvbandwidth Version: |Running(?<=^Running) \w+_(?:ce|sm|copy)\.[ \t]*$|SUM(?<=^SUM) \w+_\w+ \d"
    r"|\((?:row\)(?<=\w.{5})|column\)(?<=\w.{8}))[^\n]{0,80}\([^()\s]{1,9}\)[ \t]*$",
    re.MULTILINE,
)

_HEADER = re.compile(r"nvbandwidth Version: ")
_DEVICE = re.compile(r"(?:Device|Process) +(\d{1,6})(?: \(([^)\n]*)\): device +\d+)?: (.+)$")
_LISTED = re.compile(r"(\d{1,6}): (.+)$")
_DECORATION = re.compile(r"(?: \([0-9a-fA-F:.]+\))?(?:: \([^)]*\))?\s*$")
_CUDA = re.compile(r"(\d+\.\d+|\d{4,6})\b")
_STATUSES = {"Passed": "ok", "Waived": "waived", "Error": "failed", "Not Found": "failed"}
_LABELS = {
    "nvbandwidth Version": "version", "Built from Git version": "git_version",
    "Driver Version": "Driver Version", "CUDA Runtime Version": "CUDA Runtime Version",
}  # fmt: skip
_STACKED = ("{way}1", "{way}2", "total")
_DIRECTIONS = (("host_to_", "h2d"), ("device_to_host", "d2h"), ("all_to_host", "d2h"), ("local", "d2d_local"))


@dataclass(frozen=True, slots=True)
class _RunHeader:
    """Devices and settings of a run, for all its tests."""

    devices: list[BenchmarkDevice] = field(default_factory=list)
    statistic: str = "median"
    size_bytes: int | None = None
    n_samples: int | None = None
    n_nodes: int | None = None


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per header; a text without a header is one run."""
    return map(_text_run, block.split(_HEADER))


def _text_run(part: Block) -> ParsedRun:
    info = _header(part)
    header = _text_header(part)
    printed_matrices, whole = matrices(part)
    waived, failed = problems(part)
    measured = [measurement for matrix in printed_matrices for measurement in _measurements(matrix, header)]
    run = _run(info, "text", _status(bool(measured), waived, failed) if whole else "truncated", waived, failed)
    return ParsedRun(run=run, devices=header.devices, measurements=measured)


def _run(info: Mapping[str, str], layout: str, status: str, waived: int, failed: int) -> BenchmarkRun:
    return BenchmarkRun(
        tool_version=info.get("version", "").removeprefix("v") or None,
        layout_version=layout,
        status=status,
        driver=info.get("Driver Version"),
        cuda_runtime=_cuda(info.get("CUDA Runtime Version")),
        args=settings(git_version=info.get("git_version"), waived_tests=waived or None, failed_tests=failed or None),
    )


def _header(part: Block) -> dict[str, str]:
    """The fields of the header by their names in the JSON."""
    pairs = (line.text.strip(' \t"').partition(": ") for line in part.lines)
    return {_LABELS[label]: value.strip() for label, _, value in pairs if label in _LABELS}


def _text_header(part: Block) -> _RunHeader:
    """The devices and the options; the last line is skipped, since without a line end its name may be cut."""
    matches = Block(part.lines[:-1]).matches(_DEVICE)
    hosts = {match[2] for match in matches if match[2]}
    options = command(part)
    return _RunHeader(
        devices=_devices((match[1], match[3]) for match in matches),
        statistic="mean" if "mean" in options else "median",
        size_bytes=integer(options["buffer"]) * 2**20 if "buffer" in options else None,
        n_samples=integer(options["samples"]) if "samples" in options else None,
        n_nodes=len(hosts) or None,
    )


def _devices(entries: Iterator[tuple[str, str]]) -> list[BenchmarkDevice]:
    """Each GPU once, without its bus address and host."""
    names = {integer(ordinal): _DECORATION.sub("", name) for ordinal, name in entries}
    return [BenchmarkDevice(ordinal=ordinal, name_raw=name) for ordinal, name in names.items()]


def _cuda(printed: str | None) -> str | None:
    match = _CUDA.match(printed or "")
    if not match:
        return None
    return match[1] if "." in match[1] else cuda_version(integer(match[1]))


def _status(measured: bool, waived: int, failed: int) -> str:
    if failed:
        return "failed"
    return "waived" if waived and not measured else "ok"


def _measurements(matrix: Matrix, header: _RunHeader) -> Iterator[Measurement]:
    """Yield the cells in the order printed, then their sum. Cells of unlisted GPUs, or with another sum, are flagged."""
    common = _common_fields(matrix) | {"size_bytes": header.size_bytes, "n_nodes": header.n_nodes}
    unit_assumed = matrix.line is not None and matrix.unit is None
    common["flags"] = flags_of(edited=_edited(matrix, header), unit_assumed=unit_assumed)
    for row, cells, line in matrix.rows:
        for column, raw in zip(matrix.columns, cells, strict=True):
            place = {"device_ordinal": row, "peer_ordinal": column} if matrix.between_gpus else {"device_ordinal": column}
            if raw != "N/A" and not (matrix.between_gpus and row == column and number(raw) == 0):
                cell = common | place | {"statistic": header.statistic, "n_samples": header.n_samples}
                yield measure(raw=raw, n_gpus=_gpus(matrix), line=line, **cell)
    if matrix.total is not None:
        yield measure(raw=matrix.total, statistic="sum", line=matrix.line, **common)


def _common_fields(matrix: Matrix) -> dict[str, Any]:
    is_latency = "latency" in matrix.name.lower() or matrix.unit in ("ns", "us", "ms", "s")
    direction = next((way for part, way in _DIRECTIONS if part in matrix.name), "uni")
    rate = "peer_bandwidth" if direction == "uni" else "copy_bandwidth"
    if "bidirectional" in matrix.name or "<->" in matrix.description:
        direction = "bidir_sum" if matrix.name.endswith("_total") else "bidir_onedir"
    return {
        "metric": "latency" if is_latency else rate,
        "unit_raw": matrix.unit or ("ns" if is_latency else "GB/s"),
        "test": matrix.name,
        "direction": None if is_latency else direction,
        "engine": next((engine for engine in ("ce", "sm") if f"_{engine}" in matrix.name), None),
    }


def _gpus(matrix: Matrix) -> int:
    if "all_" in matrix.name or "_all" in matrix.name:
        return len(matrix.columns)
    return 2 if matrix.between_gpus else 1


def _edited(matrix: Matrix, header: _RunHeader) -> bool:
    cells = [number(raw, row.line) for row in matrix.rows for raw in row.cells if raw != "N/A"]
    ordinals = {device.ordinal for device in header.devices}
    strange = bool(ordinals) and not ordinals.issuperset(matrix.columns)
    rounding = 0.006 * (len(cells) + 1)
    return strange or (bool(cells) and matrix.total is not None and abs(sum(cells) - number(matrix.total)) > rounding)


def is_document(document: Any) -> bool:
    return isinstance(document, dict) and isinstance(document.get("nvbandwidth"), dict)


def parse_document(document: Any) -> Iterator[ParsedRun]:
    """Yield one run per document. Raises RefusedError PARSE for a structure that nvbandwidth does not write."""
    root = document["nvbandwidth"]
    cases = [_case(case) for case in _items(root, "testcases", dict)]
    matches = [_device_match(text) for text in _items(root, "GPU Device list", str)]
    header = _RunHeader(
        devices=_devices((match[1], match[2]) for match in matches),
        statistic="mean" if root.get("useMean") is True else "median",
        size_bytes=integer(str(root["bufferSize"])) * 2**20 if "bufferSize" in root else None,
        n_samples=integer(str(root["testSamples"])) if "testSamples" in root else None,
    )
    measured = [measurement for _, stack in cases for matrix in stack for measurement in _measurements(matrix, header)]
    statuses = [status for status, _ in cases]
    waived, failed = statuses.count("waived"), statuses.count("failed") + ("error" in root)
    info = {name: text for name, text in root.items() if isinstance(text, str)}
    info |= {
        "version": info.get("version") or info.get("git_version", ""),
        "CUDA Runtime Version": str(root.get("CUDA Runtime Version", "")),
    }
    run = _run(info, "json", _status(bool(measured), waived, failed), waived, failed)
    yield ParsedRun(run=run, devices=header.devices, measurements=measured)


def _items(holder: dict[str, Any], name: str, kind: type) -> list[Any]:
    items = holder.get(name, [])
    if not isinstance(items, list) or not all(isinstance(item, kind) for item in items):
        raise RefusedError("PARSE", f"{name!r} is not the list that nvbandwidth writes; upload its --json output unchanged")
    return items


def _device_match(text: str) -> re.Match[str]:
    if match := _LISTED.match(text):
        return match
    raise RefusedError("PARSE", f"{text[:40]!r} is not a GPU as nvbandwidth lists it")


def _case(case: dict[str, Any]) -> tuple[str, list[Matrix]]:
    """Status and matrices of a test. Raises RefusedError PARSE."""
    name, status = str(case.get("name", "")), _STATUSES.get(str(case.get("status")))
    if status is None or not name:
        raise RefusedError("PARSE", f"test {name!r} has the status {case.get('status')!r}, which nvbandwidth does not write")
    if status != "ok":
        return status, []
    rows = [[_cell(cell) for cell in row] for row in _items(case, "bandwidth_matrix", list)]
    if not rows or len({len(row) for row in rows}) != 1:
        raise RefusedError("PARSE", f"test {name!r} has no rectangular bandwidth_matrix; upload the file whole")
    total = json_positions.printed(case["sum"]) if isinstance(case.get("sum"), int | float) else None
    description = str(case.get("bandwidth_description", ""))
    columns = list(range(len(rows[0])))
    return status, _unstack(Matrix(name, description, columns, [Row(label, cells) for label, cells in enumerate(rows)], total))


def _cell(value: Any) -> str:
    """Text of a cell. nvbandwidth prints numbers in quotes, and N/A."""
    return json_positions.printed(value) if isinstance(value, str | int | float) else str(value)


def _unstack(matrix: Matrix) -> list[Matrix]:
    """The matrices of a test. JSON of a bidirectional test has both directions and their total below each other, and one sum."""
    size = len(matrix.columns)
    if "bidirectional" not in matrix.name or not matrix.between_gpus or len(matrix.rows) != len(_STACKED) * size:
        return [matrix]
    ways = [part.format(way="write" if "_write_" in matrix.name else "read") for part in _STACKED]
    return [
        replace(
            matrix, name=f"{matrix.name}_{way}", total=matrix.total if way == "total" else None,
            rows=[Row(label, row.cells) for label, row in enumerate(matrix.rows[n * size : (n + 1) * size])],
        )
        for n, way in enumerate(ways)
    ]  # fmt: skip
