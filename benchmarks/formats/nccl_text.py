"""Split logs of nccl-tests into collectives and rows; `nccl_tests` interprets them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from benchmarks.formats.core import Block, Line, integer, number

PLACEMENTS = ("out_of_place", "in_place")
_BEGINS = re.compile(r"# (?:nccl-tests version|Collective test starting|nThread|Using devices| *Rank +\d| +size +count)")
_COLUMNS = re.compile(r"# +size +count +type")
_UNITS = re.compile(r"# +\((\w+)\) +\(elements\)(.*)$")
_ENDED = re.compile(r"# (?:Out of bounds values|Avg bus bandwidth) +:")
_BOUNDS = re.compile(r"# Out of bounds values +: +(\d+) +(?:OK|FAILED)")
_AVERAGE = re.compile(r"# Avg bus bandwidth +: +(\S+)")
_PREFIX = re.compile(
    r"\[\d+,\d+\](?:<std(?:out|err)>)?:? ?|\d+: "
    r"|\[?\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]?:? ?(?:std(?:out|err) [FP] )?"
)
_NOISE = re.compile(r"NCCL (?:INFO|WARN|TRACE|DEBUG|version)|^[.\[\]… ]*$")
_TYPE = re.compile(r"float|double|half|bfloat16|u?int(?:8|32|64)?|char|f(?:p)?8_?e[45]m[23]")
ROW = re.compile(rf"(?:\S.*\s|\s*)[1-9]\d* +\d+ +(?:{_TYPE.pattern}) +\S.*\d|.*# Avg bus bandwidth +: +(?!0)\d")
_NAME = re.compile(r"[a-z]+|-?[0-9]+")
_TIMESTAMP = re.compile(r"(?<=\S)\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d$")
_CHECKS = {"error": re.compile(r"N/A|\d+e[+-]\d+"), "#wrong": re.compile(r"N/A|[\d.]+(?:e\+\d+)?")}
MAX_PREFIXES = 3
LEAST_FIELDS = 6


class Half(NamedTuple):
    """Figures of one placement as printed; `wrong` is None if the layout has no such column."""

    time: str
    algbw: str
    busbw: str
    wrong: str | None


@dataclass(frozen=True, slots=True)
class Row:
    line: Line
    size: int
    type: str
    redop: str | None
    root: str | None
    halves: list[tuple[str | None, Half]]


@dataclass(slots=True)
class Section:
    """One collective: its lines without launcher prefixes, its rows, and the figures of its footer."""

    texts: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    units: dict[str, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    tokens: int = 0
    out_of_bounds: int | None = None
    average: tuple[str, Line | None] | None = None
    ended: bool = False
    cut: bool = False

    @property
    def counts_wrong(self) -> bool:
        return "#wrong" in self.columns

    @property
    def half(self) -> bool:
        """The figures of one placement. The tool always prints both; a table with one was edited."""
        return self.columns.count("algbw") == 1

    @property
    def is_complete(self) -> bool:
        return self.ended and not self.cut

    @property
    def layout(self) -> str:
        if any(text.startswith("# nccl-tests version") for text in self.texts):
            return "text 2.17"
        return "text 2.13" if self.counts_wrong else "text 2.0"


def sections(block: Block) -> Iterator[Section]:
    """Yield the collectives. Raises RefusedError PARSE for a broken row."""
    filled = [line for line in block.lines if line.text.strip() and not line.text.lstrip().startswith("```")]
    section = Section()
    for line in block.lines:
        text = _without_prefix(line.text)
        if _BEGINS.match(text) and (section.ended or section.rows):
            yield section
            section = Section()
        if line is not block.lines[-1] or " Pid " not in text:  # the name of a GPU may be cut at the end of the text
            section.texts.append(text)
        _read(section, line, text, line is filled[-1])
    # an average without a fixed number of digits at the end of the text may be cut
    section.cut = section.cut or (section.average is not None and bool(_AVERAGE.search(block.lines[-1].text)))
    section.average = None if section.cut else section.average
    yield section


def _without_prefix(text: str) -> str:
    """A line without the prefix of mpirun, srun, a container's log or an indented code block."""
    text = text.strip()
    for _ in range(MAX_PREFIXES):
        if not (match := _PREFIX.match(text)):
            break
        text = text[match.end() :].strip()
    return text


