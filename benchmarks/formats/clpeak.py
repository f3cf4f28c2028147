"""clpeak: peaks of arithmetic, memory, transfers and launches, as JSON (3), XML (2) and the text of version 1.

Source of the layouts: clpeak, src/common/run_document.cpp and units.cpp, and its published results. Each device of each
backend is a run. Tests whose meaning is not defined here, as those of caches and shared memory, are skipped and counted in
`args`.
"""

import html
import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from benchmarks.formats.core import Block, Line, ParsedRun, json_number, measure, moment, settings
from benchmarks.formats.pasted import cut_or_refuse
from pipeline.readers import RefusedError, json_positions
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

PARSER_VERSION = 1
MARK = re.compile(r"^(?:Platform: [^\n]+\n  Device: |[ \t]*<clpeak(?: |>))", re.MULTILINE)

_TAG = re.compile(r"\s*<(run|prop|test|metric)((?: \w+=\"[^\"]*\")*)\s*(?:/>|>([^<]*)(?:</metric>)?)\s*$")
_ATTRIBUTE = re.compile(r"(\w+)=\"([^\"]*)\"")
_ANY_TAG = re.compile(r"\s*<(?:run|prop|test|metric)\b")
_HEADING = re.compile(r"    (\S.*?) \((GBPS|GFLOPS|TFLOPS|GIOPS|TIOPS)\)\s*$")
_FIGURE = re.compile(r"      +(\S.*?) *: (\S+)\s*$")
_LATENCY = re.compile(r"    Kernel launch latency : (\S+) us\s*$")

Device = dict[str, Any]
# line, test, metric of the test, figure, unit
Reading = tuple[Line | None, str, str, str, str]
_VECTOR = {
    "single_precision_compute": "fp32", "half_precision_compute": "fp16", "double_precision_compute": "fp64",
    "mixed_precision_compute": "mixed", "bfloat16_compute": "bf16", "integer_compute": "int32", "integer_compute_fast": "int32",
    "integer_compute_char": "int8", "integer_compute_short": "int16", "integer_compute_int8_dp": "int8",
}  # fmt: skip
_MATRIX = ("wmma", "coopmat", "cublas", "mfma", "smfmac", "rocwmma", "rocblas", "hipblaslt")
_TRANSFERS = {
    "h2d_pinned": "h2d", "d2h_pinned": "d2h", "enqueuewritebuffer": "h2d", "enqueuereadbuffer": "d2h",
}  # fmt: skip
_OPERANDS = re.compile(r"(?:wmma_|mfma_|smfmac_|rocwmma_)?(fp64|fp32|tf32|fp16|bf16|fp8|fp4|mxfp4|mxf4|nvf4|int8)(?![0-9])")
_FP4 = ("fp4", "mxfp4", "mxf4", "nvf4")
_TITLES = {"single-precision compute": "single_precision_compute", "integer compute fast 24bit": "integer_compute_fast"}


def is_document(document: Any) -> bool:
    return isinstance(document, dict) and document.get("schema") == "clpeak/run"


def parse_document(document: Any) -> Iterator[ParsedRun]:
    """Yield one run per device of a backend. Raises RefusedError PARSE."""
    started = moment(document.get("generated_at"), "%Y-%m-%dT%H:%M:%SZ")
    common = {"started_at": started, "status": "truncated" if document.get("cancelled") else "ok"}
    try:
        for device in document["devices"]:
            readings = list(_json_readings(device))
            fields = {entry["key"]: entry["value"] for entry in device.get("properties", [])}
            yield _run("json", document.get("clpeak_version"), device | {"properties": fields}, readings, common)
    except (KeyError, TypeError, AttributeError) as error:
        raise RefusedError("PARSE", f"clpeak's JSON without a field that it writes ({error})") from None


