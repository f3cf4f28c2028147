"""Outputs with bytes that are not UTF-8, such as a torn character in a progress bar: read if no figure depends on them.

The text is parsed with each of several characters in place of such a byte. Where the figures or their lines differ, or a figure
is on a line with such a byte, the damage is not local and the file is refused.
"""

import re
from collections.abc import Callable
from dataclasses import replace

from benchmarks.formats.core import ParsedRun
from pipeline.readers import RefusedError
from pipeline.schema.benchmarks import Measurement
from pipeline.uploads import decoding
from pipeline.uploads.serialization import ParsedUpload

SHOWN = "\N{REPLACEMENT CHARACTER}"
_TRIED = (SHOWN, "", " ", "0")
_LINE_END = re.compile(rb"\r\n?|\n")
MAX_LINES = 16


def parse_torn(raw: bytes, parse: Callable[[str], ParsedUpload], refused: RefusedError) -> ParsedUpload:
    """Parse a text without the bytes that are not UTF-8, whose lines its runs state. Raises `refused` if a figure has some."""
    lines = enumerate(_LINE_END.split(raw), start=1)
    torn = {number for number, line in lines if line.decode(errors="ignore").encode() != line}
    if len(torn) > MAX_LINES:
        raise refused
    try:
        shown, *others = (parse(decoding.decode(raw, character)) for character in _TRIED)
    except RefusedError:
        raise refused from None
    with_figures = {figure.line for run in shown.runs for figure in run.measurements}
    if any(_results(shown) != _results(other) for other in others) or torn & with_figures:
        raise refused
    return replace(shown, runs=[_with_remark(run, torn) for run in shown.runs])


def _results(parsed: ParsedUpload) -> list[tuple[str, list[Measurement]]]:
    return [(run.run.status, run.measurements) for run in parsed.runs]


def _with_remark(run: ParsedRun, torn: set[int]) -> ParsedRun:
    remark = f"not_utf8_lines={','.join(map(str, sorted(torn)))}"
    return replace(run, run=replace(run.run, args="; ".join(filter(None, (run.run.args, remark)))))
