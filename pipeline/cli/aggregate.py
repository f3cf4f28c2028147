"""The command `aggregate`: daily figures of stored observations, on DuckDB or Spark."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from pipeline import build_lock
from pipeline.aggregate import engines, history, observations
from pipeline.cli.output import DatabaseOption, display_path, err, fail, open_database_and_files
from pipeline.errors import BuildError


def aggregate(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Observations: source_id=SOURCE/month=YYYY-MM/*.parquet.")],
    out: Annotated[Path | None, typer.Option(help="Folder of the results; else FOLDER-daily.")] = None,
    engine: Annotated[Literal["duckdb", "spark"], typer.Option(help="Engine that runs the SQL.")] = "duckdb",
    remote: Annotated[str, typer.Option(metavar="URL", help="Spark Connect server, such as sc://localhost:15002.")] = "",
    memory_gb: Annotated[float, typer.Option(metavar="GB", min=0.25, help="Memory of DuckDB; the rest goes to the disk.")] = (
        engines.MEMORY_GB
    ),
    from_build: Annotated[bool, typer.Option("--from-build", help="First write the observations of the last build.")] = False,
    db: DatabaseOption = None,
) -> None:
    """Compute the daily prices of a long history.

    Reads stored observations and writes intervals, histograms and daily prices, for the months that changed.

    Example: gpuledger aggregate data/observations --from-build
    """
    if (engine == "spark") != bool(remote):
        fail("--engine spark and --remote URL belong together; for example: --engine spark --remote sc://localhost:15002")
    if from_build:
        with open_database_and_files(db) as con:
            observations.write_from_build(con, folder)
    out = out or folder.resolve().parent / f"{folder.resolve().name}-daily"
    try:
        observations.files_by_month(folder)  # before a folder for the results is made
        with (
            build_lock.hold(out),
            engines.start(remote, out / ".spill", memory_gb) as running,
            err.status("Aggregating") as status,
        ):
            months = history.aggregate(
                running, folder.resolve(), out.resolve(), lambda month: status.update(f"{month} is computed")
            )
    except BuildError as error:
        fail(str(error))
    err.print(f"{len(months)} month{'s' * (len(months) != 1)} computed; the tables are in {display_path(out)}", markup=False)
