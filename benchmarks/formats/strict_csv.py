"""CSV as an upload may hold it: comma, one row per line, as many cells as the header names, no name twice. No format."""

import csv
from collections.abc import Iterable, Iterator

from benchmarks.formats.core import Line


def cells(line: Line) -> list[str]:
    """The cells of one line. Raises RefusedError PARSE for a quote that is not closed on it."""
    try:
        (row,) = csv.reader([line.text], strict=True)
    except csv.Error as error:
        raise line.refuse("PARSE", f"broken CSV ({error}); a quote must be closed on its line") from None
    return row


def rows(lines: Iterable[Line]) -> Iterator[tuple[Line, dict[str, str]]]:
    """Each row under the header, which is the first line that is not blank; blank lines are passed over.

    Raises RefusedError SCHEMA for a header with a name twice, PARSE for a row that is longer or shorter than the header.
    """
    filled = [line for line in lines if line.text.strip()]
    names = cells(filled[0])
    if len(set(names)) != len(names):
        raise filled[0].refuse("SCHEMA", "the header names a column twice")
    for line in filled[1:]:
        row = cells(line)
        if len(row) != len(names):
            raise line.refuse("PARSE", f"{len(row)} cells where the header names {len(names)}; no row of the file was kept")
        yield line, dict(zip(names, row, strict=True))
