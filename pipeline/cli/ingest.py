"""Command `ingest`: read benchmark outputs, and print the content of each, or the reason why it is refused."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from benchmarks.formats.core import MAX_DEVICES, ParsedRun
from pipeline import paths
from pipeline.cli.output import err, fail, progress
from pipeline.uploads import inbox
from pipeline.uploads.annotation.hints import DeviceHint, hint_of_user, resolve_name
from pipeline.uploads.annotation.runs import NAME
from pipeline.uploads.ingest import STDIN, Group, Outcome, Statements, group_files, one_at_a_time
from pipeline.uploads.ingest import ingest as ingest_all
from pipeline.uploads.origin import load_manifest

WAITING = "process {} ingests into the same folder; waiting for its end"


def ingest(
    files: Annotated[
        list[str], typer.Argument(metavar="PATH", help="Outputs of benchmark tools: files, folders, or - for a pipe.")
    ],
    gpu: Annotated[
        str, typer.Option(metavar="NAME", help="The GPU, if neither the output nor a file in its folder names one.")
    ] = "",
    gpu_count: Annotated[
        int | None, typer.Option(min=1, max=MAX_DEVICES, help="How many GPUs the machine of --gpu has; unknown otherwise.")
    ] = None,
    manifest: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="CSV with the source and licence of each file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Everything that was read, as one JSON list.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Parse and check, but store nothing.")] = False,
) -> None:
    """Add outputs of benchmark tools to the data.

    Supported tools, reason codes and the columns of a manifest: site/docs/uploads.md.

    Example: nvbandwidth | gpuledger ingest - --gpu "NVIDIA H100 80GB HBM3"
    """
    uploads = _find_groups(files)
    stated = Statements(_user_hint(gpu, gpu_count), load_manifest(manifest) if manifest else None)
    outcomes = ingest_all(paths.DATA, uploads, stated=stated, dry_run=dry_run)
    with nullcontext() if dry_run else one_at_a_time(paths.DATA, lambda process: err.print(WAITING.format(process))):
        counts = _print(_with_progress(outcomes, sum(len(group.files) for group in uploads)), as_json)
    err.print(
        ", ".join(f"{count} {status}" for status, count in sorted(counts.items())) + (" (nothing stored)" if dry_run else "")
    )
    if counts["rejected"]:
        raise typer.Exit(2)


def _find_groups(files: list[str]) -> list[Group]:
    """The files at and below the paths, grouped by folder; a path is taken literally, without wildcards."""
    if missing := [name for name in files if name != str(STDIN) and not os.path.lexists(name)]:
        fail(
            f"{printable(missing[0]) or repr('')}: no such file or folder; give the path of a benchmark's output, or - for a pipe"
        )
    groups = group_files([Path(name) for name in files], inbox.folder(paths.DATA))
    if not groups:
        fail("no file in there; give the path of a benchmark's output, or - for a pipe")
    return groups


def _user_hint(gpu: str, count: int | None) -> DeviceHint | None:
    if not gpu:
        return None
    hint = hint_of_user(gpu, count)
    resolution = resolve_name(gpu, hint.named_by, None)
    if resolution.gpu_id is None or not NAME.fullmatch(gpu):
        fail(f"--gpu {printable(gpu)!r}: {resolution.reason or 'not a device name'}; `gpuledger resolve` shows what a name means")
    return hint


def _with_progress(outcomes: Iterable[Outcome], total: int) -> Iterator[Outcome]:
    """Yield the outcomes, with a progress bar on stderr if there is more than one file."""
    with progress(disable=total == 1) as display:
        task = display.add_task("reading uploads", total=total)
        for outcome in outcomes:
            display.advance(task)
            yield outcome


def _print(outcomes: Iterable[Outcome], as_json: bool) -> Counter[str]:
    """Print accepted files to stdout and refusals to stderr, and count the files by status."""
    counts: Counter[str] = Counter()
    for outcome in outcomes:
        if as_json:
            print("," if counts else "[", json.dumps(_plain(outcome), indent=1, default=str), sep="\n" if counts else "")
        elif outcome.code:
            where = f" line {outcome.line}" if outcome.line else ""
            err.print(
                Text(f"{printable(str(outcome.file))}{where}: {outcome.code}: {printable(outcome.reason or '')}", style="red")
            )
        else:
            print("\n".join(f"{printable(str(outcome.file))}: {line}" for line in _lines(outcome)))
        counts[outcome.status] += 1
    if as_json:
        print("]")
    return counts


def _lines(outcome: Outcome) -> Iterator[str]:
    for run in outcome.runs:
        yield f"{outcome.status}: {run.run.tool} {run.run.tool_version or ''}".rstrip() + f", {_describe_run(run)}"


def _describe_run(run: ParsedRun) -> str:
    names = [device.gpu_id or f"{device.name_raw or 'a GPU without a name'} (not resolved)" for device in run.devices]
    gpus = ", ".join(f"{count} x {name}" for name, count in Counter(names).items()) or "no GPU named (give one with --gpu)"
    flags = Counter(flag for figure in run.measurements for flag in (figure.flags or "").split(",") if flag)
    flagged = "".join(f", {count} {flag}" for flag, count in sorted(flags.items()))
    n_figures = len(run.measurements)
    return f"{n_figures} figure{'' if n_figures == 1 else 's'} of {gpus}{flagged}"


def _plain(outcome: Outcome) -> dict[str, Any]:
    """An outcome in the form of the contract."""
    runs = [
        {**asdict(run.run), "devices": list(map(asdict, run.devices)), "measurements": list(map(asdict, run.measurements))}
        for run in outcome.runs
    ]
    result = {"status": outcome.status, "code": outcome.code, "line": outcome.line, "reason": outcome.reason}
    return {"file": str(outcome.file), **result, "runs": runs}


def printable(text: str) -> str:
    """Text with control, bidirectional and invisible characters escaped, so that no terminal acts on them."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)
