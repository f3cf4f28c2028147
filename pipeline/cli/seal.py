"""The command `seal`."""

import datetime as dt
from pathlib import Path
from typing import Annotated

import typer

from pipeline import paths
from pipeline.cli.output import DateOption, display_path, err, fail
from pipeline.fetch import snapshots
from pipeline.schema.provenance import Extent, Origin


def seal(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Stored files below data/ that were added or edited by hand.")
    ],
    url: Annotated[str | None, typer.Option(help="Address of the source.")] = None,
    licence: Annotated[str | None, typer.Option(help="Licence of the source.")] = None,
    published: Annotated[dt.date | None, DateOption(help="Publication date.")] = None,
    origin: Annotated[Origin | None, typer.Option(help="How a new file was obtained.")] = None,
    extent: Annotated[Extent | None, typer.Option(help="How much of the published file it is.")] = None,
    accepted_shrink: Annotated[
        str | None, typer.Option(metavar="REASON", help="Why the file may have fewer rows than before.")
    ] = None,
) -> None:
    """Write the sidecars of stored files that were edited by hand.

    A sidecar gets the new hash and today's date. A new file needs --origin and --extent.

    Example: gpuledger seal data/specs/gpus.csv
    """
    published_at = None if published is None else published.isoformat()
    given = {"url": url, "licence": licence, "published_at": published_at, "origin": origin, "extent": extent}
    given["accepted_shrink"] = accepted_shrink
    facts = {name: value for name, value in given.items() if value is not None}
    for file in files:
        if problem := _problem_of(file):
            fail(problem)
        try:
            err.print(f"sealed {display_path(snapshots.write_sidecar(file, **facts))}")
        except snapshots.SnapshotError as error:
            fail(str(error))


def _problem_of(file: Path) -> str | None:
    """Return why a path is not that of a stored file, in one line."""
    if file.is_dir():
        return f"{file}: a folder; name the files in it that you edited, such as {file / 'NAME.csv'}"
    below, built = file.resolve().is_relative_to(paths.DATA.resolve()), file.resolve().is_relative_to(paths.BUILD.resolve())
    if not file.exists():
        return f"{file}: no such file; give the path of a stored file"
    if built or not below:
        place = "made by builds" if built else f"not below {display_path(paths.DATA)}"
        return f"{file}: {place}; give the path of a stored file"
    return None
