"""Line of each figure in the text of an upload, for formats that read a whole document."""

import re
from dataclasses import replace

from benchmarks.formats import ParsedRun
from pipeline.schema.benchmarks import Measurement

_NUMBER = re.compile(r"(?<![\w.+-])[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?(?![\w.])")
Versioned = tuple[ParsedRun, int]


def fill_lines(runs: list[Versioned], text: str) -> list[Versioned]:
    """Return the runs with the line of each figure whose number occurs on exactly one line; other figures keep none."""
    if all(figure.line for run, _ in runs for figure in run.measurements):
        return runs
    lines = _unique_lines(text)
    return [(replace(run, measurements=[_with_line(figure, lines) for figure in run.measurements]), n) for run, n in runs]


def _with_line(figure: Measurement, lines: dict[float, int | None]) -> Measurement:
    if figure.line:
        return figure
    try:
        return replace(figure, line=lines.get(float(figure.value_raw)))
    except ValueError:
        return figure


def _unique_lines(text: str) -> dict[float, int | None]:
    """Line number by printed number; None for a number that occurs on several lines."""
    lines: dict[float, int | None] = {}
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        for match in _NUMBER.finditer(line):
            value = float(match[0])
            lines[value] = number if lines.get(value, number) == number else None
    return lines
