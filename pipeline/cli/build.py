"""The command `build`."""

import datetime as dt
import os
import resource
import shutil
from pathlib import Path
from typing import Annotated, Literal

import typer

from pipeline import build_lock, paths
from pipeline.cli.output import DateOption, display_path, err, fail, progress
from pipeline.errors import BuildError, OptionError
from pipeline.files import writable_ancestor

NEEDED_MB = {"data": 290, "site": 620}  # by part: the peak of a first build, caches and release
# by part, used or not: with less, OpenBLAS loops forever while it is loaded, and V8, which draws charts, aborts (it reserves 68 GB)
NEEDED_ADDRESS_SPACE_MB = {"data": 3_000, "site": 80_000}

# by part: the peak of a build in `make bench`, rounded up
NEEDED_MEMORY_MB = {"data": 900, "site": 1_200}
MEMORY_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))  # of a container

MARKS = ("build.lock", "current")  # a folder with one of them is a build folder
Part = Literal["data", "site"]  # of a release
AcceptLoss = Annotated[
    list[str] | None,
    typer.Option(metavar="SOURCE", help="Publish although this source lost rows or snapshots; may be repeated."),
]


def build(
    out: Annotated[Path, typer.Option(help="Build folder; may be deleted at any time.")] = paths.BUILD,
    only: Annotated[Part | None, typer.Option(help="Build one part; the other is taken over from the last build.")] = None,
    as_of: Annotated[
        dt.date | None, DateOption(help="Day that ages are counted from; default: the newest snapshot of a refreshed source.")
    ] = None,
    accept_loss: AcceptLoss = None,
) -> None:
    """Build the dataset and the site from the stored files.

    Only what changed since the last build is made again. The release is published in one atomic step.

    Example: gpuledger build --only data
    """
    out = out.resolve()
    try:
        _check_day(as_of)
        _check_address_space(only)
        _warn_of_little_memory(only)
        _check_folder(out, only)
        with build_lock.hold(out):
            problems, nothing_changed = _run(out, only, as_of, accept_loss or [])
    except OptionError as error:
        fail(str(error))
    except BuildError as error:
        problems, nothing_changed = str(error).splitlines(), False
    except OSError as error:
        cause = f"{error.filename or out}: {error.strerror or error}"
        problems, nothing_changed = [f"{cause}; correct the permissions or free space, then run `gpuledger build` again"], False
    _report(out, problems, nothing_changed)


def _check_day(as_of: dt.date | None) -> None:
    """Raise OptionError for a day that is still to come, on which no price would be current."""
    today = dt.datetime.now(dt.UTC).date()
    if as_of and as_of > today + dt.timedelta(days=1):  # the clock of another time zone may be a day ahead
        raise OptionError(f"--as-of {as_of}: is in the future; choose {today} or an earlier day")


def _check_address_space(only: Part | None) -> None:
    """Raise BuildError if `ulimit -v` allows less than the libraries reserve, since some of them then hang or crash."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    needed_mb = NEEDED_ADDRESS_SPACE_MB[only or "site"]
    if limit != resource.RLIM_INFINITY and limit < needed_mb * 1_000_000:
        raise BuildError(
            f"`ulimit -v` allows {limit // 1_000_000} MB of address space, the build reserves {needed_mb}, mostly without using it; "
            "run `ulimit -v unlimited` and then `gpuledger build` again"
        )


def _warn_of_little_memory(only: Part | None) -> None:
    """Warn if the machine or its container has less memory than a build takes: the kernel may then kill it without a message."""
    limits = (path.read_text().strip() for path in MEMORY_LIMITS if path.exists())
    held = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    memory_mb = min([held, *(int(limit) for limit in limits if limit.isdigit())]) // 1_000_000
    needed_mb = NEEDED_MEMORY_MB[only or "site"]
    if memory_mb < needed_mb:
        err.print(
            f"There are {memory_mb} MB of memory, a build takes up to {needed_mb}. If it ends without a message, the system has "
            "killed it for lack of memory. A release that was published before then stays."
        )


def _check_folder(out: Path, only: Part | None) -> None:
    """Raise BuildError unless the folder has nothing but builds, files can be written there, and a build has room."""
    inputs = paths.DATA.resolve()
    if inputs.is_relative_to(out) or (out.is_relative_to(inputs) and not out.is_relative_to(paths.BUILD.resolve())):
        raise BuildError(
            f"--out {display_path(out)}: has the stored files; choose a folder of its own, such as {display_path(paths.BUILD)}"
        )
    try:
        if not _is_for_builds(out):
            raise BuildError(f"--out {display_path(out)}: has other files, which a build would replace; choose an empty folder")
        free_mb = shutil.disk_usage(writable_ancestor(out)).free // 1_000_000
    except OSError as error:
        raise BuildError(f"--out {display_path(out)}: {error.strerror}; choose a folder that can be written") from None
    needed_mb = NEEDED_MB[only or "site"]
    if free_mb < needed_mb:
        raise BuildError(
            f"--out {display_path(out)}: {free_mb} MB free, a build needs {needed_mb}; free space or choose another --out"
        )


def _is_for_builds(out: Path) -> bool:
    """Return False for a folder with files of others, such as the README that a build would replace."""
    return (
        out == paths.BUILD.resolve()
        or not out.is_dir()
        or not any(out.iterdir())
        or any(os.path.lexists(out / name) for name in MARKS)
    )


def _run(out: Path, only: Part | None, as_of: dt.date | None, accept_loss: list[str]) -> tuple[list[str], bool]:
    """Run the build; return its problems, and whether there was nothing to do."""
    # Dagster is slow to import; other commands do without
    from pipeline.orchestration.build_run import PARTS, BuildRun  # noqa: PLC0415
    from pipeline.orchestration.resources import BuildResource  # noqa: PLC0415

    build = BuildResource(data=str(paths.DATA), out=str(out), as_of=str(as_of or ""), accept_loss=accept_loss)
    run = BuildRun(build, PARTS[only or "all"])
    if not run.selected:
        return [], True
    if not err.is_terminal:
        return run.execute(), False
    with progress(refresh_per_second=4) as display:
        task = display.add_task("starting", total=run.n_steps)
        return run.execute(lambda step: display.update(task, advance=1, description=step)), False


def _report(out: Path, problems: list[str], nothing_changed: bool) -> None:
    if problems:
        stays = " The last good release stays." if (out / "gpuledger.duckdb").exists() else ""
        err.print(f"[red]Not published: {len(problems)} problem{'s' if problems[1:] else ''}.{stays}[/red]")
        for problem in problems:
            err.print(problem, markup=False)
        raise typer.Exit(1)
    files = [path for path in (out / "gpuledger.duckdb", out / "site" / "index.html") if path.exists()]
    verb = "Nothing changed; published before" if nothing_changed else "Published"
    err.print(f"{verb}: {', '.join(display_path(path) for path in files)}")