def _json_readings(device: Device) -> Iterator[Reading]:
    """Readings of a device; those without a value were not supported or failed."""
    for test in device["tests"]:
        for metric in test["metrics"]:
            if (value := metric.get("value")) is not None:
                figure = json_positions.printed(json_number(value, "value"))
                yield None, test["id"], metric["id"], figure, metric.get("unit", test["unit"])


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield the runs of text and XML. Raises RefusedError PARSE, or SCHEMA for XML of another version."""
    if any(line.text.lstrip().startswith("<clpeak") for line in block.lines):
        yield from _xml_runs(block)
    if any(line.text.startswith("Platform: ") for line in block.lines):
        yield from _text_runs(block)


def _xml_runs(block: Block) -> Iterator[ParsedRun]:
    root = next(line for line in block.lines if line.text.lstrip().startswith("<clpeak"))
    fields = dict(_ATTRIBUTE.findall(root.text))
    if fields.get("format_version") != "2":
        raise root.refuse("SCHEMA", "of clpeak's XML only format_version 2 is read; newer versions write JSON")
    cut = not any("</clpeak>" in line.text for line in block.lines)
    tags = [tag for line in block.lines if _ANY_TAG.match(line.text) for tag in _tag(line, block)]
    starts = [n for n, (_, name, _, _) in enumerate(tags) if name == "run"]
    for start, end in itertools.pairwise([*starts, len(tags)]):
        device, readings = _xml_device(tags[start:end])
        last = end == len(tags)
        yield _run("xml", fields.get("clpeak_version"), device, readings, {"status": "truncated" if cut and last else "ok"})


Tag = tuple[Line, str, dict[str, str], str]


def _tag(line: Line, block: Block) -> list[Tag]:
    """The element of a line, of which clpeak writes one per line; nothing if the paste is cut there."""
    match = _TAG.match(line.text)
    whole = match and (match[1] != "metric" or "</metric>" in line.text or line.text.rstrip().endswith("/>"))
    if not match or not whole:
        cut_or_refuse(line, block, "clpeak's XML has one whole element per line")
        return []
    attributes = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(match[2])}
    return [(line, match[1], attributes, match[3] or "")]


def _xml_device(tags: list[Tag]) -> tuple[Device, list[Reading]]:
    fields = tags[0][2]
    device: Device = {name: fields.get(name) for name in ("backend", "platform", "driver")} | {"name": fields.get("device")}
    device["properties"] = {tag[2].get("name"): tag[2].get("value") for tag in tags if tag[1] == "prop"}
    readings: list[Reading] = []
    test: dict[str, str] = {}
    for line, name, attributes, text in tags:
        test = attributes if name == "test" else test
        if name == "metric" and "status" not in attributes:
            readings.append((line, test.get("name", ""), attributes.get("name", ""), text.strip(), test.get("unit", "")))
    return device, readings


def _text_runs(block: Block) -> Iterator[ParsedRun]:
    """Yield the runs of version 1, which prints a platform, its devices and their tests."""
    starts = [n for n, line in enumerate(block.lines) if line.text.startswith("  Device: ")]
    for start, end in itertools.pairwise([*starts, len(block.lines)]):
        above = (line.text for line in reversed(block.lines[:start]) if line.text.startswith("Platform: "))
        platform = next(above, "").removeprefix("Platform: ").strip()
        lines = block.lines[start:end]
        name = lines[0].text.removeprefix("  Device: ").strip()
        driver = next((line.text.partition(":")[2].strip() for line in lines if line.text.startswith("    Driver version")), "")
        device = {"backend": "OpenCL", "platform": platform, "name": name, "driver": driver, "properties": {}}
        readings, cut = _text_readings(lines, block)
        yield _run("text", None, device, readings, {"status": "truncated" if cut else "ok"})


def _text_readings(lines: tuple[Line, ...], block: Block) -> tuple[list[Reading], bool]:
    """Readings, and whether the latency that ends a device's tests is missing."""
    readings: list[Reading] = []
    test, unit = "", ""
    for line in lines:
        if heading := _HEADING.match(line.text):
            test, unit = heading[1], heading[2].replace("TIOPS", "TOPS")
        elif latency := _LATENCY.match(line.text):
            return [*readings, (line, "Kernel launch latency", "roundtrip", latency[1], "us")], False
        elif not line.text.strip():
            unit = ""
        elif unit and (match := _FIGURE.match(line.text)) and (line is not block.lines[-1] or re.search(r"\.\d\d$", match[2])):
            readings.append((line, test, match[1], match[2], unit))
        elif unit:
            cut_or_refuse(line, block, "a figure of clpeak is `name : number`")
    return readings, True


