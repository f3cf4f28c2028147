"""llama-bench of llama.cpp: prompt and generation rates as Markdown tables, CSV, JSON, JSON lines and SQL.

Source of the layouts: llama.cpp, tools/llama-bench/llama-bench.cpp. The columns depend on the version and on the settings that
were varied, so they are read by name. Device names are on stderr before a Markdown table, and in `gpu_info` of the other
layouts. A table without its `build:` line is accepted, because people paste tables alone.
"""

import itertools
import re
from collections.abc import Iterator
from typing import Any

from benchmarks.formats.core import Block, Line, ParsedRun, records
from benchmarks.formats.llama_bench_rows import Record, Row, markdown_measurement, named_devices, run_of
from benchmarks.formats.pasted import cut_or_refuse
from pipeline.readers import RefusedError, strict_csv
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

PARSER_VERSION = 2
_TABLE = r"\|[ \t]*model[ \t]*\|[^\n]*\|[ \t]*test[ \t]*\|[ \t]*t/s[ \t]*\|"
MARK = re.compile(
    rf"^(?:ggml_\w+: [Ff]ound \d+ \w+ devices?\b[^\n]*\n(?:(?:  Device|ggml_|load_)[^\n]*\n){{0,64}}{_TABLE}"
    rf"|{_TABLE}|build_commit,build_number,[^\n]*avg_ts|INSERT INTO (?:llama_bench|test) \(build_commit, )",
    re.MULTILINE,
)

_HEADER = re.compile(_TABLE)
_FOUND = re.compile(r"ggml_\w+: [Ff]ound \d+ \w+ devices?\b")
_SIZE = re.compile(r"\|[ \t]*[\d.]{1,9} [KMGT]iB[ \t]*\|")
ROW = re.compile(
    r"[ \t]*\|[^\n]*\|[ \t]*(?:pp|tg) ?\d[^|\n]*\|[ \t]*[\d.]+ (?:±|\+/-)|\"?[0-9a-f]{7,10}\"?,\"?\d{1,6}\"?,(?:[^\n]*,){3}"
)
_BUILD = re.compile(r"build: (\w+ \(\d+\))")
_INSERT = re.compile(r"INSERT INTO (?:llama_bench|test) \((build_commit, [^)]*)\) VALUES \(")
_SEPARATOR = re.compile(r"\|(?:[ \t]*:?-+:?[ \t]*\|)+")
_LOG = re.compile(r"(?:ggml|llama|load|warning|main|common)\w*[:_]|  Device \d")
_KEYS = {"build_commit", "avg_ts", "n_prompt", "n_gen"}


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield Markdown tables one by one; records of the other layouts give one run per build and set of devices."""
    yield from _tables(block)
    for layout, rows in (("csv", _csv_rows(block)), ("sql", _sql_rows(block))):
        yield from _runs_of_records(layout, list(rows))


def is_document(document: Any) -> bool:
    rows = records(document)
    return bool(rows) and isinstance(rows[0], dict) and rows[0].keys() >= _KEYS


def parse_document(document: Any) -> Iterator[ParsedRun]:
    """Yield the runs of JSON records. Raises RefusedError PARSE for a record that is not llama-bench's."""
    rows = records(document)
    if not all(is_document(row) for row in rows):
        raise RefusedError("PARSE", "a list in which not every record is llama-bench's")
    return _runs_of_records("json", [(None, row) for row in rows])


def _runs_of_records(layout: str, rows: list[Row]) -> Iterator[ParsedRun]:
    """Yield the runs of consecutive records; None marks a row that is cut."""
    whole = [(line, record) for line, record in rows if record is not None]
    for _, group in itertools.groupby(whole, key=lambda row: (row[1].get("build_commit"), row[1].get("gpu_info"))):
        yield run_of(layout, list(group), cut=len(whole) < len(rows))


