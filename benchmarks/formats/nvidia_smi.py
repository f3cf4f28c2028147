"""nvidia-smi -q -x: a list of GPUs from the XML of DTD v10 to v13, without performance figures.

Power draw, temperature, utilization, used memory and current clocks are momentary and left out, as are serial number, UUID, bus
address and processes. `cuda_version` is the newest CUDA that the driver supports, not the one that was used.
"""

import re
from collections.abc import Iterator

from benchmarks.formats.core import Block, Line, ParsedRun, moment, number, settings
from pipeline.readers import strict_xml
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun

PARSER_VERSION = 1
MEASURES = False
MARK = re.compile(r"<!DOCTYPE\s+nvidia_smi_log\b|<nvidia_smi_log\b")

_ABOUT = {"timestamp", "driver_version", "cuda_version", "attached_gpus"}
_POWER = (  # enforced limit, newest name first; up to v11 there is a requested one too
    "gpu_power_readings/current_power_limit",
    "power_readings/current_power_limit",
    "power_readings/enforced_power_limit",
    "power_readings/power_limit",
)
_WANTED = {
    "product_name", "mig_mode/current_mig", "ecc_mode/current_ecc", "fb_memory_usage/total", "max_clocks/sm_clock",
    "max_clocks/mem_clock", *_POWER,
}  # fmt: skip
_BEGINS = re.compile(r"<!DOCTYPE|<nvidia_smi_log\b")
_END = "</nvidia_smi_log>"
_DTD = re.compile(r"nvsmi_device_(v\d+)\.dtd")
_ABSENT = re.compile(r"\[?(?:N/A|Not (?:Supported|Available)|Unknown Error|Insufficient Permissions|GPU is lost|None)?\]?")


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per document. Raises RefusedError PARSE, TOO_DEEP or DUP_KEY."""
    text, start = block.text, 0
    while match := _BEGINS.search(text, start):
        end = text.find(_END, match.start())
        stop = len(text) if end < 0 else end + len(_END)
        line = block.lines[text.count("\n", 0, match.start())]
        yield _run(text[match.start() : stop], line)
        start = stop


def _run(text: str, line: Line) -> ParsedRun:
    leaves = strict_xml.parse_leaves(text, "gpu", _ABOUT | _WANTED, line.number)
    dtd = _DTD.search(text, 0, 500)
    fields = {name: value for name, value in leaves.about.items() if value_of(value)}
    run = BenchmarkRun(
        layout_version=f"xml {dtd[1]}" if dtd else "xml",
        started_at=moment(fields.get("timestamp", ""), "%a %b %d %H:%M:%S %Y"),
        status="ok" if leaves.whole else "truncated",
        driver=fields.get("driver_version"),
        args=settings(cuda_driver_api=fields.get("cuda_version"), attached_gpus=fields.get("attached_gpus")),
    )
    return ParsedRun(run=run, devices=[_device(ordinal, gpu, line) for ordinal, gpu in enumerate(leaves.records)])


def _device(ordinal: int, gpu: dict[str, str], line: Line) -> BenchmarkDevice:
    limits = (quantity(gpu.get(name), "W", line) for name in _POWER)
    return BenchmarkDevice(
        ordinal=ordinal,
        name_raw=gpu.get("product_name") or None,
        memory_total_mib=quantity(gpu.get("fb_memory_usage/total"), "MiB", line),
        sm_clock_mhz=quantity(gpu.get("max_clocks/sm_clock"), "MHz", line),
        memory_clock_mhz=quantity(gpu.get("max_clocks/mem_clock"), "MHz", line),
        power_limit_w=next((limit for limit in limits if limit), None),
        ecc=switch(gpu.get("ecc_mode/current_ecc"), line),
        mig=switch(gpu.get("mig_mode/current_mig"), line),
    )


def value_of(printed: str | None) -> str | None:
    """Return what nvidia-smi prints for a property; None where it prints that there is none."""
    return None if printed is None or _ABSENT.fullmatch(printed) else printed


def quantity(printed: str | None, unit: str, line: Line) -> float | None:
    """Parse a figure with its unit as nvidia-smi prints it; None for zero or "N/A". Raises RefusedError."""
    if (printed := value_of(printed)) is None:
        return None
    value, _, printed_unit = printed.partition(" ")
    if printed_unit != unit:
        raise line.refuse("PARSE", f"{printed[:40]!r} is not a figure in {unit}; upload the output unchanged")
    if (figure := number(value, line)) < 0:
        raise line.refuse("RANGE", f"{printed[:40]!r} is below zero")
    return figure or None


def switch(printed: str | None, line: Line) -> bool | None:
    """Parse Enabled or Disabled; None if the GPU has no such switch. Raises RefusedError PARSE for anything else."""
    if (printed := value_of(printed)) is None:
        return None
    if printed not in ("Enabled", "Disabled"):
        raise line.refuse("PARSE", f"{printed[:40]!r} is neither Enabled nor Disabled")
    return printed == "Enabled"
