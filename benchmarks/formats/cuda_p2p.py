"""p2pBandwidthLatencyTest of the CUDA samples: bandwidth and latency between each two GPUs, with and without peer access.

Source of the layout: cuda-samples, p2pBandwidthLatencyTest.cu. GB/s is 10^9 bytes/s, the mean over the repetitions. A
bidirectional figure is the sum of both directions. The diagonal is a copy within the GPU and counts reads and writes. Without
peer access a copy goes through the host. The order of the GPUs is CUDA's, not that of nvidia-smi.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from benchmarks.formats.core import Block, Line, ParsedRun, integer, measure, settings
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

PARSER_VERSION = 2
MARK = re.compile(
    r"\[P2P \(Peer-to-Peer\) GPU Bandwidth Latency Test\]"
    r"|P2P=(?:Enabled|Disabled) (?:Bandwidth|Latency)[^\n]{0,20} Matrix \((?:GB/s|us)\)[ \t]*$",
    re.MULTILINE,
)

_TITLE = re.compile(r"\[P2P \(Peer-to-Peer\) GPU Bandwidth Latency Test\]")
_SECTION = re.compile(
    r"(?:(Uni|Bi)directional )?P2P=(Enabled|Disabled) (Bandwidth|Latency)(?: \(P2P (Writes|Reads)\))? Matrix \((\S+)\)$"
)
_DEVICE = re.compile(r"Device: (\d{1,6}), (.+?), pciBusID: ")
_COLUMNS = re.compile(r"(D\\D|GPU|CPU)((?:\s+[0-9]{1,4})+)$")
_CELL = re.compile(r"\d+\.\d\d")
ROW = re.compile(r"\s*\d{1,4}(?:\s+\d+\.\d\d)+\s*$")


@dataclass(slots=True)
class _Matrix:
    title: re.Match[str]
    by: str
    columns: list[int]
    rows: list[tuple[int, list[str], Line]] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        return [label for label, _, _ in self.rows] == self.columns


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per title, or, in an excerpt, per repetition of a matrix. Raises RefusedError PARSE for a broken row."""
    return map(_run, _parts(block))


def _parts(block: Block) -> Iterator[Block]:
    seen: set[str] = set()
    start = 0
    for place, line in enumerate(block.lines):
        text = line.text.strip()
        section = _SECTION.match(text)
        if (section and text in seen) or (_TITLE.search(text) and seen):
            yield Block(block.lines[start:place])
            seen, start = set(), place
        seen |= {text} if section else set()
    yield Block(block.lines[start:])


def _run(part: Block) -> ParsedRun:
    names = {integer(match[1]): match[2] for match in part.matches(_DEVICE)}
    matrices, cut = _matrices(part)
    run = BenchmarkRun(
        layout_version="text",
        status="ok" if matrices and not cut and all(matrix.is_complete for matrix in matrices) else "truncated",
    )
    measured = [measurement for matrix in matrices for measurement in _measurements(matrix)]
    devices = [BenchmarkDevice(ordinal=n, name_raw=name) for n, name in names.items()]
    return ParsedRun(run=run, devices=devices, measurements=measured)


def _matrices(part: Block) -> tuple[list[_Matrix], bool]:
    """The matrices of a run, and whether the paste ends inside a row."""
    last = next(line for line in reversed(part.lines) if line.text.strip(" `\t"))
    title: re.Match[str] | None = None
    matrices: list[_Matrix] = []
    for line in part.lines:
        text = line.text.strip()
        if section := _SECTION.match(text):
            title = section
        elif title and not _is_used(title, matrices) and (columns := _COLUMNS.match(text)):
            matrices.append(_Matrix(title, columns[1], [int(column) for column in columns[2].split()]))
        elif title and matrices and not matrices[-1].is_complete and text[:1].isdigit():
            if not _add_row(matrices[-1], line, text, is_last=line is last):
                return matrices, True
        elif ROW.match(text):
            raise line.refuse("PARSE", "a row without the title and the columns of its matrix; upload the whole output")
        elif text and not text[0].isdigit() and matrices and matrices[-1].is_complete:
            title = title if matrices[-1].by == "GPU" else None  # the latency measured by the CPU follows under the same title
    return matrices, False


def _is_used(title: re.Match[str], matrices: list[_Matrix]) -> bool:
    """Return whether a title has its matrix already; under that of a latency, the CPU's follows the GPU's."""
    return bool(matrices) and matrices[-1].title is title and matrices[-1].by != "GPU"


def _add_row(matrix: _Matrix, line: Line, text: str, *, is_last: bool) -> bool:
    """Add a row; return False if the paste ends inside it. Raises RefusedError PARSE for any other broken row."""
    label, *cells = text.split()
    expected = matrix.columns[len(matrix.rows)]
    if label != str(expected) or len(cells) != len(matrix.columns) or not all(_CELL.fullmatch(cell) for cell in cells):
        if not is_last:
            raise line.refuse("PARSE", f"not a row of a matrix of {len(matrix.columns)} GPUs; upload the whole output")
        return False
    matrix.rows.append((expected, cells, line))
    return True


def _measurements(matrix: _Matrix) -> Iterator[Measurement]:
    for row, cells, line in matrix.rows:
        for column, raw in zip(matrix.columns, cells, strict=True):
            within = row == column
            common = {"device_ordinal": row, "peer_ordinal": None if within else column, "n_gpus": 1 if within else 2}
            of_test = _latency(matrix) if matrix.title[3] == "Latency" else _bandwidth(matrix, within=within)
            yield measure(raw=raw, unit_raw=matrix.title[5], line=line, statistic="mean", **of_test | common)


def _bandwidth(matrix: _Matrix, *, within: bool) -> dict[str, Any]:
    """Fields of a bandwidth between two GPUs or within one."""
    both = matrix.title[1] == "Bi"
    return {
        "metric": "copy_bandwidth" if within else "peer_bandwidth",
        "test": "bidirectional_bandwidth" if both else "unidirectional_bandwidth",
        "direction": "d2d_local" if within else "bidir_sum" if both else "uni",
        "workload": _workload(matrix, counted="read+write" if within else None),
    }


def _latency(matrix: _Matrix) -> dict[str, Any]:
    timed_by = matrix.by.lower() if matrix.by != "D\\D" else None
    return {"metric": "latency", "test": "latency", "workload": _workload(matrix, timed_by=timed_by)}


def _workload(matrix: _Matrix, **more: str | None) -> str | None:
    method = matrix.title[4].lower() if matrix.title[4] else None
    return settings(p2p=matrix.title[2].lower(), method=method, **more)
