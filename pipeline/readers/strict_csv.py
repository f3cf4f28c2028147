"""CSV with a comma, closed quotes, and as many cells in each row as the header names."""

import csv
from collections.abc import Iterable, Iterator

from pipeline.readers import RefusedError


def split_line(text: str, line: int | None = None, *, quote: str = '"', skip_spaces: bool = False) -> list[str]:
    """The cells of one line; `skip_spaces` drops those after a comma. Raises RefusedError PARSE for a quote left open."""
    try:
        return next(csv.reader([text], strict=True, quotechar=quote, skipinitialspace=skip_spaces), [])
    except csv.Error as error:
        raise RefusedError("PARSE", f"broken CSV ({error}); a quote must be closed on its line", line) from None


def read_rows(lines: Iterable[str], *, skip: int = 0, skip_spaces: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each row's last line and its cells, the header first; quoted cells may contain line ends.

    `skip` rows of any width come before the header. Lines are read one at a time, so a file need not fit in memory.
    Raises RefusedError PARSE for broken quotes, or a row that is wider or narrower than the header.
    """
    reader = csv.reader(lines, strict=True, skipinitialspace=skip_spaces)
    header: list[str] | None = None
    try:
        for number, cells in enumerate(reader):
            if number < skip:
                continue
            header = cells if header is None else header
            check_width(cells, header, reader.line_num)
            yield reader.line_num, cells
    except csv.Error as error:
        raise RefusedError("PARSE", f"broken CSV ({error}); check the quotes", reader.line_num) from None


def check_width(cells: list[str], header: list[str], line: int) -> None:
    """Raise RefusedError PARSE for a row that is wider or narrower than the header."""
    if len(cells) != len(header):
        raise RefusedError("PARSE", f"{len(cells)} fields where the header names {len(header)}", line)
