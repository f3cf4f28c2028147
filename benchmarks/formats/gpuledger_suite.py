"""Result document of this project's suite (benchmarks/suite/result.py): one run per workload, with its devices and figures."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

from benchmarks.formats.core import ParsedRun, flags_of, measure, settings
from benchmarks.suite.result import FORMAT, OF_DRIVER, Device, MeasuredFigure, Result, WorkloadResult
from benchmarks.suite.result_schema import decode
from pipeline.readers import RefusedError
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

TOOL = FORMAT
PARSER_VERSION = 1
_SAME = (  # fields that Measurement has under the same name
    "stddev", "test", "item", "statistic", "n_samples", "direction", "engine", "dtype", "tensor_core", "size_bytes", "batch_size",
    "n_gpus",
)  # fmt: skip
_SPACE_FOR_PARTS = str.maketrans(";=", ",:")  # settings are written as name=value; name=value


def is_document(document: Any) -> bool:
    return isinstance(document, dict) and document.get("format") == FORMAT


def parse_document(document: Any) -> Iterator[ParsedRun]:
    """Yield one run per workload in the order run; the status of one without figures states the reason. Raises RefusedError."""
    result = decode(Result, document)
    began = _time(result.started_at)
    kinds = {device.ordinal: device.kind for device in result.devices}
    if len(kinds) != len(result.devices):
        raise RefusedError("DUP_KEY", "two devices have one ordinal; upload the file as the suite wrote it")
    for workload in result.workloads:
        yield ParsedRun(
            run=_run(result, workload, began),
            devices=[_device(device) for device in result.devices],
            measurements=[_measurement(figure, kinds) for figure in workload.figures],
        )


def _time(text: str) -> dt.datetime:
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        raise RefusedError("PARSE", f"started_at = {text[:40]!r} is no ISO 8601 time") from None
    if moment.tzinfo is None or not 2000 < moment.year < 2200:
        raise RefusedError("RANGE", f"started_at = {text[:40]!r} is not a time of this century in UTC")
    return moment.astimezone(dt.UTC).replace(tzinfo=None)


def _run(result: Result, workload: WorkloadResult, began: dt.datetime) -> BenchmarkRun:
    software = result.software
    first = result.devices[0] if result.devices else None
    return BenchmarkRun(
        tool_version=software.suite,
        layout_version=str(result.version),
        started_at=began,
        status=workload.status,
        driver=software.driver,
        cuda_runtime=software.cuda_runtime,
        framework=f"torch {software.torch}",
        args=settings(
            workload=_part(workload.name),
            profile=_part(result.profile),
            reason=_part(workload.reason) if workload.reason else None,
            transformers=_part(software.transformers),
            cudnn=_part(software.cudnn) if software.cudnn else None,
            pcie=f"{first.pcie_generation}x{first.pcie_width}" if first and first.pcie_generation else None,
        ),
    )


def _part(text: str) -> str:
    return text.translate(_SPACE_FOR_PARTS)


def _device(device: Device) -> BenchmarkDevice:
    return BenchmarkDevice(ordinal=device.ordinal, name_raw=device.name, **{name: getattr(device, name) for name in OF_DRIVER})


def _measurement(figure: MeasuredFigure, kinds: dict[int, str]) -> Measurement:
    for ordinal in (figure.device, figure.peer):
        if ordinal is not None and ordinal not in kinds:
            raise RefusedError("SCHEMA", f"a figure of device {ordinal}, which the document does not describe")
    used = kinds.values() if figure.device is None else (kinds[figure.device],)
    return measure(
        figure.metric,
        figure.value,
        figure.unit,
        device_ordinal=figure.device,
        peer_ordinal=figure.peer,
        sparsity="dense" if figure.metric in ("matrix_throughput", "integer_throughput") else "unknown",
        workload=settings(**{name: _part(value) for name, value in figure.settings.items()}),
        flags=flags_of(incorrect_result=figure.correct is False, non_cuda="cuda" not in used),
        **{name: getattr(figure, name) for name in _SAME},
    )
