"""gpu-burn: rate of matrix products on each GPU during a stress test, with the verdict on their results.

Source of the layout: gpu-burn, gpu_burn-drv.cpp. A rate covers the last interval, so the last line at 90 percent or later is
read. A GPU that died or processed nothing has no rate; the rate of one with errors is flagged.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.formats.core import Block, Line, ParsedRun, integer, measure, number, settings
from benchmarks.formats.pasted import cut_or_refuse, staged
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement

PARSER_VERSION = 2
MARK = re.compile(
    r"^(?:Run length not specified in the command line|Burning for \d+ sec"
    r"|(?:GPU \d+: [^\n]*\(UUID: [^\n]*\n(?:  MIG [^\n]*\n){0,16}){1,64}Initialized device \d+ with"
    r"|Initialized device \d+ with \d+ MB of memory|[ \t]*\d{1,3}\.\d%[ \t]+proc'd:)",
    re.MULTILINE,
)

LEAST_PERCENT = 90
_PROGRESS = re.compile(r"(\d{1,3}\.\d)% proc'd: (.*?) errors: (.*?)(?: temps: (.*?))?(?: power: (.*))?$")
_NEXT_PROGRESS = re.compile(r" (?=\d{1,3}\.\d% proc'd:)")
_CLIENT = re.compile(r"(-?\d+) \((-?\d+) Gflop/s\)")
_NAME = re.compile(r"GPU \d+: (.+?) \(UUID: ")
_SETUP = re.compile(r"Initialized device \d+ with .*, using (FLOATS|DOUBLES)(, using Tensor Cores)?")
_VERDICT = re.compile(r"\s*GPU (\d+): (OK|FAULTY)\s*$")
_SECONDS = re.compile(r"Burning for (\d+) sec")
_DTYPES = {("FLOATS", False): "fp32", ("FLOATS", True): "tf32", ("DOUBLES", False): "fp64", ("DOUBLES", True): "fp64"}
_STAGES = (
    (re.compile(r"Run length not specified"), 1),
    (re.compile(r"Burning for \d+ sec"), 2),
    (_NAME, 3),
    (re.compile(r"Tested \d+ GPUs|No clients are alive|" + _VERDICT.pattern), 5),
)


@dataclass(frozen=True, slots=True)
class Progress:
    """One progress line: work done and rate per GPU, the errors, the readings (None where none is printed)."""

    line: Line
    percent: float
    clients: list[tuple[int, str]]
    errors: list[str]
    temperatures: list[str]
    powers: list[str]


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per start of the tool, or per progress that starts again."""
    return (_run(part, block) for part in staged(block.lines, list(_stages(block))) if MARK.search(part.text))


def _stages(block: Block) -> Iterator[int | None]:
    """Stages of the lines: devices, progress, verdict. A percentage or a count of products that falls starts another run."""
    reached, ended = (0.0, 0), False
    for line in block.lines:
        match = _PROGRESS.match(_pieces(line)[0])
        if match:
            percent, done = float(match[1]), max((int(client[0]) for client in _CLIENT.findall(match[2])), default=0)
            yield 4 if percent >= reached[0] and not 0 < done < reached[1] and not ended else 0
            reached, ended = (percent, done), False
            continue
        stage = next((n for pattern, n in _STAGES if pattern.match(line.text)), None)
        ended = ended or stage == 5
        reached, ended = ((0.0, 0), False) if stage is not None and stage < 4 else (reached, ended)
        yield stage


def _run(part: Block, block: Block) -> ParsedRun:
    setup = next((match for line in part.lines if (match := _SETUP.match(line.text))), None)
    lines = list(_progress(part, block))
    last = next((line for line in reversed(lines) if line.percent >= LEAST_PERCENT), None)
    verdicts = {int(match[1]): match[2] for line in part.lines if (match := _VERDICT.match(line.text))}
    seconds = _SECONDS.search(part.text)
    run = BenchmarkRun(
        layout_version="text",
        status=_status(part, lines, last, verdicts),
        args=settings(seconds=seconds[1] if seconds else None),
    )
    devices = _devices(part, len(lines[-1].clients) if lines else 0)
    return ParsedRun(run=run, devices=devices, measurements=_figures(last, verdicts, setup) if last else [])


