"""Numbers as programs print them: ASCII digits, a point, an exponent; finite. Printed prices belong in `sources.prices`."""

import math
import re

from pipeline.readers import RefusedError

MAX_DIGITS = 40
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)


def parse_number(text: str, line: int | None = None) -> float:
    """Parse a finite number. Raises RefusedError NOT_FINITE, RANGE or PARSE, with the line where it is given."""
    if len(text) <= MAX_DIGITS and _NUMBER.fullmatch(text):
        value = float(text)
        if math.isfinite(value):
            return value
        raise RefusedError("RANGE", f"{text!r} is too large to be a measurement", line)
    if _NOT_FINITE.fullmatch(text):
        raise RefusedError("NOT_FINITE", f"{text!r} is not a measurement; remove the run that failed", line)
    if len(text) > MAX_DIGITS:
        raise RefusedError("RANGE", f"a number of {len(text)} digits is not a measurement", line)
    raise RefusedError("PARSE", f"{text!r} is not a number", line)


def parse_integer(text: str, line: int | None = None, *, signed: bool = False) -> int:
    """Parse a whole number of up to 18 digits. Raises RefusedError RANGE, or as `parse_number` where it is not a number."""
    if _INTEGER.fullmatch(text) and (signed or text[0] not in "+-"):
        return int(text)
    parse_number(text, line)
    raise RefusedError("RANGE", f"{text!r} is not a whole number that fits", line)
