"""mamf-finder of ml-engineering: the highest rate of matrix products over many shapes, in its layouts of 2024, 2025 and 2026.

Source of the layouts: ml-engineering, compute/accelerator/benchmarks/mamf-finder.py. TFLOPS are 10^12; operands are dense. The
device's memory is printed in MiB and labelled MB.
"""

import re
from collections.abc import Iterator
from typing import Any

from benchmarks.formats.core import DTYPES, Block, Line, ParsedRun, measure, moment, number, settings
from benchmarks.formats.pasted import cut_or_refuse, staged
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

PARSER_VERSION = 1
MARK = re.compile(
    r"^(?:Benchmark started on [^\n]*\n+\*\* Command line:\n[^\n]*\n+\*\* Dtype: "
    r"|The best outcome was |Tried +\d+ shapes => the best outcomes were:)",
    re.MULTILINE,
)

_STARTED = re.compile(r"Benchmark started on (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)")
_SHAPE = r" ?TFLOPS @ (\d+)x(\d+)x(\d+) \(MxNxK\)"
_FORM_2024 = re.compile(r"The best outcome was (\S+?)" + _SHAPE)
_LATER = re.compile(r"(mean|median|max|MAMF|MSMF)\b[^:]*: +(\S+)" + _SHAPE)
_ACROSS = re.compile(r"(arithmetic|geometric) mean: +(\S+) TFLOPS")
_DEVICE = re.compile(
    r"_CudaDeviceProperties\(name='([^']+)', major=(\d+), minor=(\d+), total_memory=(\d+)MB, multi_processor_count=(\d+)"
)
_ROCM = re.compile(r"gcnArchName|hip=\d")
_STATISTICS = {"mean": "mean", "median": "median", "max": "best", "MAMF": "median", "MSMF": "mean"}


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per header or, without one, per result."""
    return (_run(part, block) for part in staged(block.lines, [_stage(line) for line in block.lines]) if MARK.search(part.text))


def _stage(line: Line) -> int | None:
    if _STARTED.match(line.text):
        return 0
    return 1 if line.text.startswith("** Dtype:") else None


def _run(part: Block, block: Block) -> ParsedRun:
    fields = dict(
        line.text.removeprefix("- ").partition("=")[::2] for line in part.lines if re.match(r"(?:- )?(?:torch|cuda)=", line.text)
    )
    started = _STARTED.search(part.text)
    common = _common_fields(part)
    figures = [figure for line in part.lines for figure in _figures(line, block, common)]
    version = re.search(r"^(?:- )?benchmark version: (\d+)$", part.text, re.MULTILINE)
    run = BenchmarkRun(
        tool_version=version[1] if version else None,
        layout_version="single" if "The best outcome was" in part.text else "several",
        status="ok" if figures else "truncated",
        started_at=moment(started[1]) if started else None,
        cuda_runtime=fields.get("cuda") or None,
        framework=f"torch {fields['torch']}" if fields.get("torch") else None,
    )
    return ParsedRun(run=run, devices=_devices(part), measurements=figures)


def _common_fields(part: Block) -> dict[str, Any]:
    match = re.search(r"^\*\* Dtype: (?:torch\.)?(\w+)$", part.text, re.MULTILINE)
    dtype = DTYPES.get(match[1]) if match else None
    nvidia = bool(_DEVICE.search(part.text)) and not _ROCM.search(part.text)
    return {
        "dtype": dtype,
        "tensor_core": "yes" if nvidia and dtype not in (None, "fp32") else "unknown",
        "sparsity": "dense",
        "device_ordinal": 0,
        "n_gpus": 1,
        "flags": "non_cuda" if _ROCM.search(part.text) or ("** Platform" in part.text and not nvidia) else None,
    }


def _devices(part: Block) -> list[BenchmarkDevice]:
    match = _DEVICE.search(part.text)
    if not match:
        return []
    capability = None if _ROCM.search(part.text) else f"{match[2]}.{match[3]}"
    units = None if capability is None else int(match[5])
    return [
        BenchmarkDevice(
            ordinal=0, name_raw=match[1], compute_capability=capability, sm_count=units, memory_total_mib=number(match[4])
        )
    ]


def _figures(line: Line, block: Block, common: dict[str, Any]) -> Iterator[Measurement]:
    """Yield the figures of a line. Raises RefusedError PARSE for a broken result that is not the end of the paste."""
    text = line.text.strip()
    if match := _FORM_2024.match(text):
        yield _figure(line, match[1], "best shape", "best", common | _shape(match.groups()[1:]))
    elif match := _LATER.match(text):
        test = match[1] if match[1] in ("MAMF", "MSMF") else "best shape"
        yield _figure(line, match[2], test, _STATISTICS[match[1]], common | _shape(match.groups()[2:]))
    elif (match := _ACROSS.match(text)) and text.endswith("TFLOPS"):
        yield _figure(line, match[2], f"all shapes, {match[1]} mean", "avg_all_sizes", common)
    elif re.match(r"The best outcome was|(?:mean|median|max): .*TFLOPS|(?:arithmetic|geometric) mean:", text):
        cut_or_refuse(line, block, "a result of mamf-finder without its rate or shape")


def _shape(sizes: tuple[str, ...]) -> dict[str, Any]:
    return {"workload": settings(**dict(zip("mnk", sizes, strict=True)))}


def _figure(line: Line, rate: str, test: str, statistic: str, common: dict[str, Any]) -> Measurement:
    return measure("matrix_throughput", rate, "TFLOPS", line=line, test=test, statistic=statistic, **common)
