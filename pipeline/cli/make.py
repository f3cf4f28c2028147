"""Commands that make something: build, seal, serve."""

import datetime as dt
import enum
import functools
import http.server
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from pipeline import beside, paths
from pipeline.cli.output import display_path, err, fail
from pipeline.errors import BuildError
from pipeline.fetch import lock, snapshots
from pipeline.orchestration import progress

if TYPE_CHECKING:
    from pipeline.definitions import Run


class Part(enum.StrEnum):
    """Parts of a release."""

    data = enum.auto()
    site = enum.auto()


def build(
    out: Annotated[Path, typer.Option(help="Build folder; may be deleted at any time.")] = paths.BUILD,
    only: Annotated[Part | None, typer.Option(help="Build one part; the other is taken over from the last release.")] = None,
    as_of: Annotated[
        str, typer.Option(metavar="DATE", help="Day that ages are counted from, instead of the newest snapshot's.")
    ] = "",
) -> None:
    """Build everything from the stored bytes and publish it in one atomic step.

    Example: gpuledger build --only data
    """
    if as_of and not _is_date(as_of):
        fail(f"--as-of {as_of!r} is no date; write it like 2026-11-20")
    try:
        with lock.hold(out):
            problems = _run(out, only, as_of)
    except lock.BuildLockedError as error:
        fail(str(error), code=3)
    except BuildError as error:
        problems = [str(error)]
    if problems:
        err.print(f"[red]Not published: {len(problems)} problem{'s' if problems[1:] else ''}. The last good release stays.[/red]")
        for problem in problems:
            err.print(problem, markup=False)
        raise typer.Exit(1)
    made = [path for path in (out / "gpuledger.duckdb", out / "site" / "index.html") if path.exists()]
    err.print(f"Published: {', '.join(display_path(path) for path in made)}")


def _run(out: Path, only: Part | None, as_of: str) -> list[str]:
    beside.rarely_collect_garbage()
    with beside.kept():
        from pipeline.orchestration import steps  # noqa: PLC0415 - slow to import, as Dagster is; other commands do without

        with ThreadPoolExecutor(1) as aside:  # it waits for the server of processes, while we import
            begun = aside.submit(steps.begin, paths.DATA, out, sources=only != Part.site)
            from pipeline.definitions import Run  # noqa: PLC0415

            run = Run({"data": str(paths.DATA), "out": str(out), "as_of": as_of}, only)
            begun.result()
        return _displayed(run)


def _displayed(run: "Run") -> list[str]:
    """Execute the run and show how far it is."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal, refresh_per_second=4) as display:
        task = display.add_task("reading sources", total=run.told)
        token = progress.listener.set(lambda step: display.update(task, advance=1, description=step))
        try:
            return run.execute()
        finally:
            progress.listener.reset(token)


def _is_date(text: str) -> bool:
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def seal(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Stored files below data/ that were added or edited by hand.")
    ],
    url: Annotated[str | None, typer.Option(help="Where the facts were taken from.")] = None,
    licence: Annotated[str | None, typer.Option(help="Licence of the source.")] = None,
    published: Annotated[str | None, typer.Option(metavar="DATE", help="Day that the publisher gives.")] = None,
) -> None:
    """Vouch for stored files: write each one's sidecar with its new hash and today's date.

    Example: gpuledger seal data/specs/gpus.csv
    """
    if published and not _is_date(published):
        fail(f"--published {published!r} is no date; write it like 2026-11-20")
    facts = {k: v for k, v in {"url": url, "licence": licence, "published_at": published}.items() if v is not None}
    for file in files:
        if not file.is_file() or not file.resolve().is_relative_to(paths.DATA.resolve()):
            fail(f"{file}: no such file below {display_path(paths.DATA)}; give the path of a stored file")
        err.print(f"sealed {display_path(snapshots.write_sidecar(file, **facts))}")


def serve(port: Annotated[int, typer.Option(min=1, max=65535, help="Port on this machine.")] = 8000) -> None:
    """Show the built site on http://localhost:PORT.

    Example: gpuledger serve --port 8080
    """
    site = paths.BUILD / "site"
    if not (site / "index.html").exists():
        fail(f"no site at {display_path(site)}: run `make site` (or `gpuledger build`) first")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(site))
    try:
        with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
            err.print(f"http://localhost:{port}/ (Ctrl-C ends)")
            server.serve_forever()
    except OSError as error:
        fail(f"port {port}: {error.strerror}; try another --port")
    except KeyboardInterrupt:
        err.print("ended")