def _read(section: Section, line: Line, text: str, last: bool) -> None:
    """Read one line into the section; a row in the last line of a paste may break off."""
    if text.startswith("#"):
        _comment(section, line, text)
    elif (not section.columns or section.ended) and _is_surely_row(text):
        raise line.refuse("PARSE", "a row of nccl-tests without the header line `# size count type` above; upload the whole log")
    elif section.columns and not section.ended and not _NOISE.search(text) and _looks_like_row(text):
        row = _row(section.columns, section.tokens, line, text)
        if row is None and not last:
            raise line.refuse("PARSE", f"not a row of the columns {' '.join(section.columns)[:120]}; upload the whole log")
        section.cut = section.cut or row is None
        section.rows += [row] if row else []
        section.tokens = len(_TIMESTAMP.sub("", text).split())


def _comment(section: Section, line: Line, text: str) -> None:
    if _COLUMNS.match(text):
        names = text.replace("# wrong", "#wrong").lstrip("# ").replace("cputime", "time").split()
        section.columns = [name for name in names if name != "timestamp"]
    elif units := _UNITS.match(text):
        if units[1] != "B":
            raise line.refuse("SCHEMA", f"sizes in {units[1]}; nccl-tests prints bytes")
        section.units = _units_by_column(section.columns, re.findall(r"\((.*?)\)", units[2]), line)
    elif _ENDED.match(text):
        section.ended = True
        if bounds := _BOUNDS.match(text):
            section.out_of_bounds = integer(bounds[1], line)
        if average := _AVERAGE.match(text):
            section.average = average[1], line


def _units_by_column(columns: list[str], printed: list[str], line: Line) -> dict[str, str]:
    """Unit of each column of figures. Raises RefusedError SCHEMA if both placements have other units."""
    figures = [name for name in columns[3:] if name not in ("redop", "root", *_CHECKS)]
    units = dict(zip(figures, printed, strict=False))
    if len(printed) < len(figures) or any(units[name] != unit for name, unit in zip(figures, printed, strict=False)):
        raise line.refuse("SCHEMA", "the units of nccl-tests do not fit its columns; upload the whole log")
    return units


def _is_surely_row(text: str) -> bool:
    """Return whether a line has size, count, type and figures, wherever it is."""
    tokens = text.split()
    numeric = len(tokens) >= LEAST_FIELDS and tokens[0].isdecimal() and tokens[1].isdecimal()
    return (
        numeric
        and bool(_TYPE.fullmatch(tokens[2]))
        and bool(re.fullmatch(r"\d+\.\d+", tokens[-2]) or re.fullmatch(r"\d+\.\d+", tokens[-3]))
    )


def _looks_like_row(text: str) -> bool:
    tokens = text.split()
    return len(tokens) > 1 and (tokens[0].isdigit() or any(_TYPE.fullmatch(token) for token in tokens[:4]))


def _row(columns: list[str], width: int, line: Line, text: str) -> Row | None:
    """A row, or None if its fields do not fit the columns; `width` is the number of fields of the rows before."""
    tokens = _TIMESTAMP.sub("", text).split()
    figures = columns[columns.index("time") :] if "time" in columns else []
    names = tokens[3 : len(tokens) - len(figures)]
    least = len(columns) if "#wrong" in columns else 3 + len(figures)  # before 2.13 an empty redop or root was left blank
    fits = least <= len(tokens) <= len(columns) and (not width or len(tokens) == width)
    if not figures or not fits or not _TYPE.fullmatch(tokens[2]) or not all(_NAME.fullmatch(name) for name in names):
        return None
    cells = tokens[len(tokens) - len(figures) :]
    if not all(_CHECKS[name].fullmatch(cell) for name, cell in zip(figures, cells, strict=True) if name in _CHECKS):
        return None
    halves = _halves(figures, cells, line)
    integer(tokens[1], line)
    named_redop = next((name for name in names if redop(name)), None)
    named_root = next((name for name in names if root(name)), None)
    return Row(line, integer(tokens[0], line), tokens[2], named_redop, named_root, halves)


def redop(name: str) -> str | None:
    """Reduction as printed; None if there is none."""
    return name if name.isalpha() and name != "none" else None


def root(name: str) -> str | None:
    """Rank of the root; None if there is none, which is printed as -1."""
    return name if name.isdecimal() else None


def _halves(names: list[str], cells: list[str], line: Line) -> list[tuple[str | None, Half]]:
    """Figures of each placement; a table of one placement does not state which it is."""
    starts = [place for place, name in enumerate(names) if name == "time"]
    placements = PLACEMENTS if len(starts) > 1 else (None,)
    halves: list[tuple[str | None, Half]] = []
    for placement, start, end in zip(placements, starts, [*starts[1:], len(names)], strict=False):
        half = dict(zip(names[start:end], cells[start:end], strict=True))
        for name in ("time", "algbw", "busbw"):
            number(half.get(name, ""), line)
        halves.append((placement, Half(half["time"], half["algbw"], half["busbw"], half.get("#wrong"))))
    return halves