def _progress(part: Block, block: Block) -> Iterator[Progress]:
    """Progress lines of a run. Raises RefusedError PARSE for a broken one that is not the end of the paste."""
    reports = [(line, text) for line in part.lines if "proc'd:" in line.text for text in _pieces(line)]
    for line, text in reports:
        match = _PROGRESS.search(text)
        clients = _CLIENT.findall(match[2]) if match else []
        errors = _parts(match[3]) if match else []
        if not match or len(clients) != match[2].count("(") or len(errors) != len(clients):
            cut_or_refuse(line, block, "a progress line of gpu-burn that does not name as many rates as errors")
            continue
        yield Progress(
            line,
            number(match[1], line),
            [(int(done), rate) for done, rate in clients],
            errors,
            _parts(match[4]),
            _parts(match[5]),
        )


def _pieces(line: Line) -> list[str]:
    """The progress reports of a line, with one space for several: a paste may lose carriage returns and repeated spaces."""
    return _NEXT_PROGRESS.split(" ".join(line.text.split()))


def _parts(text: str | None) -> list[str]:
    """Errors, temperatures or powers per GPU, separated by a hyphen and a space; a minus sign adjoins its number."""
    return [part.strip() for part in re.split(r"-(?= )", text or "") if part.strip()]


def _status(part: Block, lines: list[Progress], last: Progress | None, verdicts: dict[int, str]) -> str:
    final = lines[-1] if lines else None
    if "No clients are alive" in part.text or (
        final and any(done < 0 or "DIED" in e for (done, _), e in zip(final.clients, final.errors, strict=True))
    ):
        return "failed"
    if "FAULTY" in verdicts.values() or any("WARNING" in error for line in lines for error in line.errors):
        return "invalid"
    return "ok" if last or (verdicts and not lines) else "truncated"


def _devices(part: Block, n_clients: int) -> list[BenchmarkDevice]:
    """The devices by nvidia-smi's list. Its order is not CUDA's, so different names cannot be assigned and are left out."""
    names = [match[1] for line in part.lines if (match := _NAME.match(line.text))]
    count = n_clients or len(names)
    name = names[0] if len(set(names)) == 1 else None
    return [BenchmarkDevice(ordinal=n, name_raw=name) for n in range(count)] if names else []


def _figures(last: Progress, verdicts: dict[int, str], setup: re.Match[str] | None) -> list[Measurement]:
    cores = "unknown" if not setup or setup[1] == "DOUBLES" else "yes" if setup[2] else "no"
    dtype = _DTYPES[setup[1], bool(setup[2])] if setup else None
    figures: list[Measurement] = []
    for n, ((done, rate), error) in enumerate(zip(last.clients, last.errors, strict=True)):
        if done <= 0 or integer(rate, last.line) <= 0:
            continue
        common: dict[str, Any] = {"line": last.line, "device_ordinal": n, "test": "gemm", "statistic": "last", "n_gpus": 1}
        is_wrong = error.split()[0] != "0" or verdicts.get(n) == "FAULTY"
        product = common | {"dtype": dtype, "tensor_core": cores, "sparsity": "dense"}
        product |= {"status": "invalid", "flags": "incorrect_result"} if is_wrong else {}
        figures.append(measure("matrix_throughput", rate, "Gflop/s", **product))
        figures += _readings(last, n, common)
    return figures


def _readings(last: Progress, n: int, common: dict[str, Any]) -> Iterator[Measurement]:
    """Yield temperature and power per GPU, if there are as many as GPUs."""
    for metric, values in (("temperature", last.temperatures), ("power", last.powers)):
        value, _, unit = values[n].partition(" ") if len(values) == len(last.clients) else ("", "", "")
        if unit in ("C", "W"):
            yield measure(metric, value, unit, **common)
