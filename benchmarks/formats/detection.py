"""Detection of the tools that wrote a text: `read` identifies them by content, and each parses its own part.

Nothing is registered: every module of this package that defines PARSER_VERSION is a format, of the tool that it is named after.
"""

import bisect
import importlib
import itertools
import operator
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple, Protocol, cast

from benchmarks import formats
from benchmarks.formats.core import Block, Line, ParsedRun
from pipeline.readers import RefusedError, strict_json
from pipeline.readers.json_positions import with_positions

SIMPLEST = "device_name,kernel,size_bytes,time_ms,gbps"
_NUMBER = re.compile(r"(?<![\w.])\d[\d.]*(?:[eE][+-]?\d+)?")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_FIELD = re.compile(r'\s*"\w[^"]*": [^{\[]*,?\s*')
_DELIMITED = re.compile(r"[^\n]*[,;\t][^\n]*[,;\t]|[^\n]*[,;][^\n]*\n")


class TextFormat(Protocol):
    """A tool that prints text. MARK (re.MULTILINE) matches where a run begins, and nothing in other tools' output.

    A module with `MARKS_EVERY_LINE = True` is of a log whose lines all match: other output may come between them.
    One with `MEASURES = False` lists devices and has no figures of a benchmark. A module may define ROW, a pattern of the
    lines that have figures: one that gave none refuses the file, unless it is the end of a truncated run.
    """

    __name__: str
    PARSER_VERSION: int
    MARK: re.Pattern[str]

    def parse(self, block: Block) -> Iterator[ParsedRun]: ...


class JsonFormat(Protocol):
    """A tool that writes JSON. `is_document` recognizes its keys in a decoded document or list of lines."""

    __name__: str
    PARSER_VERSION: int

    def is_document(self, document: Any) -> bool: ...

    def parse_document(self, document: Any) -> Iterator[ParsedRun]: ...


_Parsed = tuple[TextFormat | JsonFormat, list[ParsedRun]]


class _Place(NamedTuple):
    """Lines with marks of one tool, by index: consecutive marks, or all of a log."""

    form: TextFormat
    lines: tuple[int, ...]
    marks_every_line: bool

    @property
    def line(self) -> int:
        return self.lines[0]


@cache
def _modules() -> tuple[Any, ...]:
    modules = (importlib.import_module(f"{formats.__name__}.{info.name}") for info in pkgutil.iter_modules(formats.__path__))
    return tuple(module for module in modules if hasattr(module, "PARSER_VERSION"))


def text_formats() -> list[TextFormat]:
    return [cast(TextFormat, module) for module in _modules() if hasattr(module, "MARK")]


def json_formats() -> list[JsonFormat]:
    return [cast(JsonFormat, module) for module in _modules() if hasattr(module, "is_document")]


def tool_of(form: TextFormat | JsonFormat) -> str:
    """Return the name of a format's tool: that of its module, unless that states another one as TOOL."""
    return getattr(form, "TOOL", form.__name__.rpartition(".")[2])


