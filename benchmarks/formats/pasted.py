"""Functions shared by formats of pasted text: tell a cut paste from a broken one, read `name: value` lines and CSV, part runs."""

from collections.abc import Iterable, Iterator
from typing import Any

from benchmarks.formats.core import Block, Line
from pipeline.readers import RefusedError, strict_csv, strict_json


def cut_or_refuse(line: Line, block: Block, reason: str) -> None:
    """Accept a broken row as the cut end of a paste if nothing follows it. Raises RefusedError PARSE otherwise."""
    if any(other.text.strip() for other in block.lines if other.number > line.number):
        raise line.refuse("PARSE", reason)


def json_or_cut(text: str, line: Line, block: Block) -> Any:
    """Parse the JSON of a line; None where it is the cut end of a paste. Raises RefusedError with the line otherwise."""
    try:
        return strict_json.parse_upload(text)
    except RefusedError as refused:
        if refused.code != "PARSE":
            raise line.refuse(refused.code, refused.reason) from None
        cut_or_refuse(line, block, refused.reason)
        return None


def named_values(lines: Iterable[Line]) -> dict[str, str]:
    """First value of each `name: text` line."""
    values: dict[str, str] = {}
    for line in lines:
        name, _, text = line.text.partition(":")
        values.setdefault(name.strip(), text.strip())
    return values


def split_cells(line: Line) -> list[str]:
    """The cells of one line. Raises RefusedError PARSE for a quote that is not closed on it."""
    return strict_csv.split_line(line.text, line.number)


def read_rows(lines: Iterable[Line]) -> Iterator[tuple[Line, dict[str, str]]]:
    """Yield each row by the names of the header, which is the first line that is not blank; blank lines are skipped.

    Raises RefusedError SCHEMA for a header with a name twice, PARSE for a row that is wider or narrower than the header.
    """
    filled = [line for line in lines if line.text.strip()]
    names = split_cells(filled[0])
    if len(set(names)) != len(names):
        raise filled[0].refuse("SCHEMA", "the header names a column twice")
    for line in filled[1:]:
        cells = split_cells(line)
        strict_csv.check_width(cells, names, line.number)
        yield line, dict(zip(names, cells, strict=True))


def staged(lines: Iterable[Line], stages: Iterable[int | None]) -> Iterator[Block]:
    """Yield one block per run. `stages` has the stage of a run for each line (None: any); a lower stage begins the next run."""
    current: list[Line] = []
    reached = 0
    for line, stage in zip(lines, stages, strict=True):
        if stage is not None and stage < reached:
            yield Block(tuple(current))
            current, reached = [], 0
        reached = max(reached, stage or 0)
        current.append(line)
    yield Block(tuple(current))
