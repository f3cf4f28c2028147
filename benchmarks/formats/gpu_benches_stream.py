"""gpu-stream of te42kyfo's gpu-benches: memory bandwidth of six kernels over the occupancy of the GPU.

Source of the layouts: gpu-benches, gpu-stream/main.cu, of 2024 and of 2025, which prints the threads before the blocks per
multiprocessor in spite of its header. Doubles, the median of several launches, 10^9 bytes/s. No GPU is named; the number of its
multiprocessors is threads over block size and blocks. The sweep ends at 100 percent or at the largest block.
"""

import re
from collections.abc import Iterator

from benchmarks.formats.core import Block, Line, ParsedRun, integer, measure, settings
from benchmarks.formats.pasted import cut_or_refuse
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

PARSER_VERSION = 2
MARK = re.compile(r"^(?:blockSize +threads +%occ|block +smBlocks +threads +occ%) +\| +init +read ", re.MULTILINE)

LARGEST_BLOCK = "1024"
ROW = re.compile(r" *(?P<block>\d+) +(?P<threads>\d+) +(?:(?P<blocks>\d+) +)?(?P<occupancy>[\d.]+) ?% +\|  GB/s: (?P<rates>.*)$")
_FEWER_BLOCKS = re.compile(r"! \d+ blocks per SM ")


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per header."""
    return (_run(part, block) for part in block.split(MARK))


def _run(part: Block, block: Block) -> ParsedRun:
    head = next(line for line in part.lines if MARK.match(line.text))
    kernels = head.text.partition("|")[2].split()
    rows = list(_rows(part, block, head, len(kernels)))
    is_whole = bool(rows) and (rows[-1][1]["occupancy"] == "100.0" or rows[-1][1]["block"] == LARGEST_BLOCK)
    run = BenchmarkRun(layout_version="text", status="ok" if is_whole else "truncated")
    figures = [figure for line, row in rows for figure in _figures(line, kernels, row)]
    return ParsedRun(run=run, devices=_devices(rows), measurements=figures)


def _rows(part: Block, block: Block, head: Line, n_kernels: int) -> Iterator[tuple[Line, re.Match[str]]]:
    """Yield the rows. A last line shorter than the others is cut. Raises RefusedError PARSE."""
    width = 0
    for line in part.lines[part.lines.index(head) + 1 :]:
        text = _FEWER_BLOCKS.sub("", line.text).rstrip()
        if not text.strip()[:1].isdigit() and "GB/s" not in text:
            break
        match = ROW.match(text)
        rates = match["rates"].split() if match else []
        if not match or len(rates) != n_kernels or (line is block.lines[-1] and len(text) < width):
            cut_or_refuse(line, block, f"a row of gpu-stream without the rates of its {n_kernels} kernels")
            break
        width = len(text)
        yield line, match


def _devices(rows: list[tuple[Line, re.Match[str]]]) -> list[BenchmarkDevice]:
    sizes = [(line, row, integer(row["block"], line) * integer(row["blocks"] or "1", line)) for line, row in rows]
    counts = {integer(row["threads"], line) / max(size, 1) for line, row, size in sizes}
    count = counts.pop() if len(counts) == 1 else 0.0
    return [BenchmarkDevice(ordinal=0, name_raw=None, sm_count=int(count))] if count >= 1 and count.is_integer() else []


def _figures(line: Line, kernels: list[str], row: re.Match[str]) -> Iterator[Measurement]:
    workload = settings(block_size=row["block"], occupancy_percent=row["occupancy"], blocks_per_multiprocessor=row["blocks"])
    for kernel, rate in zip(kernels, row["rates"].split(), strict=True):
        yield measure(
            "memory_bandwidth",
            rate,
            "GB/s",
            line=line,
            test=kernel,
            device_ordinal=0,
            statistic="median",
            engine="sm",
            dtype="fp64",
            n_gpus=1,
            workload=workload,
        )
