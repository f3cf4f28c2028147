"""The command that says which GPU a label means. Needs no built database: the rules are committed data."""

import csv
import math
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from pipeline import gpu_identity
from pipeline.cli.output import Format, display_path, err, fail, write_rows
from pipeline.errors import BuildError

COLUMNS = ("raw_name", "context", "reported_memory_gb")
Question = tuple[str, str, float | None]


def resolve(
    labels: Annotated[list[str] | None, typer.Argument(metavar="[LABEL ...]", help="Labels as sellers write them.")] = None,
    memory_gb: Annotated[float | None, typer.Option(metavar="N", min=0.1, help="Memory of one card, where it is known.")] = None,
    context: Annotated[str, typer.Option(metavar="TEXT", help="What else is known: provider, product line, form factor.")] = "",
    file: Annotated[Path | None, typer.Option(metavar="CSV", help=f"Labels in a file with columns {', '.join(COLUMNS)}.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer as JSON.")] = False,
) -> None:
    """Which GPU a label means: the card, the count and the rule that decided, or the reason why not.

    Example: gpuledger resolve "NVIDIA H100 80GB HBM3" Standard_NV6ads_A10_v5 --context azure
    """
    questions: list[Question] = [(label, context, memory_gb) for label in labels or []]
    if file:
        questions += _questions(file)
    if not questions:
        fail('no label given; write gpuledger resolve "RTX 4090", or --file labels.csv')
    try:
        answers = [{"raw_name": label, **asdict(gpu_identity.resolve(label, about, gb))} for label, about, gb in questions]
    except BuildError as error:
        fail(str(error), 1)
    names = [*answers[0]]
    write_rows(names, [list(answer.values()) for answer in answers], Format.json if as_json else Format.table)
    unanswered = sum(1 for answer in answers if answer["gpu_id"] is None)
    if unanswered:
        err.print(f"{unanswered} of {len(answers)} labels without an answer; the column reason says why")
        raise typer.Exit(2)


def _questions(path: Path) -> Iterator[Question]:
    """Rows of the CSV; a file that cannot be read, a missing column or a memory that is no number ends the command."""
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines(keepends=True), strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        fail(f"{display_path(path)}: cannot be read ({error})")
    for number, row in enumerate(rows, start=1):
        if missing := [name for name in COLUMNS if row.get(name) is None]:
            fail(f"{display_path(path)} row {number}: no column {', '.join(missing)}; the file needs {', '.join(COLUMNS)}")
        yield row["raw_name"], row["context"], _memory(row["reported_memory_gb"], f"{display_path(path)} row {number}")


def _memory(text: str, place: str) -> float | None:
    try:
        gb = float(text) if text.strip() else None
    except ValueError:
        gb = math.nan
    if gb is not None and not 0 < gb < math.inf:
        fail(f"{place}: reported_memory_gb {text!r} is no memory in GB; write a number or leave it empty")
    return gb
