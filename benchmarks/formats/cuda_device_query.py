"""deviceQuery of the CUDA samples: a list of GPUs without performance figures.

Source of the layout: cuda-samples, deviceQuery.cpp. "MBytes" are MiB, and the exact bytes are printed beside them. CUDA 13
removed the clocks from its interface, so they may be missing.
"""

import re
from collections.abc import Iterator

from benchmarks.formats.core import Block, ParsedRun, integer, number, settings
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun

PARSER_VERSION = 1
MEASURES = False
MARK = re.compile(r"CUDA Device Query \((?:Runtime|Driver) API\)|Device \d+: \"[^\"\n]+\"[ \t]*$", re.MULTILINE)

_TITLE = re.compile(r"CUDA Device Query \((?:Runtime|Driver) API\)")
_DEVICE = re.compile(r"^[ \t]*Device (\d{1,6}): \"([^\"\n]+)\"[ \t]*$")
_DETECTED = re.compile(r"Detected (\d+) CUDA Capable device")
_VERSIONS = re.compile(r"CUDA Driver Version(?: / Runtime Version)?:? +(\d+\.\d+)(?: / (\d+\.\d+)$)?")
_RESULT = re.compile(r"Result = (PASS|FAIL)")
_CAPABILITY = re.compile(r"CUDA Capability Major/Minor version number: +(\d+\.\d+)$")
_MEMORY = re.compile(r"Total amount of global memory: +[\d.]+ MBytes \((\d+) bytes\)")
_PROCESSORS = re.compile(r"\( *(\d{1,6})\) Multiprocessors")
_CLOCK = re.compile(r"GPU (?:Max )?Clock rate: +(\d+(?:\.\d+)?) MHz", re.IGNORECASE)
_MEMORY_CLOCK = re.compile(r"Memory Clock rate: +(\d+(?:\.\d+)?) Mhz", re.IGNORECASE)
_ECC = re.compile(r"Device has ECC support: +(Enabled|Disabled)")


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per title. A text without a title is one run, since the title may not have been pasted."""
    return map(_run, block.split(_TITLE))


def _run(part: Block) -> ParsedRun:
    text = "\n".join(line.text.rstrip() for line in part.lines)
    gpus = [gpu for gpu in part.split(_DEVICE) if any(_DEVICE.match(line.text) for line in gpu.lines)]
    devices = {device.ordinal: device for device in map(_device, gpus)}
    detected, result = _DETECTED.search(text), _RESULT.search(text)
    versions = _first(part, _VERSIONS)
    missing = detected is not None and integer(detected[1]) > len(devices)
    ended = "failed" if result and result[1] == "FAIL" else "ok"
    run = BenchmarkRun(
        layout_version="text",
        status="truncated" if missing or not result else ended,
        cuda_runtime=versions[2] if versions else None,
        args=settings(cuda_driver_api=versions[1] if versions else None),
    )
    return ParsedRun(run=run, devices=list(devices.values()))


def _first(part: Block, form: re.Pattern[str]) -> re.Match[str] | None:
    return next((match for line in part.lines if (match := form.search(line.text.rstrip()))), None)


def _device(gpu: Block) -> BenchmarkDevice:
    """A GPU with its printed properties; zero means that the driver does not report one. A MIG slice has MIG in its name."""
    heading = _first(gpu, _DEVICE)
    if heading is None:
        raise AssertionError("the lines of a GPU begin with its name")
    processors, capability, ecc = _first(gpu, _PROCESSORS), _first(gpu, _CAPABILITY), _first(gpu, _ECC)
    memory = _first(gpu, _MEMORY)
    return BenchmarkDevice(
        ordinal=integer(heading[1]),
        name_raw=heading[2],
        compute_capability=capability[1] if capability else None,
        sm_count=(integer(processors[1]) or None) if processors else None,
        memory_total_mib=(integer(memory[1]) / 2**20 or None) if memory else None,
        sm_clock_mhz=_clock(gpu, _CLOCK),
        memory_clock_mhz=_clock(gpu, _MEMORY_CLOCK),
        ecc=ecc[1] == "Enabled" if ecc else None,
        mig=True if " MIG " in heading[2] else None,
    )


def _clock(gpu: Block, form: re.Pattern[str]) -> float | None:
    match = _first(gpu, form)
    return (number(match[1]) or None) if match else None
