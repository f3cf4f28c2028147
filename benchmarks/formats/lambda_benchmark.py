"""Lambda's deep-learning benchmark: its wide CSVs, one run per row, and the .para file of a raw log.

v0 and v1 have name_gpu, num_gpu, watt and price. v2 has only a label, whose host and address are not stored. Figures are totals
of all GPUs in the unit of their column; 0 and -1 were not run. The CSV of batch sizes has the same header, but whole numbers
where throughputs have a decimal point; its rows are flagged. Raw logs are DLLogger's, see dllogger. Only the file's name states
the precision. Source of the units: NVIDIA DeepLearningExamples, which Lambda runs.
"""

import re
from collections.abc import Iterator
from typing import Any

from benchmarks.formats.core import Block, Line, ParsedRun, alike, integer, measure, number, plain, settings
from benchmarks.formats.pasted import read_rows, split_cells
from pipeline.schema.benchmarks import BenchmarkRun, Measurement

PARSER_VERSION = 1
MARK = re.compile(r"^(?:name_gpu,num_gpu,watt,price)?,ssd,bert_base_squad\b|^GLOBAL_BATCH \d+[ \t]*$", re.MULTILINE)

_ITEMS = {
    "ssd": "images", "resnet50": "images", "bert_base_squad": "sequences", "bert_large_squad": "sequences", "gnmt": "tokens",
    "transformerxlbase": "tokens", "transformerxllarge": "tokens",
    "ncf": "samples", "tacotron2": "samples", "waveglow": "samples",
}  # fmt: skip
_NOT_RUN = (0, -1)  # compile_results_pytorch.py fills gaps with either
_HEAD = ("", "name_gpu", "num_gpu", "watt", "price")
# a label and numbers, one of which at least is a figure: 0 and -1 are not
ROW = re.compile(r"(?=[^\n]*,(?!(?:0|-1)(?:\.0)?(?:,|\s*$))\d)[^,\n]+(?:,-?\d+(?:\.\d+)?){4,}\s*$")
_MODEL = re.compile(r"(\d{1,3})x([A-Za-z]+\d\w*)")
_DETAIL = re.compile(r"\d+GB|SXM\d?|PCIe|NVL")
_COUNT_IN_NAME = re.compile(r"\b(\d{1,3})x ?")
_SITE = re.compile(r"^(?:DellTexas|Dell|SMC|1CC|RAIDZ1) ")  # location of the machine; LambdaCloud belongs to the GPU's name


def parse(block: Block) -> Iterator[ParsedRun]:
    """Yield one run per row or .para file. Raises RefusedError PARSE for a row that cannot be read."""
    for part in block.split(MARK):
        lines = [line for line in part.lines if line.text.strip()]
        start = next(n for n, line in enumerate(lines) if MARK.match(line.text))
        if row := next((line for line in lines[:start] if line.text.count(",") == lines[start].text.count(",") > 0), None):
            raise row.refuse("PARSE", "a row above the header of its table; upload the file unchanged")
        if lines[start].text.startswith("GLOBAL_BATCH"):
            yield _para(lines[start:])
        else:
            yield from _table(lines[start:])


def _para(lines: list[Line]) -> ParsedRun:
    """The run of a .para file: GLOBAL_BATCH, the batch of all GPUs together, and GPU, their number."""
    fields = {line.text.split()[0]: line.text.split()[1] for line in lines if len(line.text.split()) == 2}
    gpus = integer(fields["GPU"]) if "GPU" in fields else None
    if not gpus:
        raise lines[0].refuse("PARSE", "a batch without the line GPU that states their number; upload the .para file unchanged")
    batch = [_batch("global batch", fields["GLOBAL_BATCH"], gpus, lines[0], flags=None)]
    return ParsedRun(run=BenchmarkRun(layout_version="para"), measurements=batch)


def _table(lines: list[Line]) -> Iterator[ParsedRun]:
    columns = split_cells(lines[0])
    unknown = set(columns) - set(_ITEMS) - set(_HEAD)
    if unknown:
        raise lines[0].refuse("SCHEMA", f"columns that Lambda's benchmark does not have: {', '.join(sorted(unknown))[:80]}")
    rows = list(read_rows(lines))
    tests = [name for name in columns if name in _ITEMS]
    is_batch = bool(rows) and all(cells[test].isdigit() for _, cells in rows for test in tests)
    for line, cells in rows:
        yield _row(line, cells, tests, is_batch=is_batch)


def _row(line: Line, cells: dict[str, str], tests: list[str], *, is_batch: bool) -> ParsedRun:
    name, gpus = _of_label(cells[""]) if "" in cells else _of_name(line, cells)
    args = settings(watt=plain(cells.get("watt")), price=plain(cells.get("price")))
    run = BenchmarkRun(layout_version="v2" if "" in cells else "v1", args=args)
    build = _batch if is_batch else _throughput
    filled = [(test, cells[test]) for test in tests if number(cells[test], line) not in _NOT_RUN]
    figures = [build(test, raw, gpus, line, flags="unit_assumed" if is_batch else None) for test, raw in filled]
    return ParsedRun(run=run, devices=alike(name, gpus or 0, line, named_by="label"), measurements=figures)


def _of_label(label: str) -> tuple[str | None, int | None]:
    """Name and count: LambdaOD_8x_Texas_2xH100_80GB_SXM5_192-0-2-1_v2 is two H100 80GB SXM5; other labels name no GPU."""
    parts = label.split("_")
    for n, part in enumerate(parts):
        if match := _MODEL.fullmatch(part):
            details = parts[n + 1 :]
            end = next((m for m, detail in enumerate(details) if not _DETAIL.fullmatch(detail)), len(details))
            return " ".join([match[2], *details[:end]]), int(match[1])
    return None, None


def _of_name(line: Line, cells: dict[str, str]) -> tuple[str, int]:
    gpus = number(cells["num_gpu"], line)
    stated = _COUNT_IN_NAME.search(cells["name_gpu"])
    if gpus < 1 or gpus != int(gpus) or (stated and int(stated[1]) != gpus):
        raise line.refuse("PARSE", f"num_gpu {cells['num_gpu']!r} is not a number of GPUs that fits the name")
    return _COUNT_IN_NAME.sub("", _SITE.sub("", cells["name_gpu"]), count=1).strip(), int(gpus)


def _throughput(test: str, raw: str, gpus: int | None, line: Line, **common: Any) -> Measurement:
    item = _ITEMS[test]
    common |= {"test": test, "statistic": "mean", "item": item, "n_gpus": gpus, "workload": f"model={test}"}
    return measure("training_throughput", raw, f"{item}/s", line=line, **common)


def _batch(test: str, raw: str, gpus: int | None, line: Line, **common: Any) -> Measurement:
    """The batch size that fills all GPUs together, as a measurement."""
    total = integer(raw, line)
    common |= {"test": test, "statistic": "single", "item": _ITEMS.get(test), "n_gpus": gpus}
    if gpus and total % gpus == 0 and total:
        common["batch_size"] = total // gpus
    return measure("max_batch", raw, "items", line=line, workload=f"model={test}" if test in _ITEMS else None, **common)
