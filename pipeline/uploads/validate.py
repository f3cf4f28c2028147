"""Whether the rows of a run keep what their tables declare, so that no upload can stop a build later.

Declarations stand in `pipeline.schema.benchmarks`; what is told by comparing with a card belongs in `peaks`.
"""

import re
from typing import Any

from benchmarks.formats.core import Run
from pipeline.readers import RefusedError
from pipeline.schema import Column, Record

MOST_ROWS = 20_000
MOST_DEVICES = 1024
MOST_CHARACTERS = 2000
MOST_INTEGER = 2**63 - 1
BOUND = re.compile(r"(?:isfinite\(\w+\) AND )?(\w+) (>=?) 0")


def keep_declarations(runs: list[Run]) -> None:
    """Raises RefusedError SIZE, RANGE, NOT_FINITE or PARSE for the first row that its table would refuse."""
    if sum(len(run.measurements) for run in runs) > MOST_ROWS:
        raise RefusedError("SIZE", f"more than {MOST_ROWS:,} figures in one file; upload the summary, or in parts")
    if sum(len(run.devices) for run in runs) > MOST_DEVICES:
        raise RefusedError("SIZE", f"more than {MOST_DEVICES:,} devices in one file; upload it in parts")
    for run in runs:
        for row in (run.run, *run.devices, *run.measurements):
            _keeps(row)
        ordinals = [device.ordinal for device in run.devices]
        if len(set(ordinals)) < len(ordinals):
            raise RefusedError("PARSE", f"{run.run.tool} lists one device number twice; upload the runs one by one")


def _keeps(row: Record) -> None:
    for column in row.__table__.columns:
        value = getattr(row, column.name)
        if value is None:
            if not column.nullable:
                raise RefusedError("PARSE", f"no {column.name} was found")
        elif wrong := _wrong_text(column, value) if isinstance(value, str) else _wrong_number(column, value):
            raise RefusedError("RANGE", f"{column.name} = {str(value)[:60]!r} {wrong}")


def _wrong_text(column: Column, value: str) -> str:
    if len(value) > MOST_CHARACTERS:
        return f"is longer than {MOST_CHARACTERS} characters"
    if column.col.values and value not in column.col.values:
        return f"is none of {', '.join(column.col.values)}"
    return ""


def _wrong_number(column: Column, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if not -MOST_INTEGER <= value <= MOST_INTEGER:
        return "is too large to be a measurement"
    if value > 0 or column.col.filled:
        return ""
    bound = BOUND.fullmatch(column.col.check)
    return f"is not {bound[2]} 0" if bound and (value < 0 or bound[2] == ">") else ""
