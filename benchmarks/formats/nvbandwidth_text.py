"""Split the text of nvbandwidth into matrices; `nvbandwidth` interprets them."""

import re
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from benchmarks.formats.core import Block, Line

FENCE = "```"
_RUNNING = re.compile(r"Running (\w+)\.$")
_SUM = re.compile(r"SUM (\w+) (\S+)$")
_DESCRIBES = re.compile(r"\w\((?:row|column)\).{0,80}\(([^()\s]+)\)$")
_ROW = re.compile(r"\d{1,6}(?:\s+(?:N/A|\d+\.\d\d))+$")
_CELL = re.compile(r"N/A|\d+\.\d\d")
_ORDINAL = re.compile(r"[0-9]{1,6}")
_ELLIPSIS = re.compile(r"[.\[\]… ]+$")
_OPTIONS = {
    "buffer": re.compile(r"\s(?:-b|--bufferSize)[ =](\d{1,6})\b"),
    "samples": re.compile(r"\s(?:-i|--testSamples)[ =](\d{1,6})\b"),
    "mean": re.compile(r"\s(-m|--useMean)\b"),
}


class Row(NamedTuple):
    """One row of a matrix: its label, its cells as printed, and its line in a text."""

    label: int
    cells: list[str]
    line: Line | None = None


@dataclass(frozen=True, slots=True)
class Matrix:
    """One printed matrix, and the line of its sum or, without one, of its description."""

    name: str
    description: str
    columns: list[int] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    total: str | None = None
    line: Line | None = None

    @property
    def unit(self) -> str | None:
        """The printed unit; None if there is no description."""
        match = _DESCRIBES.search(self.description)
        return match[1] if match else None

    @property
    def between_gpus(self) -> bool:
        return "GPU(row)" in self.description and "GPU(column)" in self.description


def command(part: Block) -> dict[str, str]:
    """Options of the command, if the shell prompt was pasted too."""
    call = next((line.text for line in part.lines if re.search(r"nvbandwidth\s+-", line.text)), "")
    return {name: match[1] for name, option in _OPTIONS.items() if (match := option.search(call))}


def problems(part: Block) -> tuple[int, int]:
    """Number of waived tests, and of failed ones."""
    texts = [line.text.strip() for line in part.lines]
    return sum(text.startswith("Waived:") for text in texts), sum(text.upper().startswith("ERROR") for text in texts)


def matrices(part: Block) -> tuple[list[Matrix], bool]:
    """The matrices of a run, and whether the last one is complete.

    Raises RefusedError PARSE for a line inside a matrix that does not belong to it.
    """
    reader = _Reader([line for line in part.lines if line.text.strip() and not line.text.lstrip().startswith(FENCE)])
    for line in part.lines:
        reader.read(line)
    reader.close()
    return reader.found, not reader.cut


class _Reader:
    """Reads the lines of one run, with the matrix that is being read as its state."""

    def __init__(self, filled: list[Line]) -> None:
        self.last = filled[-1] if filled else None
        self.found: list[Matrix] = []
        self.cut = False
        self.name: str | None = None
        self.open: Matrix | None = None
        self.after_blank = False

    def read(self, line: Line) -> None:
        text = line.text.strip(' \t"')
        if running := _RUNNING.match(text):
            self.close()
            self.name = running[1]
        elif total := _SUM.match(text):
            self._total(line, total[1], total[2])
        elif _DESCRIBES.search(text):
            self.close()
            self.open = Matrix(self.name or text, text, line=line)
        elif text.startswith(FENCE):
            self.close()
        elif self.open:
            self._inside(self.open, line, text)
        elif _ROW.match(text):
            raise line.refuse("PARSE", "a row of nvbandwidth without the description of its matrix; upload the output whole")

    def close(self) -> None:
        """Finish the current matrix. One without its sum at the end of the paste is cut; its complete rows are kept."""
        if self.open:
            self.cut = self.cut or self.last is None or _belongs(self.last.text)
            self.found += [self.open] if self.open.rows else []
        self.open = None
        self.after_blank = False

    def _total(self, line: Line, name: str, total: str) -> None:
        whole = bool(_CELL.fullmatch(total)) or line is not self.last
        self.cut = self.cut or not whole
        matrix = self.open or Matrix(name, "", line=line)
        self.found.append(replace(matrix, name=name, total=total if whole else None, line=line))
        self.open = None
        self.after_blank = False

    def _inside(self, matrix: Matrix, line: Line, text: str) -> None:
        tokens = text.split()
        if not tokens or _ELLIPSIS.match(text):
            self.after_blank = self.after_blank or bool(matrix.rows)
        elif not matrix.columns and all(_ORDINAL.fullmatch(token) for token in tokens):
            matrix.columns.extend(int(token) for token in tokens)
        elif self._is_row(matrix, tokens):
            matrix.rows.append(Row(int(tokens[0]), tokens[1:], line))
        elif line is self.last:
            self.cut = True
        elif self.after_blank and not tokens[0].isdigit():
            self.close()
        else:
            raise line.refuse("PARSE", "not a row of the matrix that was begun; upload the output unchanged")

    @staticmethod
    def _is_row(matrix: Matrix, tokens: list[str]) -> bool:
        whole = len(tokens) == len(matrix.columns) + 1 and bool(_ORDINAL.fullmatch(tokens[0]))
        return whole and all(_CELL.fullmatch(token) for token in tokens[1:])


def _belongs(text: str) -> bool:
    """Return whether a line can only be inside a matrix or right above its rows."""
    return bool(_DESCRIBES.search(text.strip())) or all(word == "N/A" or word[0].isdigit() for word in text.split())
