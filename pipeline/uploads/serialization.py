"""Parse results as JSON: the form in which the child process answers, and in which `load_accepted` caches them."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from benchmarks.formats.core import ParsedRun
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

_NAMES = {kind: kind.__table__.column_names for kind in (BenchmarkRun, BenchmarkDevice, Measurement)}


@dataclass(frozen=True, slots=True)
class ParsedUpload:
    """Runs of a text, its kind (csv, json, txt, xml), and the text where fields were redacted."""

    runs: list[ParsedRun]
    kind: str
    redacted: str | None


def encode(parsed: ParsedUpload) -> dict[str, Any]:
    """A parse result as JSON values, except for times: `json.dumps` prints them with `default=str`."""
    return {"runs": [_encode_run(run) for run in parsed.runs], "kind": parsed.kind, "redacted": parsed.redacted}


def decode(values: dict[str, Any]) -> ParsedUpload:
    """The parse result that `encode` printed, from decoded JSON."""
    return ParsedUpload([_decode_run(run) for run in values["runs"]], values["kind"], values["redacted"])


def _encode_run(run: ParsedRun) -> dict[str, Any]:
    devices, measurements = ([_values(row) for row in rows] for rows in (run.devices, run.measurements))
    return {"run": _values(run.run), "devices": devices, "measurements": measurements}


def _decode_run(values: dict[str, Any]) -> ParsedRun:
    started = values["run"]["started_at"]
    values["run"]["started_at"] = _to_utc(dt.datetime.fromisoformat(started)) if started else None
    devices = [BenchmarkDevice(**device) for device in values["devices"]]
    measurements = [Measurement(**measurement) for measurement in values["measurements"]]
    return ParsedRun(run=BenchmarkRun(**values["run"]), devices=devices, measurements=measurements)


def _values(row: BenchmarkRun | BenchmarkDevice | Measurement) -> dict[str, Any]:
    """Fields by name. `dataclasses.asdict` copies each value, which takes most of the time of parsing a file."""
    return {name: getattr(row, name) for name in _NAMES[type(row)]}


def _to_utc(moment: dt.datetime) -> dt.datetime:
    """A time with a zone in UTC, one without as the host's clock printed it; the tables hold both without a zone."""
    return moment.astimezone(dt.UTC).replace(tzinfo=None) if moment.tzinfo else moment
