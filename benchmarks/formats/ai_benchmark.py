"""AI-Benchmark (TensorFlow): inference and training times of 19 networks, and unitless scores.

Times are per batch, mean ± standard deviation. A score of 0 was not run. Without a GPU line in the header TensorFlow ran on
the host, and the figures describe no GPU. Source of the layout: ai_benchmark, utils.py.
"""

import re
from collections.abc import Iterator

from benchmarks.formats.core import Block, Line, ParsedRun, integer, measure, number, settings
from benchmarks.formats.pasted import cut_or_refuse
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

PARSER_VERSION = 1
_HEADER = re.compile(r">>\s+AI-Benchmark-v")
_TEST = re.compile(r"\d{1,2}\.\d - (?:inference|training)\s*\|")
_SCORE = re.compile(r"(?:\* )?Device (Inference|Training|AI) Score:")
MARK = re.compile(rf"^(?:{_HEADER.pattern}|{_TEST.pattern}|{_SCORE.pattern})", re.MULTILINE)

ROW = re.compile(rf"{_TEST.pattern}|{_SCORE.pattern}(?! 0\s*$)")
_NETWORK = re.compile(r"(?:#+ )?(\d{1,2})/\d{1,2}\. (\S.*)")
_ROW = re.compile(r"(\d{1,2})(\.\d) - (inference|training)\s*\| batch=(\d+), size=(\w+): (\S+) (?:Â?±|\+/-) (\S+) ms\s*")
_SCORE_ROW = re.compile(rf"{_SCORE.pattern} (\d+)\s*")
_FIELD = re.compile(r"\* {1,3}(\w[\w/ ]*): (.+)")


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per header, or one for a paste without a header. A run without a score, or with a cut one, is truncated."""
    return map(_run, block.split(_HEADER))


def _run(part: Block) -> ParsedRun:
    fields = {match[1]: match[2].strip() for match in part.matches(_FIELD)}
    gpus = [value for name, value in fields.items() if name.startswith("GPU/")]
    version = re.search(r"AI-Benchmark-v\.?([\d.]+)", part.text)
    on_host = "TF Version" in fields and not gpus
    rows = list(_rows(part, "non_cuda" if on_host else None))
    run = BenchmarkRun(
        tool_version=version[1].rstrip(".") if version else None,
        layout_version="text",
        status="truncated" if _is_cut(part, rows) else "ok",
        cuda_runtime=fields["CUDA Version"] if re.fullmatch(r"\d+\.\d+", fields.get("CUDA Version", "")) else None,
        framework=f"TensorFlow {fields['TF Version']}" if "TF Version" in fields else None,
    )
    devices = [BenchmarkDevice(ordinal=n, name_raw=name.partition(" [")[0]) for n, name in enumerate(gpus)]
    return ParsedRun(run=run, devices=devices, measurements=rows)


def _is_cut(part: Block, rows: list[Measurement]) -> bool:
    scores = {row.line for row in rows if row.metric == "score"}
    return not scores or any(
        _SCORE.match(line.text) and ROW.match(line.text) and line.number not in scores for line in part.lines
    )


def _rows(part: Block, flags: str | None) -> Iterator[Measurement]:
    networks: dict[str, str] = {}
    for line in part.lines:
        if match := _NETWORK.match(line.text):
            networks[match[1]] = match[2].strip()
        elif _TEST.match(line.text):
            yield from _time(line, part, networks, flags)
        elif _SCORE.match(line.text):
            yield from _score(line, part, flags)


def _time(line: Line, part: Block, networks: dict[str, str], flags: str | None) -> Iterator[Measurement]:
    match = _ROW.fullmatch(line.text)
    if match:
        network, test, kind, batch, size, mean, stddev = match.groups()
        yield measure(
            f"{kind}_time", mean, "ms", line=line, stddev=number(stddev, line), test=f"{network}{test} {kind}", statistic="mean",
            batch_size=integer(batch, line), workload=settings(model=networks.get(network), size=size), flags=flags,
        )  # fmt: skip
    else:
        cut_or_refuse(line, part, "a test's row ends in its mean ± deviation in ms; upload the whole output")


def _score(line: Line, part: Block, flags: str | None) -> Iterator[Measurement]:
    """Yield the score of a line, except at the very end of a paste, where its digits may be cut."""
    match = _SCORE_ROW.fullmatch(line.text)
    if match is None:
        cut_or_refuse(line, part, "a score is a whole number")
    elif line is not part.lines[-1] and integer(match[2], line):
        yield measure("score", match[2], "points", line=line, test=f"{match[1].lower()} score", statistic="single", flags=flags)
