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
    """Write the sidecar of each stored file, with its new hash and today's date. A new file needs --origin and --extent.

    Example: gpuledger seal data/specs/gpus.csv
    """
    published_at = None if published is None else published.isoformat()
    given = {"url": url, "licence": licence, "published_at": published_at, "origin": origin, "extent": extent}
    given["accepted_shrink"] = accepted_shrink
    facts = {name: value for name, value in given.items() if value is not None}
    for file in files:
        if not file.is_file() or not file.resolve().is_relative_to(paths.DATA.resolve()):
            fail(f"{file}: no such file below {display_path(paths.DATA)}; give the path of a stored file")
        try:
            err.print(f"sealed {display_path(snapshots.write_sidecar(file, **facts))}")
        except snapshots.SnapshotError as error:
            fail(str(error))
