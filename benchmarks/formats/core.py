"""Types and functions shared by the formats: a block of lines in, runs out, or a refusal with its code and line.

A format is a module of this package. For a tool that prints text it defines MARK, a pattern of the lines at which a run begins,
and `parse`. For a tool that writes JSON it defines `is_document` and `parse_document`. It can define both. Nothing here opens a
file or resolves the name of a GPU.
"""

import datetime as dt
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from benchmarks.formats import units
from pipeline.readers import RefusedError, json_positions, numbers
from pipeline.schema.benchmarks import METRICS, BenchmarkDevice, BenchmarkRun, Measurement

MAX_DEVICES = 1024
_PLAIN = re.compile(r"[\w .,:/+@()-]{1,120}", re.ASCII)
DTYPES = {  # number formats by the names that tools print
    "double": "fp64", "float64": "fp64", "f64": "fp64", "float": "fp32", "float32": "fp32", "f32": "fp32", "tf32": "tf32",
    "half": "fp16", "float16": "fp16", "f16": "fp16", "bfloat16": "bf16", "bf16": "bf16", "fp8_e4m3": "fp8", "fp8_e5m2": "fp8",
    "f8e4m3": "fp8", "f8e5m2": "fp8", "fe4m3": "fp8", "fe5m2": "fp8", "e4m3": "fp8", "e5m2": "fp8", "float8_e4m3fn": "fp8",
    "float8_e4m3fnuz": "fp8", "mxfp8": "fp8", "mxfp4": "fp4", "nvfp4": "fp4", "e2m1": "fp4", "int64": "int64", "int32": "int32",
    "int": "int32", "s32": "int32", "int16": "int16", "int8": "int8", "char": "int8", "s8": "int8", "u8": "int8",
    "cf32": "cfp32", "cf64": "cfp64",
}  # fmt: skip


class Line(NamedTuple):
    """One line of an upload: its number, from 1, and its text without the line end."""

    number: int
    text: str

    def refuse(self, code: str, reason: str) -> RefusedError:
        return RefusedError(code, reason, self.number)


@dataclass(frozen=True, slots=True)
class Block:
    """The lines from a tool's first mark to the first mark of another tool, or to the end of the file."""

    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)

    def matches(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """The matches of a pattern at the beginning of lines, blanks around a line left out."""
        return [match for line in self.lines if (match := pattern.match(line.text.strip()))]

    def first(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The first of `matches`."""
        return next(iter(self.matches(pattern)), None)

    def split(self, mark: re.Pattern[str]) -> Iterator["Block"]:
        """Yield one block per line that the pattern matches, or this one if none does; lines above belong to the first block."""
        starts = [place for place, line in enumerate(self.lines) if mark.search(line.text)]
        for start, end in itertools.pairwise([0, *starts[1:], len(self.lines)]):
            yield Block(self.lines[start:end])


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedRun:
    """One run of a tool: its description, its devices in the tool's order, and its figures in the order printed."""

    run: BenchmarkRun
    devices: list[BenchmarkDevice] = field(default_factory=list)
    measurements: list[Measurement] = field(default_factory=list)


def number(text: str, line: Line | None = None) -> float:
    """Parse a finite number in ASCII digits. Raises RefusedError NOT_FINITE, RANGE or PARSE, with the line's number."""
    return numbers.parse_number(text, line.number if line else None)


def integer(text: str, line: Line | None = None) -> int:
    """Parse a whole number without sign. Raises RefusedError as `number`."""
    return numbers.parse_integer(text, line.number if line else None)


def measure(
    metric: str, raw: str | float, unit_raw: str, *, line: Line | None = None, stddev: str | float | None = None, **fields: Any
) -> Measurement:
    """Build a measurement with its value in the metric's own unit; `stddev` is in the printed unit too.

    `fields` are the other fields of Measurement. A number of a JSON document has its own line and text. Raises RefusedError
    PARSE, NOT_FINITE, RANGE, or SCHEMA for a unit that the metric does not have.
    """
    value_raw = raw if isinstance(raw, str) else repr(raw)
    place = line.number if line else json_positions.line_of_value(raw)
    try:
        scale = units.factor(metric, unit_raw)
    except KeyError:
        raise RefusedError("SCHEMA", f"{unit_raw!r} is not a unit of {metric}", place) from None
    value = numbers.parse_number(value_raw, place) * scale
    if value < 0:
        raise RefusedError("RANGE", f"{metric} = {value_raw} is below zero", place)
    spread = None if stddev is None else numbers.parse_number(str(stddev), place) * scale
    return Measurement(
        metric=metric,
        value=value,
        unit=METRICS[metric],
        value_raw=value_raw,
        unit_raw=unit_raw,
        stddev=spread,
        line=place,
        **fields,
    )


def records(document: Any) -> list[Any]:
    """The records of a JSON document: a list of them, or one alone."""
    return document if isinstance(document, list) else [document]


def json_number(value: Any, name: str) -> float:
    """Return a number of a JSON document. Raises RefusedError PARSE for anything else, with the name of the field."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RefusedError("PARSE", f"{name} = {str(value)[:40]!a} is not a number")
    return value


def plain(value: Any) -> str | None:
    """A setting as text; None if it is unset or contains characters that no benchmark setting has.

    Of a path only the last part is returned: the rest may be personal.
    """
    if value is None or isinstance(value, dict | list):
        return None
    text = str(value).strip()
    if text.startswith(("/", "./", "../")):
        text = text.rstrip("/").rpartition("/")[2]
    return text if _PLAIN.fullmatch(text) else None


def settings(**values: object) -> str | None:
    """Format settings as the tables have them: `name=value; name=value`, without those that are None."""
    return "; ".join(f"{name}={value}" for name, value in values.items() if value is not None) or None


def flags_of(**applies: bool) -> str | None:
    """Format the flags that apply, in the order given."""
    return ",".join(name for name, is_set in applies.items() if is_set) or None


def moment(printed: object, form: str = "") -> dt.datetime | None:
    """Parse a time, by default in ISO 8601; None for another form. A time without a zone is that of the host's clock."""
    try:
        return dt.datetime.strptime(str(printed), form) if form else dt.datetime.fromisoformat(str(printed))
    except ValueError:
        return None


def cuda_version(number_printed: int) -> str:
    """Format CUDA's own integer (12060) as major.minor (12.6). Source: cudaRuntimeGetVersion, 1000 x major + 10 x minor."""
    return f"{number_printed // 1000}.{number_printed % 1000 // 10}"


def alike(name: str | None, count: int, line: Line | None = None, **fields: Any) -> list[BenchmarkDevice]:
    """`count` devices of one name; `fields` are further ones of BenchmarkDevice. Raises RefusedError RANGE."""
    if count > MAX_DEVICES:
        line_number = line.number if line else None
        raise RefusedError("RANGE", f"{count} devices in one machine; {MAX_DEVICES} are the limit", line_number)
    return [BenchmarkDevice(ordinal=n, name_raw=name, **fields) for n in range(count)]
