"""The command `fetch`: download new snapshots."""

from collections.abc import Collection, Iterator
from typing import Annotated

import typer
from rich.text import Text

from pipeline import build_lock, paths
from pipeline.cli.output import display_path, err, fail, progress
from pipeline.errors import BuildError
from pipeline.fetch import refresh
from pipeline.fetch.refresh import Outcome, Status
from pipeline.fetch.session import FetchSession
from pipeline.fetch.snapshots import StoredFile
from pipeline.warehouse.workspace import Workspace
from sources import Parser, discover

_STYLE = {Status.stored: "green", Status.unchanged: "", Status.failed: "red", Status.refused: "yellow"}


def fetch(
    sources: Annotated[
        list[str] | None,
        typer.Argument(metavar="SOURCE", help="Sources by name; without one, all whose terms allow automated access."),
    ] = None,
    accept_terms: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SOURCE", help="Fetch this source although its terms forbid automated access; you are responsible for it."
        ),
    ] = None,
) -> None:
    """Download new snapshots of the sources.

    A source that fails keeps its last snapshot and does not stop the others.

    Example: gpuledger fetch azure_retail ecb
    """
    parsers = discover()
    try:
        source_ids = refresh.select_sources(sources or [], accept_terms or [], parsers)
        with build_lock.hold(paths.BUILD):
            from pipeline.orchestration.command_line import record_fetch  # noqa: PLC0415 - Dagster is slow to import

            chosen = [parsers[source_id] for source_id in source_ids]
            outcomes = record_fetch(paths.BUILD, lambda: _fetch_all(chosen, accept_terms or []))
    except refresh.UnknownSourceError as error:
        fail(str(error))
    except BuildError as error:
        fail(str(error), code=1)
    except OSError as error:
        fail(f"{error.filename or paths.BUILD}: {error.strerror}; make the folder writable, then try again", code=1)
    _summarize(outcomes)


def _fetch_all(parsers: list[Parser], accept_terms: Collection[str]) -> Iterator[Outcome]:
    with progress() as display:
        task = display.add_task("starting", total=len(parsers))
        session = FetchSession(
            count_accepted=_count_accepted,
            accept_terms=accept_terms,
            on_progress=lambda name, count: display.update(task, description=f"{name} {count / 1e6:.1f} MB"),
        )
        for parser in parsers:
            outcome = refresh.fetch_source(parser, session)
            display.update(task, advance=1, description=outcome.source_id)
            err.print(Text(f"{outcome.status}: {outcome.reason}", style=_STYLE[outcome.status]))
            for file in outcome.files:
                err.print(Text(f"  {display_path(file)}"))
            yield outcome


def _count_accepted(parser: Parser, file: StoredFile) -> int:
    from pipeline.prices.file_rows import read_file  # noqa: PLC0415 - Polars is slow to import; other commands do without

    return read_file(parser, file, Workspace(paths.DATA, paths.BUILD)).rows_accepted


def _summarize(outcomes: list[Outcome]) -> None:
    counts = {status: sum(1 for outcome in outcomes if outcome.status is status) for status in Status}
    err.print(", ".join(f"{count} {status}" for status, count in counts.items() if count) or "no source to fetch")
    if counts[Status.stored]:
        err.print("Next: gpuledger build")
    if counts[Status.failed] or counts[Status.refused]:
        raise typer.Exit(1)
