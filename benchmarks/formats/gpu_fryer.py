"""gpu-fryer (Hugging Face), a stress test: matrix throughput and temperature of each GPU over the whole run.

The rate counts SIZE³ x 2 operations. `dev` was the mean in early versions, so it is not read as a deviation. Older versions
do not print the precision. UUIDs and the prompt are not stored. Source of the layout: gpu-fryer, src/main.rs and src/log.rs.
"""

import re
from collections.abc import Iterator
from typing import Any

from benchmarks.formats.core import Block, Line, ParsedRun, measure, settings
from benchmarks.formats.pasted import cut_or_refuse
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

PARSER_VERSION = 1
MARK = re.compile(r'^[^\n"]*Detected GPU #0: "', re.MULTILINE)

_DEVICE = re.compile(r'Detected GPU #(\d{1,3}): "([^"]*)"')
_RATE_BEGIN = re.compile(r"GPU #\d{1,3}: +[\d.]+ Gflops/s")
_RATE = re.compile(r"GPU #(\d{1,3}): +(\S+) Gflops/s \(min: (\S+), max: (\S+), dev: \S+\)")
_TEMPERATURE = re.compile(r"Temperature: ([\d.]+)°C \(min: [\d.]+, max: ([\d.]+)\)")
_PRECISION = re.compile(r"Using precision\(s\): +(FP32|BF16|FP8) *$", re.MULTILINE)
_THROTTLED = re.compile(r"(HW|Thermal SW|Thermal HW): true")
_COMMAND = re.compile(r"gpu-fryer (\d{1,6})$", re.MULTILINE)


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per list of GPUs: truncated without a verdict, failed with an unhealthy GPU."""
    return map(_run, block.split(MARK))


def _run(part: Block) -> ParsedRun:
    text = part.text
    duration = _COMMAND.search(text)
    throttled = sorted({match[1] for match in _THROTTLED.finditer(text)})
    run = BenchmarkRun(
        layout_version="text",
        status=_status(text),
        args=settings(duration_s=duration[1] if duration else None, throttled=", ".join(throttled) or None),
    )
    return ParsedRun(run=run, devices=list(_devices(part)), measurements=list(_rows(part)))


def _status(text: str) -> str:
    if "Some GPUs are not healthy" in text:
        return "failed"
    return "ok" if "All GPUs seem healthy" in text else "truncated"


def _devices(part: Block) -> Iterator[BenchmarkDevice]:
    for line in part.lines:
        if match := _DEVICE.search(line.text):
            yield BenchmarkDevice(ordinal=int(match[1]), name_raw=match[2])
        elif "Detected GPU #" in line.text:
            cut_or_refuse(line, part, "a GPU's line has its name in quotes; upload the whole output")


def _rows(part: Block) -> Iterator[Measurement]:
    precision = _PRECISION.search(part.text)
    dtype = precision[1].lower() if precision else None
    gpu: int | None = None
    for line in part.lines:
        if match := _RATE.search(line.text):
            gpu = int(match[1])
            yield from _rates(line, gpu, dtype, match.groups()[1:])
        elif _RATE_BEGIN.search(line.text):
            cut_or_refuse(line, part, "a GPU's result has its mean, min, max and dev; upload the whole output")
        if gpu is not None and (heat := _TEMPERATURE.search(line.text)):
            yield _figure("temperature", heat[1], "°C", line, gpu, test="temperature", statistic="mean")
            yield _figure("temperature", heat[2], "°C", line, gpu, test="temperature", statistic="worst")


def _rates(line: Line, gpu: int, dtype: str | None, figures: tuple[str, ...]) -> Iterator[Measurement]:
    """Yield the rates of a GPU; one that did no work has none."""
    common = {"dtype": dtype, "sparsity": "dense", "tensor_core": "yes" if dtype in ("bf16", "fp8") else "unknown"}
    if not any(character in "123456789" for character in figures[0]):
        return
    for statistic, figure in zip(("mean", "worst", "best"), figures, strict=True):
        yield _figure("matrix_throughput", figure, "Gflops/s", line, gpu, test="matmul", statistic=statistic, **common)


def _figure(metric: str, raw: str, unit: str, line: Line, gpu: int, **common: Any) -> Measurement:
    return measure(metric, raw, unit, line=line, device_ordinal=gpu, n_gpus=1, workload="matrix=8192", **common)
