"""One module per benchmark tool: text in, typed runs out, without files or network.

`read` identifies the tools by content. Nothing is registered: every module of this package that defines TOOL is a format.
"""

import bisect
import importlib
import itertools
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Protocol, cast

from benchmarks.formats.core import Block, Line, ParsedRun
from pipeline.readers import RefusedError, strict_json

__all__ = ["Block", "JsonFormat", "Line", "ParsedRun", "TextFormat", "json_formats", "read", "text_formats"]

SIMPLEST = "device_name,kernel,size_bytes,time_ms,gbps"
_DELIMITED = re.compile(r"[^\n]*[,;\t][^\n]*[,;\t]|[^\n]*[,;][^\n]*\n")


class TextFormat(Protocol):
    """A tool that prints text. MARK (re.MULTILINE) matches where a run begins, and nothing in other tools' output."""

    TOOL: str
    PARSER_VERSION: int
    MARK: re.Pattern[str]

    def parse(self, block: Block) -> Iterator[ParsedRun]: ...


class JsonFormat(Protocol):
    """A tool that writes JSON. `is_document` recognizes its keys in a decoded document or list of lines."""

    TOOL: str
    PARSER_VERSION: int

    def is_document(self, document: Any) -> bool: ...

    def parse_document(self, document: Any) -> Iterator[ParsedRun]: ...


@cache
def _modules() -> tuple[Any, ...]:
    modules = (importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__))
    return tuple(module for module in modules if hasattr(module, "TOOL"))


def text_formats() -> list[TextFormat]:
    return [cast(TextFormat, module) for module in _modules() if hasattr(module, "MARK")]


def json_formats() -> list[JsonFormat]:
    return [cast(JsonFormat, module) for module in _modules() if hasattr(module, "is_document")]


def read(text: str) -> list[tuple[ParsedRun, int]]:
    """Parse every run of a text, with the version of its parser: runs of JSON documents first, then the others in their order.

    Lines may end in any way. Raises RefusedError UNKNOWN_FORMAT or SCHEMA if no tool is recognized, else the format's own.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if strict_json.looks_like_json(text):
        try:
            return _of_document(strict_json.parse_upload(text))
        except RefusedError as refused:
            if refused.code != "PARSE" or not _places(text):
                raise
    documents, rest = strict_json.extract_documents(text)
    runs = _of_documents(documents)
    places = _places(rest)
    if not places and not runs:
        raise _unknown(rest)
    return runs + (_of_text(rest, places) if places else [])


def _of_document(document: Any) -> list[tuple[ParsedRun, int]]:
    form = _format_of(document)
    if form is None:
        raise RefusedError(
            "SCHEMA", "JSON that no known tool writes; the simplest accepted file is CSV with the header " + SIMPLEST
        )
    return _require_rows([(run, form.PARSER_VERSION) for run in form.parse_document(document)], form.TOOL)


def _of_documents(documents: list[Any]) -> list[tuple[ParsedRun, int]]:
    """Runs of JSON documents among other output; documents of unknown tools are skipped, as unknown lines of text are."""
    runs: list[tuple[ParsedRun, int]] = []
    for form, group in itertools.groupby(documents, key=_format_of):
        neighbors = list(group)
        if form:
            units = [neighbors] if form.is_document(neighbors) else neighbors
            runs += itertools.chain.from_iterable(_of_document(whole) for whole in units)
    return runs


def _format_of(document: Any) -> JsonFormat | None:
    candidates = [form for form in json_formats() if form.is_document(document)]
    if len(candidates) > 1:
        raise AssertionError(f"several formats claim one document: {[form.TOOL for form in candidates]}")
    return candidates[0] if candidates else None


def _of_text(text: str, places: list[tuple[int, TextFormat]]) -> list[tuple[ParsedRun, int]]:
    lines = tuple(Line(number, line) for number, line in enumerate(text.split("\n"), start=1))
    starts = [0, *(number for number, _ in places[1:]), len(lines)]
    runs: list[tuple[ParsedRun, int]] = []
    for (_, form), start, end in zip(places, starts[:-1], starts[1:], strict=True):
        parsed = [(run, form.PARSER_VERSION) for run in form.parse(Block(lines[start:end]))]
        runs += _require_rows(parsed, form.TOOL)
    return runs


def _places(text: str) -> list[tuple[int, TextFormat]]:
    """Line index and format wherever another tool's output begins; consecutive marks of one tool are one place."""
    ends = [match.start() for match in re.finditer("\n", text)]
    marks = [
        (bisect.bisect_left(ends, match.start()), n)
        for n, form in enumerate(text_formats())
        for match in form.MARK.finditer(text)
    ]
    places: list[tuple[int, int]] = []
    for line, n in sorted(marks):
        if not places or places[-1][1] != n:
            places.append((line, n))
    return [(line, text_formats()[n]) for line, n in places]


def _require_rows(runs: list[tuple[ParsedRun, int]], tool: str) -> list[tuple[ParsedRun, int]]:
    """Return the runs. Raises RefusedError NO_ROWS if none has a figure or a device."""
    if not any(run.measurements or run.devices for run, _ in runs):
        raise RefusedError("NO_ROWS", f"recognised as {tool}, but it holds no figure and no device; upload the whole output")
    return runs


def _unknown(text: str) -> RefusedError:
    """The refusal of an unrecognized text: SCHEMA for a table, UNKNOWN_FORMAT for everything else."""
    if _DELIMITED.match(text):
        return RefusedError(
            "SCHEMA", f"a table with a header that no known tool writes; the simplest accepted header is {SIMPLEST}", 1
        )
    return RefusedError("UNKNOWN_FORMAT", "no line of any known tool's output; `gpuledger ingest --help` names the tools")
