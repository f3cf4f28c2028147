"""Rows of llama-bench in any of its layouts, as measurements, and the devices that it names."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from benchmarks.formats.core import Line, ParsedRun, integer, measure, moment, plain, settings
from pipeline.readers import RefusedError, json_positions
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

Record = dict[str, Any]
Row = tuple[Line | None, Record | None]

_CUDA = re.compile(r"\s*Device (\d+): ([^,]+), (?:compute capability (\d+\.\d+)|gfx)")
_VULKAN = re.compile(r"ggml_vulkan: (\d+) = ([^|]+?)(?: \([^()|]*\))? \|")
_MEMORY = re.compile(r"VRAM: (\d+) MiB")
_TEST = re.compile(r"(?:pp ?(\d+))?\+?(?:tg ?(\d+))?(?: @ d(\d+))?")
_RATE = re.compile(r"(\S+) (?:±|\+/-|\S{1,3}) (\S+)")
_IN_THE_NAME = {"F16": "fp16", "BF16": "bf16", "F32": "fp32"}
_METRICS = {
    (True, False): "prompt_throughput",
    (False, True): "generation_throughput",
    (True, True): "prompt_generation_throughput",
}
# column of the records, its name in the Markdown table, the default that the table omits
_SETTINGS = (
    ("n_gpu_layers", "ngl", ""),
    ("n_cpu_moe", "n_cpu_moe", "0"),
    ("n_batch", "n_batch", "2048"),
    ("n_ubatch", "n_ubatch", "512"),
    ("type_k", "type_k", "f16"),
    ("type_v", "type_v", "f16"),
    ("split_mode", "sm", "layer"),
    ("main_gpu", "mg", "0"),
    ("no_kv_offload", "nkvo", "0"),
    ("flash_attn", "fa", ""),
    ("tensor_split", "ts", "0.00"),
)
_NOT_SETTINGS = {"model", "size", "params", "backend", "test", "t/s"}
_ON_CPU = ("n_cpu_moe", "ncmoe", "nkvo", "ot")  # settings that move weights or the KV cache to the CPU


def named_devices(lines: Iterable[Line]) -> list[BenchmarkDevice]:
    """Devices of the lines that follow `match N devices`."""
    devices: list[BenchmarkDevice] = []
    for line in lines:
        match = _CUDA.match(line.text) or _VULKAN.match(line.text)
        if not match:
            break
        memory = _MEMORY.search(line.text)
        capability = match[3] if match.re is _CUDA else None
        devices.append(_device(len(devices), match[2], capability, float(memory[1]) if memory else None))
    return devices


def _device(ordinal: int, name: str, capability: str | None = None, memory: float | None = None) -> BenchmarkDevice:
    return BenchmarkDevice(ordinal=ordinal, name_raw=name.strip(), compute_capability=capability, memory_total_mib=memory)


def run_of(layout: str, rows: list[tuple[Line | None, Record]], *, cut: bool) -> ParsedRun:
    """Build the run of records with one build and one set of devices."""
    first = rows[0][1]
    names = [name.strip() for name in str(first.get("gpu_info") or "").split(", ") if name.strip()]
    run = BenchmarkRun(
        tool_version=f"{first['build_commit']} ({first.get('build_number')})",
        layout_version=layout,
        status="truncated" if cut else "ok",
        started_at=moment(first.get("test_time"), "%Y-%m-%dT%H:%M:%SZ"),
    )
    devices = [_device(n, name) for n, name in enumerate(names)]
    return ParsedRun(run=run, devices=devices, measurements=[_record_measurement(line, row, len(devices)) for line, row in rows])


def markdown_measurement(line: Line, row: dict[str, str], devices: list[BenchmarkDevice]) -> Measurement:
    """Convert a row of a Markdown table, by the names of its header. Raises RefusedError."""
    rate = _RATE.fullmatch(row["t/s"])
    test = _TEST.fullmatch(row["test"])
    if not rate or not test or not row["test"]:
        raise line.refuse("PARSE", "llama-bench prints a test as pp512 or tg128 and its rate as `mean ± deviation`")
    prompt, generated, depth = (int(part or 0) for part in test.groups())
    varied = {name: value for name, value in row.items() if name not in _NOT_SETTINGS}
    fields = {
        "prompt": prompt,
        "generated": generated,
        "depth": depth,
        "model": row["model"],
        "backend": row.get("backend", ""),
        "about": {"model_size": row.get("size") or None, "parameters": row.get("params") or None},
        "rate": rate[1],
        "deviation": rate[2],
    }
    return _measurement(line, fields, varied, len(devices))


def _record_measurement(line: Line | None, row: Record, n_devices: int) -> Measurement:
    """Convert a record of CSV, SQL or JSON. Raises RefusedError."""
    counts = {name: integer(_text({"n_depth": 0} | row, field, line), line) for name, field in _COUNTS.items()}
    names = {"model": _text(row, "model_type", line), "backend": _backend(row)}
    fields = counts | names | {"saw_no_gpu": row.get("gpu_info") == "", "about": _about(row)}
    varied = {short: str(row[field]) for field, short, usual in _SETTINGS if field in row and _plain(row[field]) != usual}
    samples = row.get("samples_ts")
    fields |= {"rate": _text(row, "avg_ts", line), "deviation": _text(row, "stddev_ts", line)}
    fields |= {"n_samples": len(samples) if isinstance(samples, list) else None}
    return _measurement(line, fields, varied, n_devices)


_COUNTS = {"prompt": "n_prompt", "generated": "n_gen", "depth": "n_depth"}


def _about(row: Record) -> dict[str, str | None]:
    """The model's file without its folders, which may be personal, its size in bytes and number of parameters."""
    file = re.split(r"[/\\]", str(row.get("model_filename") or ""))[-1]
    size = plain(row.get("model_size"))
    return {
        "model_file": plain(file) if file else None,
        "model_size": f"{size} bytes" if size else None,
        "parameters": plain(row.get("model_n_params")),
    }


