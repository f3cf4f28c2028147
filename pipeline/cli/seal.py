"""The command `seal`."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline import paths
from pipeline.cli.output import display_path, err, fail, is_date
from pipeline.fetch import snapshots
from pipeline.schema.provenance import EXTENTS, ORIGINS


def seal(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Stored files below data/ that were added or edited by hand.")
    ],
    url: Annotated[str | None, typer.Option(help="Address of the source.")] = None,
    licence: Annotated[str | None, typer.Option(help="Licence of the source.")] = None,
    published: Annotated[str | None, typer.Option(metavar="DATE", help="Publication date.")] = None,
    origin: Annotated[str | None, typer.Option(metavar="|".join(ORIGINS), help="How a new file was obtained.")] = None,
    extent: Annotated[str | None, typer.Option(metavar="|".join(EXTENTS), help="How much of the published file it is.")] = None,
    accepted_shrink: Annotated[
        str | None, typer.Option(metavar="REASON", help="Why the file may have fewer rows than before.")
    ] = None,
) -> None:
    """Write the sidecar of each stored file, with its new hash and today's date. A new file needs --origin and --extent.

    Example: gpuledger seal data/specs/gpus.csv
    """
    if published and not is_date(published):
        fail(f"--published {published!r} is no date; write it like 2026-11-20")
    given = {"url": url, "licence": licence, "published_at": published, "origin": origin, "extent": extent}
    given["accepted_shrink"] = accepted_shrink
    facts = {name: value for name, value in given.items() if value is not None}
    for file in files:
        if not file.is_file() or not file.resolve().is_relative_to(paths.DATA.resolve()):
            fail(f"{file}: no such file below {display_path(paths.DATA)}; give the path of a stored file")
        try:
            err.print(f"sealed {display_path(snapshots.write_sidecar(file, **facts))}")
        except snapshots.SnapshotError as error:
            fail(str(error))