def read(text: str) -> list[ParsedRun]:
    """Parse every run of a text: runs of JSON documents first, then the others in their order.

    Lines may end in any way. Raises RefusedError UNKNOWN_FORMAT or SCHEMA if no tool is recognized, else the format's own.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if strict_json.looks_like_json(text):
        try:
            return _of_document(strict_json.parse_upload(text), text)
        except RefusedError as refused:
            if refused.code != "PARSE" or not _places(text):
                raise
    documents, rest = strict_json.extract_documents(text)
    parsed = _of_documents(documents)
    if documents:
        _refuse_unopened(rest)
    places = _places(rest)
    if not places and not parsed:
        raise _unknown(rest)
    return _require_rows(parsed + _of_text(rest, places))


def _refuse_unopened(text: str) -> None:
    """Raise RefusedError PARSE for a line beside JSON documents that ends an object or list which no line begins."""
    for number, line in enumerate(text.split("\n"), start=1):
        if _FIELD.fullmatch(line) or (line.rstrip(" ,").endswith(("}", "]")) and _closes_more(_TEXT.sub("", line))):
            raise RefusedError("PARSE", "the end of a JSON document whose beginning is missing; upload it whole", number)


def _closes_more(text: str) -> bool:
    return text.count("}") + text.count("]") > text.count("{") + text.count("[")


def _of_document(document: Any, text: str) -> list[ParsedRun]:
    form = _format_of(document)
    if form is None:
        raise RefusedError(
            "SCHEMA", "JSON that no known tool writes; the simplest accepted file is CSV with the header " + SIMPLEST
        )
    return _require_rows([(form, list(form.parse_document(with_positions(document, text))))])


def _of_documents(documents: list[strict_json.Extracted]) -> list[_Parsed]:
    """Runs of JSON documents among other output; documents of unknown tools are skipped, as unknown lines of text are."""
    parsed: list[_Parsed] = []
    for form, group in itertools.groupby(documents, key=lambda extracted: _format_of(extracted.document)):
        if form:
            neighbors = [with_positions(*extracted) for extracted in group]
            units = [neighbors] if form.is_document(neighbors) else neighbors
            parsed += [(form, list(form.parse_document(whole))) for whole in units]
    return parsed


def _format_of(document: Any) -> JsonFormat | None:
    candidates = [form for form in json_formats() if form.is_document(document)]
    if len(candidates) > 1:
        raise AssertionError(f"several formats claim one document: {[tool_of(form) for form in candidates]}")
    return candidates[0] if candidates else None


def _of_text(text: str, places: list[_Place]) -> list[_Parsed]:
    """Parse the blocks of each tool, in the order of their first lines."""
    lines = tuple(Line(number, line) for number, line in enumerate(text.split("\n"), start=1))
    logs = [place for place in places if place.marks_every_line]
    parsed: list[tuple[int, Block, _Parsed]] = []
    begins = sorted(place.line for place in places if not place.marks_every_line)
    for place in places:
        start, end = _span(place, begins, len(lines))
        others = {line for log in logs if log is not place for line in log.lines}
        block = Block(tuple(line for n, line in enumerate(lines[start:end], start=start) if n not in others))
        parsed.append((place.line, block, (place.form, list(place.form.parse(block)))))
    parsed.sort(key=operator.itemgetter(0))
    _account_for_rows(lines, [(block, runs) for _, block, runs in parsed])
    return [runs for _, _, runs in parsed]


def _account_for_rows(lines: tuple[Line, ...], parsed: list[tuple[Block, _Parsed]]) -> None:
    """Raise RefusedError PARSE for a row of a tool that gave no figure.

    A row at the end of a truncated run is cut, and one whose numbers were all read from other lines repeats them.
    """
    figures = [figure for _, (_, runs) in parsed for run in runs for figure in run.measurements]
    read, values = {figure.line for figure in figures}, {figure.value_raw for figure in figures}
    for form in {id(form): form for _, (form, _) in parsed}.values():
        is_row: re.Pattern[str] | None = getattr(form, "ROW", None)
        lost = [line for line in lines if is_row and is_row.match(line.text) and line.number not in read]
        cut = _cut_ends(form, parsed) if lost else set()
        for line in lost:
            if line.number not in cut and not values.issuperset(_NUMBER.findall(line.text)):
                raise line.refuse("PARSE", f"a row of {tool_of(form)} outside its table; upload the output unchanged")


def _cut_ends(form: TextFormat | JsonFormat, parsed: list[tuple[Block, _Parsed]]) -> set[int]:
    """Numbers of the lines below the last figure of each truncated run of a tool, in the run's own block."""
    ends: set[int] = set()
    for block, (other, runs) in parsed:
        if other is form and runs and runs[-1].run.status == "truncated":
            last = max((figure.line or 0 for run in runs for figure in run.measurements), default=len(block.text))
            ends |= {line.number for line in block.lines if line.number > last}
    return ends


def _span(place: _Place, begins: list[int], n_lines: int) -> tuple[int, int]:
    """First line of a tool's block and the line after it. Lines before all marks belong to the first block, and to every log."""
    after = place.lines[-1] if place.marks_every_line else place.line
    end = next((line for line in begins if line > after), n_lines)
    return 0 if place.marks_every_line or place.line == begins[0] else place.line, end


def _places(text: str) -> list[_Place]:
    """The places where another tool's output begins; consecutive marks of one tool are one place, all marks of a log are one."""
    ends = [match.start() for match in re.finditer("\n", text)]
    places: list[_Place] = []
    marks: list[tuple[int, int]] = []
    for n, form in enumerate(text_formats()):
        found = [bisect.bisect_left(ends, match.start()) for match in form.MARK.finditer(text)]
        if found and getattr(form, "MARKS_EVERY_LINE", False):
            places.append(_Place(form, tuple(found), marks_every_line=True))
        else:
            marks += [(line, n) for line in found]
    for n, group in itertools.groupby(sorted(marks), key=operator.itemgetter(1)):
        places.append(_Place(text_formats()[n], tuple(line for line, _ in group), marks_every_line=False))
    return places


def _require_rows(parsed: list[_Parsed]) -> list[ParsedRun]:
    """The runs, with their tools and the versions of the parsers. A tool without a result is left out if another has figures.

    Raises RefusedError NO_ROWS if no tool has figures and one should have.
    """
    useful = [form for form, runs in parsed if any(_has_result(form, run) for run in runs)]
    empty = [form for form, _ in parsed if form not in useful]
    if empty and not any(run.measurements for form, runs in parsed for run in runs if _measures(form)):
        raise RefusedError("NO_ROWS", f"recognised as {tool_of(empty[0])}, but it holds no figure; upload the whole output")
    named = [(form, run) for form, runs in parsed if form not in empty for run in runs]
    for form, run in named:
        run.run.tool, run.run.parser_version = tool_of(form), form.PARSER_VERSION
    return [run for _, run in named]


def _has_result(form: TextFormat | JsonFormat, run: ParsedRun) -> bool:
    """Return whether a run has figures, the devices that it should list, or devices and the reason for having no figure."""
    if run.measurements or not run.devices:
        return bool(run.measurements)
    return not _measures(form) or run.run.status not in ("ok", "truncated")


def _measures(form: TextFormat | JsonFormat) -> bool:
    return getattr(form, "MEASURES", True)


def _unknown(text: str) -> RefusedError:
    """The refusal of an unrecognized text: SCHEMA for a table, UNKNOWN_FORMAT for everything else."""
    if _DELIMITED.match(text):
        return RefusedError(
            "SCHEMA", f"a table with a header that no known tool writes; the simplest accepted header is {SIMPLEST}", 1
        )
    return RefusedError("UNKNOWN_FORMAT", "no line of any known tool's output; site/docs/uploads.md names the tools")