def _plain(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _backend(row: Record) -> str:
    """The backend; until 2024 each was a column."""
    old = [name for name in ("cuda", "opencl", "vulkan", "kompute", "metal", "sycl") if _plain(row.get(name)) == "1"]
    return str(row.get("backends") or "") or ",".join(name.upper() if name == "cuda" else name.title() for name in old)


def _text(row: Record, field: str, line: Line | None) -> str:
    """A figure or name of a record. Raises RefusedError PARSE if the record has none."""
    value = row.get(field)
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
        raise RefusedError("PARSE", f"llama-bench's field {field} is {value!r}", line.number if line else None)
    return json_positions.printed(value)


def _measurement(line: Line | None, fields: dict[str, Any], varied: dict[str, str], n_devices: int) -> Measurement:
    prompt, generated, depth = fields["prompt"], fields["generated"], fields["depth"]
    parts = ([f"pp{prompt}"] if prompt else []) + ([f"tg{generated}"] if generated else [])
    if not parts:
        raise RefusedError("PARSE", "a test of no tokens", line.number if line else None)
    alone = n_devices == 1 or varied.get("sm") == "none"
    n_gpus = min(n_devices, 1) if alone else n_devices
    main_gpu = next((n for n in range(n_devices) if str(n) == varied.get("mg", "0")), None)  # None if it is not listed
    test = "+".join(parts) + (f" @ d{depth}" if depth else "")
    return measure(
        _METRICS[bool(prompt), bool(generated)],
        fields["rate"],
        "t/s",
        line=line,
        stddev=fields["deviation"],
        test=test,
        device_ordinal=main_gpu if alone else None,
        statistic="mean",
        n_samples=fields.get("n_samples") or None,
        dtype=_IN_THE_NAME.get(fields["model"].rsplit(" ", 1)[-1]),
        n_gpus=n_gpus or None,
        item="tokens",
        workload=settings(model=fields["model"], backend=fields["backend"] or None, **varied, **fields["about"]),
        flags=",".join(_flags(fields, varied)) or None,
    )


def _flags(fields: dict[str, Any], varied: dict[str, str]) -> Iterator[str]:
    backend = fields["backend"]
    if fields.get("saw_no_gpu") or (backend and "CUDA" not in backend) or varied.get("ngl") == "0":  # no layer on a GPU
        yield "non_cuda"
        return
    if any(varied.get(name, "0") not in ("0", "", "none") for name in _ON_CPU):
        yield "partial_offload"
