"""The command `seal`."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline import paths
from pipeline.cli.output import display_path, err, fail, is_date
from pipeline.fetch import snapshots


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
    if published and not is_date(published):
        fail(f"--published {published!r} is no date; write it like 2026-11-20")
    facts = {k: v for k, v in {"url": url, "licence": licence, "published_at": published}.items() if v is not None}
    for file in files:
        if not file.is_file() or not file.resolve().is_relative_to(paths.DATA.resolve()):
            fail(f"{file}: no such file below {display_path(paths.DATA)}; give the path of a stored file")
        err.print(f"sealed {display_path(snapshots.write_sidecar(file, **facts))}")
