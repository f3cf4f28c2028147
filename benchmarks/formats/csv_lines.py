"""CSV of uploads, one row per line, each row with its `Line`. No format."""

from collections.abc import Iterable, Iterator

from benchmarks.formats.core import Line
from pipeline.readers import strict_csv


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
