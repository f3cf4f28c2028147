"""gpu_stream of SuperBench: memory bandwidth of copy, scale, add and triad per GPU and block size.

Source of the layout: superbenchmark, micro_benchmarks/gpu_stream/gpu_stream.cu: 10^9 bytes/s, averaged over the loops. The
last column is percent of the printed peak.
"""

import re
from collections.abc import Iterator

from benchmarks.formats.core import DTYPES, Block, Line, ParsedRun, integer, measure, number, settings
from benchmarks.formats.pasted import cut_or_refuse, named_values
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

PARSER_VERSION = 1
MARK = re.compile(r"^STREAM Benchmark[ \t]*$", re.MULTILINE)

FIELDS = 3
_TAG = re.compile(r"STREAM_([A-Z]+)_(double|float)(?:_gpu_(\d+))?_buffer_(\d+)_block_(\d+)")
ROW = re.compile(r"\s*STREAM_[A-Z]+_(?:double|float)\S* +\d")
_DEVICE = re.compile(r'Device (\d+): "([^"]*)"  (\d+) SMs\((\d+\.\d+)\)  Memory: (?:([\d.]+)MHz)?.*  ECC is (ON|OFF)')


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per start of the tool."""
    return (_run(part, block) for part in block.split(MARK))


def _run(part: Block, block: Block) -> ParsedRun:
    header = named_values(part.lines)
    devices = [_device(match) for match in part.matches(_DEVICE)]
    loops = integer(header["Number of loops"]) if header.get("Number of loops") else None
    rows = [line for line in part.lines if line.text.strip().startswith("STREAM_")]
    figures = [figure for line in rows if (figure := _figure(line, block, loops))]
    per_device = {sum(m.device_ordinal == device.ordinal for m in figures) for device in devices}
    run = BenchmarkRun(
        layout_version="text",
        status="ok" if figures and len(figures) == len(rows) and len(per_device) <= 1 else "truncated",
        args=settings(warm_up=header.get("Number of warm up runs"), loops=loops, check_data=header.get("Check data")),
    )
    return ParsedRun(run=run, devices=devices, measurements=figures)


def _device(match: re.Match[str]) -> BenchmarkDevice:
    return BenchmarkDevice(
        ordinal=int(match[1]),
        name_raw=match[2] or None,
        compute_capability=match[4],
        sm_count=int(match[3]),
        memory_clock_mhz=number(match[5]) if match[5] else None,
        ecc=match[6] == "ON",
    )


def _figure(line: Line, block: Block, loops: int | None) -> Measurement | None:
    """The figure of a row; None if the paste cuts it. Raises RefusedError PARSE."""
    tag, *cells = line.text.split()
    match = _TAG.fullmatch(tag)
    if not match or len(cells) != FIELDS - 1:
        cut_or_refuse(line, block, f"a row of {1 + len(cells)} fields where gpu_stream prints {FIELDS}")
        return None
    return measure(
        "memory_bandwidth",
        cells[0],
        "GB/s",
        line=line,
        test=match[1].lower(),
        device_ordinal=int(match[3] or 0),
        statistic="mean",
        n_samples=loops or None,
        engine="sm",
        dtype=DTYPES[match[2]],
        size_bytes=integer(match[4], line),
        n_gpus=1,
        workload=settings(block_size=match[5]),
    )