def _run(layout: str, version: Any, device: Device, readings: list[Reading], common: dict[str, Any]) -> ParsedRun:
    backend, name = str(device.get("backend") or ""), str(device.get("name") or "")
    nvidia = backend == "CUDA" or "nvidia" in f"{name} {device.get('platform')}".lower()
    measurements = (measurement(*reading) for reading in readings)
    figures = [replace(figure, flags=None if nvidia else "non_cuda") for figure in measurements if figure]
    run = BenchmarkRun(
        tool_version=version,
        layout_version=layout,
        driver=str(device.get("driver") or "").partition(" ")[0] or None if backend != "CUDA" else None,
        cuda_runtime=device["properties"].get("Toolkit") if backend == "CUDA" else None,
        framework=backend or None,
        args=settings(platform=device.get("platform"), figures_left=len(readings) - len(figures) or None),
        **common,
    )
    return ParsedRun(run=run, devices=[_device(name, device["properties"], nvidia)] if name else [], measurements=figures)


def _device(name: str, fields: dict[str, Any], nvidia: bool) -> BenchmarkDevice:
    units = str(fields.get("SMs") or "")
    arch = re.fullmatch(r"sm_(\d+)(\d)[a-z]?", str(fields.get("Arch") or ""))
    return BenchmarkDevice(
        ordinal=0,
        name_raw=name,
        sm_count=int(units) if nvidia and re.fullmatch(r"\d{1,5}", units, re.ASCII) else None,
        compute_capability=f"{arch[1]}.{arch[2]}" if arch else None,
    )


def measurement(line: Line | None, test: str, metric: str, value: str, unit: str) -> Measurement | None:
    """Convert a reading to a measurement; None for a test that is not defined here. Raises RefusedError."""
    common = _meaning(_identifier(test), metric.lower())
    if common is None:
        return None
    return measure(
        raw=value,
        unit_raw=unit,
        line=line,
        test=f"{_identifier(test)} {metric}",
        device_ordinal=0,
        statistic="mean",
        n_gpus=1,
        workload=settings(width=metric),
        **common,
    )


def _identifier(test: str) -> str:
    """The identifier of later versions for a title that version 1 prints."""
    title = test.lower()
    return _TITLES.get(title) or title.replace("-", "_" if " " in title else "-").replace(" ", "_")


def _meaning(test: str, metric: str) -> dict[str, Any] | None:
    if test in _VECTOR:
        dtype = _VECTOR[test]
        kind = "integer_throughput" if dtype.startswith("int") else "vector_throughput"
        return {"metric": kind, "dtype": dtype, "tensor_core": "no", "sparsity": "dense"}
    if test.startswith(_MATRIX):
        return _matrix(test, metric)
    if test == "global_memory_bandwidth":
        return {"metric": "memory_bandwidth", "engine": "sm"}
    if test == "transfer_bandwidth" and metric in _TRANSFERS:
        return {"metric": "copy_bandwidth", "direction": _TRANSFERS[metric]}
    if test == "kernel_launch_latency":
        return {"metric": "latency"}
    return None


def _matrix(test: str, metric: str) -> dict[str, Any] | None:
    """Use of matrix units. Libraries compute fp32 outside of them, and fp64 depending on the GPU."""
    match = _OPERANDS.match(metric)
    if not match:
        return None
    dtype = "fp4" if match[1] in _FP4 else match[1]
    sparse = "2:4" in metric or "sparse" in metric or test.startswith("smfmac")
    library = "blas" in test
    cores = {"fp32": "no", "fp64": "unknown"}.get(dtype, "yes") if library else "yes"
    kind = "integer_throughput" if dtype == "int8" else "matrix_throughput"
    return {"metric": kind, "dtype": dtype, "tensor_core": cores, "sparsity": "sparse" if sparse else "dense"}