def _csv_rows(block: Block) -> Iterator[Row]:
    """Yield CSV rows. Below a blank line or the end of a code block, a row must have the quotes or commas of one."""
    names: list[str] = []
    ended = False
    for line in block.lines:
        text = line.text.strip()
        if text.startswith("build_commit,build_number,"):
            names, ended = text.split(","), False
        elif not text or text.startswith("```"):
            ended = True
        elif names and not _LOG.match(line.text) and (not ended or text.startswith('"') or text.count(",") >= len(names) - 1):
            unended = line is block.lines[-1] and not text.endswith('"')
            yield line, _record(line, block, names, text + ("," if unended else ""), '"')


def _sql_rows(block: Block) -> Iterator[Row]:
    for line in block.lines:
        text = line.text.strip()
        if match := _INSERT.match(text):
            values = text[match.end() :].removesuffix(");") if text.endswith("');") else ""
            yield line, _record(line, block, match[1].split(", "), values, "'")


def _record(line: Line, block: Block, names: list[str], values: str, quote: str) -> Record | None:
    """The fields by name; None if the paste is cut inside them. Raises RefusedError PARSE."""
    try:
        cells = strict_csv.split_line(values, quote=quote, skip_spaces=True)
    except RefusedError:
        cells = []
    if len(cells) == len(names):
        return dict(zip(names, cells, strict=True))
    cut_or_refuse(line, block, f"{len(cells)} fields where llama-bench names {len(names)}; upload the whole output")
    return None


def _tables(block: Block) -> Iterator[ParsedRun]:
    """Yield the tables. Devices are announced before their table; the next announcement or header ends a table."""
    devices: list[BenchmarkDevice] = []
    at, lines = 0, block.lines
    while at < len(lines):
        if _FOUND.match(lines[at].text):
            devices = named_devices(lines[at + 1 :])
        if _HEADER.match(lines[at].text.strip()):
            end = next((n for n in range(at + 1, len(lines)) if _ends(lines[n])), len(lines))
            yield _table(Block(lines[at:end]), block, devices)
            devices, at = [], end
        elif _looks_like_row(lines[at].text):
            raise lines[at].refuse("PARSE", "a row of llama-bench without the header of its table; upload the whole output")
        else:
            at += 1


def _ends(line: Line) -> bool:
    return bool(_HEADER.match(line.text.strip()) or _FOUND.match(line.text))


def _table(part: Block, block: Block, devices: list[BenchmarkDevice]) -> ParsedRun:
    """The run of one table. Blank lines and a log may come between the rows; below them a line must look like a row."""
    names = _cells(part.lines[0])
    rows: list[Measurement] = []
    cut = ended = closed = False
    for line in part.lines[1:]:
        text = line.text.strip()
        ended = ended or (bool(rows) and not text.startswith("|"))
        closed = closed or bool(_BUILD.match(text)) or (ended and _SEPARATOR.fullmatch(text) is not None)
        if closed and _looks_like_row(text):
            raise line.refuse("PARSE", "a row of llama-bench below the end of its table; upload the whole output")
        if not (_looks_like_row(text) if ended else text.startswith("|")):
            continue
        if not text.endswith("|") or len(_cells(line)) != len(names):
            cut_or_refuse(line, block, f"a row without the {len(names)} cells of its header")
            cut = True
        elif not set(text) <= set("|-: "):
            rows.append(markdown_measurement(line, dict(zip(names, _cells(line), strict=True)), devices))
    build = next((match[1] for match in part.matches(_BUILD)), None)
    run = BenchmarkRun(tool_version=build, layout_version="markdown", status="truncated" if cut else "ok")
    return ParsedRun(run=run, devices=devices, measurements=rows)


def _looks_like_row(text: str) -> bool:
    return "|" in text and ("±" in text or "+/-" in text or _SIZE.search(text) is not None)


def _cells(line: Line) -> list[str]:
    return [cell.strip() for cell in line.text.strip().strip("|").split("|")]
