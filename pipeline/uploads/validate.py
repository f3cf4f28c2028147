"""Validation of parsed rows against the declarations of their tables, so that no upload can fail a build later.

The declarations are in `pipeline.schema.benchmarks`; comparisons with the GPU's specifications belong in `plausibility`.
"""

from dataclasses import replace
from typing import Any

from benchmarks.formats.core import MAX_DEVICES, ParsedRun
from pipeline.readers import RefusedError
from pipeline.schema import Column, Record
from pipeline.schema.benchmarks import BenchmarkDevice

MAX_ROWS = 20_000
MAX_GPUS = 100_000  # of one figure: the largest training runs used fewer
MAX_CHARACTERS = 2000
MAX_INTEGER = 2**63 - 1
_PROPERTIES = [column for column in BenchmarkDevice.__table__.columns if column.nullable and column.col.above is not None]


def validate_runs(runs: list[ParsedRun]) -> list[ParsedRun]:
    """Return the runs without properties of devices that their table would refuse.

    Such a property, a clock of 0 MHz for instance, is unknown, and the settings of the run state it. Raises RefusedError SIZE,
    RANGE or PARSE for the first other row that its table would refuse.
    """
    cleaned = [_without_wrong_properties(run) for run in runs]
    _validate(cleaned)
    return cleaned


def _without_wrong_properties(run: ParsedRun) -> ParsedRun:
    wrong = [(n, column.name) for n, device in enumerate(run.devices) for column in _PROPERTIES if _is_wrong(column, device)]
    if not wrong:
        return run
    devices = list(run.devices)
    for n, name in wrong:
        empty: dict[str, Any] = {name: None}
        devices[n] = replace(devices[n], **empty)
    values = {f"{name} {getattr(run.devices[n], name):g}" for n, name in wrong}
    args = "; ".join(filter(None, (run.run.args, f"not_read={', '.join(sorted(values))}")))
    return replace(run, devices=devices, run=replace(run.run, args=args))


def _is_wrong(column: Column, device: BenchmarkDevice) -> bool:
    value = getattr(device, column.name)
    return value is not None and bool(_number_problem(column, value))


def _validate(runs: list[ParsedRun]) -> None:
    if sum(len(run.measurements) for run in runs) > MAX_ROWS:
        raise RefusedError("SIZE", f"more than {MAX_ROWS:,} figures in one file; upload the summary, or in parts")
    if sum(len(run.devices) for run in runs) > MAX_DEVICES:
        raise RefusedError("SIZE", f"more than {MAX_DEVICES:,} devices in one file; upload it in parts")
    for run in runs:
        for row in (run.run, *run.devices, *run.measurements):
            _validate_row(row)
        if any((figure.n_gpus or 0) > MAX_GPUS for figure in run.measurements):
            raise RefusedError("RANGE", f"a figure of more than {MAX_GPUS:,} GPUs; upload the tool's own output")
        ordinals = [device.ordinal for device in run.devices]
        if len(set(ordinals)) < len(ordinals):
            raise RefusedError("PARSE", f"{run.run.tool} lists one device number twice; upload the runs one by one")


def _validate_row(row: Record) -> None:
    for column in row.__table__.columns:
        value = getattr(row, column.name)
        if value is None:
            if not column.nullable:
                raise RefusedError("PARSE", f"no {column.name} was found")
        elif problem := _text_problem(column, value) if isinstance(value, str) else _number_problem(column, value):
            raise RefusedError("RANGE", f"{column.name} = {str(value)[:60]!r} {problem}")


def _text_problem(column: Column, value: str) -> str:
    if len(value) > MAX_CHARACTERS:
        return f"is longer than {MAX_CHARACTERS} characters"
    if column.col.values and value not in column.col.values:
        return f"is none of {', '.join(column.col.values)}"
    return ""


def _number_problem(column: Column, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if not -MAX_INTEGER <= value <= MAX_INTEGER:
        return "is too large to be a measurement"
    above, least = (None, None) if column.col.filled else (column.col.above, column.col.least)
    if above is not None and value <= above:
        return f"is not > {above:g}"
    return f"is not >= {least:g}" if least is not None and value < least else ""
