"""The command `resolve`: the GPU or model of a label. It needs no database, because the rules are committed data."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from pipeline import gpu_identity
from pipeline.cli.output import display_path, err, fail, write_rows
from pipeline.readers import RefusedError, numbers, strict_csv
from pipeline.readers.text import decode_utf8

COLUMNS = ("raw_name", "context", "reported_memory_gb")
Label = tuple[str, str, float | None]  # label, context, memory in GB


def resolve(
    labels: Annotated[list[str] | None, typer.Argument(metavar="LABEL", help="Labels as sellers write them.")] = None,
    memory_gb: Annotated[float | None, typer.Option(metavar="N", min=0.1, help="Memory of one GPU, if known.")] = None,
    context: Annotated[str, typer.Option(metavar="TEXT", help="Further facts: provider, product line, form factor.")] = "",
    file: Annotated[Path | None, typer.Option(metavar="CSV", help=f"Labels in a file with columns {', '.join(COLUMNS)}.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find the GPU that a label means.

    Prints GPU, count and rule for each label. If the variant is not stated, it prints the model, or else the reason.

    Example: gpuledger resolve "NVIDIA H100 80GB HBM3" Standard_NV6ads_A10_v5 --context azure
    """
    queries: list[Label] = [(label, context, memory_gb) for label in labels or []]
    if file:
        queries += _read_labels(file)
    if not queries:
        fail('no label given; write gpuledger resolve "RTX 4090", or --file labels.csv')
    answers = [{"raw_name": label, **asdict(gpu_identity.resolve(label, about, gb))} for label, about, gb in queries]
    names = [*answers[0]]
    rows = [list(answer.values()) for answer in answers]
    if not as_json:
        rows = [[", ".join(value) if isinstance(value, tuple) else value for value in row] for row in rows]
    write_rows(names, rows, "json" if as_json else "table")
    unanswered = sum(1 for answer in answers if answer["gpu_model_id"] is None)
    if unanswered:
        err.print(f"{unanswered} of {len(answers)} labels have no answer; see column reason")
        raise typer.Exit(2)


def _read_labels(path: Path) -> Iterator[Label]:
    """Read the rows of the CSV; an unreadable file, a missing column or an invalid memory size ends the command."""
    columns, place = ", ".join(COLUMNS), display_path(path)
    try:
        text = decode_utf8(path.read_bytes()).removeprefix("\N{BYTE ORDER MARK}")
        header, *rows = [*strict_csv.read_rows(text.splitlines(keepends=True))] or [(1, [])]
    except OSError as error:
        fail(f"{place}: cannot be read ({error.strerror}); give a CSV file in UTF-8 with columns {columns}")
    except RefusedError as error:
        fail(f"{place} line {error.line}: {error.reason}")
    if missing := [name for name in COLUMNS if name not in header[1]]:
        fail(f"{place}: no column {', '.join(missing)}; the file needs {columns}")
    for line, cells in rows:
        label, context, memory = (cells[header[1].index(name)] for name in COLUMNS)
        yield label, context, _parse_memory(memory, f"{place} line {line}")


def _parse_memory(text: str, place: str) -> float | None:
    try:
        gb = numbers.parse_number(text.strip()) if text.strip() else None
    except RefusedError:
        gb = 0
    if gb is not None and gb <= 0:
        fail(f"{place}: reported_memory_gb {text!r} is not a memory size in GB; write a number or leave it empty")
    return gb
