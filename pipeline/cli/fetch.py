"""The command that downloads: fetch."""

from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from pipeline.cli.output import err, fail, shown
from pipeline.fetch import lock
from pipeline.fetch import refresh as fetching
from pipeline.fetch.refresh import Outcome, Status
from sources import discover

_STYLE = {Status.stored: "green", Status.unchanged: "", Status.failed: "red", Status.refused: "yellow"}


def fetch(
    sources: Annotated[
        list[str] | None, typer.Argument(metavar="SOURCE", help="Sources by name; without one, all whose terms allow it.")
    ] = None,
    accept_terms: Annotated[
        list[str] | None,
        typer.Option(metavar="SOURCE", help="Fetch this source although its terms forbid programs to; you answer for it."),
    ] = None,
) -> None:
    """Download new snapshots of sources. One that fails keeps its last snapshot and does not stop the others.

    Example: gpuledger fetch azure_retail ecb
    """
    try:
        chosen = fetching.choose(sources or [], accept_terms or [], discover())
        outcomes = _run(chosen, accept_terms or [])
    except fetching.UnknownSourceError as error:
        fail(str(error))
    except lock.BuildLockedError as error:
        fail(str(error), code=3)
    counts = {status: sum(1 for outcome in outcomes if outcome.status is status) for status in Status}
    err.print(", ".join(f"{count} {status}" for status, count in counts.items() if count) or "no source to fetch")
    if counts[Status.stored]:
        err.print("Next: gpuledger build")
    if counts[Status.failed] or counts[Status.refused]:
        raise typer.Exit(1)


def _run(chosen: list[str], accept_terms: list[str]) -> list[Outcome]:
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    outcomes = []
    with Progress(*columns, console=err, transient=True) as display:
        task = display.add_task("starting", total=len(chosen))
        run = fetching.Run(watch=lambda name, count: display.update(task, description=f"{name} {count / 1e6:.1f} MB"))
        for outcome in fetching.fetch(chosen, accept_terms, run):
            outcomes.append(outcome)
            display.update(task, advance=1, description=outcome.source_id)
            _say(outcome)
    return outcomes


def _say(outcome: Outcome) -> None:
    err.print(Text(f"{outcome.status}: {outcome.reason}", style=_STYLE[outcome.status]))
    for file in outcome.files:
        err.print(Text(f"  {shown(file)}"))
