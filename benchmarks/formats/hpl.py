"""HPL, the Linpack benchmark, and NVIDIA's build of it: rate of solving one dense system in double precision.

Source of the layout: HPL, testing/ptest/HPL_pdtest.c. NVIDIA's build prints the rate per GPU beside the total rate, with
one GPU per process of the P x Q grid. No GPU is named. A rate whose residual check failed is flagged, and so is one that
does not follow from the order of the system and the time.
"""

import itertools
import math
import re
from collections.abc import Iterator

from benchmarks.formats.core import Block, Line, ParsedRun, flags_of, integer, measure, moment, number, settings
from benchmarks.formats.pasted import cut_or_refuse, staged
from pipeline.schema.benchmarks import BenchmarkRun, Measurement

PARSER_VERSION = 1
MARK = re.compile(r"^[ \t]*(?:HPLinpack \d|HPL-NVIDIA v?\d|T/V +N +NB +P +Q +Time +Gflops\b)", re.MULTILINE)

FIELDS = 7
FIELDS_WITH_RATE_PER_GPU = 10
CLOSE = 0.01
_ROW = re.compile(r"\s*W[RC]\w+\s")
_WHOLE = re.compile(r"\d\.\d+e[+-]\d\d")
_BANNER = re.compile(r"\s*(?:HPLinpack (\d[\d.]*)|HPL-NVIDIA v?(\d[\d.]*))")
_HEADER = re.compile(r"\s*T/V +N +NB +P +Q +Time +Gflops")
_RESIDUAL = re.compile(r"\s*\|\|Ax-b\|\|_oo/\(eps.*= .*\.\.\.\. (PASSED|FAILED)")
_START = re.compile(r"HPL_pdgesv\(\) start time (\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4})")


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per banner."""
    stages = [0 if _BANNER.match(line.text) else 1 if _HEADER.match(line.text) else None for line in block.lines]
    return (_run(part, block) for part in staged(block.lines, stages))


def _run(part: Block, block: Block) -> ParsedRun:
    banners = [match for line in part.lines if (match := _BANNER.match(line.text))]
    version = next((match[2] for match in banners if match[2]), None) or next((match[1] for match in banners), None)
    rows = list(_rows(part, block))
    figures = [_figure(line, fields, verdict) for line, fields, verdict in rows if fields]
    started = _START.search(part.text)
    run = BenchmarkRun(
        tool_version=version,
        layout_version="nvidia" if "per GPU" in part.text or any(match[2] for match in banners) else "netlib",
        status=_status(rows),
        started_at=moment(started[1], "%a %b %d %H:%M:%S %Y") if started else None,
    )
    return ParsedRun(run=run, measurements=figures)


def _status(rows: list[tuple[Line, list[str] | None, str | None]]) -> str:
    """Status of the run: truncated if a row is cut or has no residual check."""
    if any(verdict == "FAILED" for _, _, verdict in rows):
        return "invalid"
    return "ok" if rows and all(fields and verdict for _, fields, verdict in rows) else "truncated"


def _rows(part: Block, block: Block) -> Iterator[tuple[Line, list[str] | None, str | None]]:
    """Rows with their fields (None where the paste is cut) and the verdict below. Raises RefusedError PARSE."""
    at = [n for n, line in enumerate(part.lines) if _ROW.match(line.text)]
    for n, end in itertools.pairwise([*at, len(part.lines)]):
        line = part.lines[n]
        fields = line.text.replace("(", " ( ").replace(")", " ) ").split()
        whole = len(fields) in (FIELDS, FIELDS_WITH_RATE_PER_GPU) and bool(
            _WHOLE.fullmatch(fields[6]) or not fields[6][0].isdigit()
        )
        if not whole:
            cut_or_refuse(line, block, "a row of HPL's table is T/V N NB P Q Time Gflops")
        verdict = next((match[1] for other in part.lines[n:end] if (match := _RESIDUAL.match(other.text))), None)
        yield line, fields if whole else None, verdict


def _figure(line: Line, fields: list[str], verdict: str | None) -> Measurement:
    variant, order, block_size, p, q, seconds, rate = fields[:FIELDS]
    wrong = verdict == "FAILED"
    edited = not _follows(integer(order, line), number(seconds, line), number(rate, line))
    flags = flags_of(incorrect_result=wrong, edited=edited)
    per_gpu = len(fields) == FIELDS_WITH_RATE_PER_GPU
    return measure(
        "linpack_throughput", rate, "Gflops", line=line, test="hpl", statistic="single", dtype="fp64", sparsity="dense",
        n_gpus=integer(p, line) * integer(q, line) if per_gpu else None, flags=flags, status="invalid" if wrong else "ok",
        workload=settings(n=order, nb=integer(block_size, line), p=p, q=q, variant=variant),
    )  # fmt: skip


def _follows(order: int, seconds: float, gflops: float) -> bool:
    """Check HPL's own formula: (2/3 n^3 + 3/2 n^2) operations over the time, which is printed to 0.01 s."""
    if seconds == 0:
        return True
    expected = order / 1e9 / seconds * (2 / 3 * order + 3 / 2) * order
    return math.isclose(expected, gflops, rel_tol=CLOSE + 0.01 / seconds)
