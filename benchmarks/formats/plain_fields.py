"""Functions shared by formats with free-text fields, or with several GPUs of one model. No format."""

import re
from typing import Any

from benchmarks.formats.core import Line
from pipeline.readers import RefusedError
from pipeline.schema.benchmarks import BenchmarkDevice

MAX_DEVICES = 1024
_PLAIN = re.compile(r"[\w .,:/+@()-]{1,120}", re.ASCII)


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


def alike(name: str | None, count: int, line: Line | None = None, **fields: Any) -> list[BenchmarkDevice]:
    """`count` devices of one name; `fields` are further ones of BenchmarkDevice. Raises RefusedError RANGE."""
    if count > MAX_DEVICES:
        line_number = line.number if line else None
        raise RefusedError("RANGE", f"{count} devices in one machine; {MAX_DEVICES} are the limit", line_number)
    return [BenchmarkDevice(ordinal=n, name_raw=name, **fields) for n in range(count)]
