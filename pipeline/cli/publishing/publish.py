"""The command `publish`: everything that a daily run does, from stored snapshots to a release at its destination."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline import build_lock, paths
from pipeline.cli import build as build_command
from pipeline.cli import fetch as fetch_command
from pipeline.cli.output import err, fail
from pipeline.errors import BuildError
from pipeline.fetch import refresh
from pipeline.publishing import destination, snapshot_branch
from pipeline.publishing.git import Repository
from pipeline.publishing.programs import PublishError
from pipeline.release.dataset import version
from pipeline.release.publish import DATABASE
from pipeline.warehouse import connection
from sources import discover


def publish(
    dest: Annotated[str, typer.Argument(metavar="DEST", help="A folder, an rsync target (HOST:FOLDER), or a Git repository.")],
    snapshots: Annotated[
        str, typer.Option(metavar="REPOSITORY", help="Git repository whose branch `data` stores fetched snapshots.")
    ] = "",
    fetch: Annotated[bool, typer.Option(help="Fetch new snapshots first.")] = True,
    source: Annotated[list[str] | None, typer.Option(metavar="SOURCE", help="Fetch this source alone; may be repeated.")] = None,
    allow_older: Annotated[bool, typer.Option("--allow-older", help="Publish data that are older than those at DEST.")] = False,
    accept_loss: build_command.AcceptLoss = None,
) -> None:
    """Fetch, build and check, then publish the release at DEST.

    With --snapshots, earlier snapshots are restored first and new ones stored. An error leaves DEST as it is.

    Example: gpuledger publish /srv/gpuledger --snapshots git@example.org:me/gpuledger.git
    """
    if source and not fetch:
        fail("--source has no effect with --no-fetch; leave one of the two out")
    try:
        destination.refuse_unusable(dest, paths.BUILD)
        refresh.select_sources(source or [], [], discover())
    except BuildError as error:
        fail(f"Not published: {error}")
    try:
        with build_lock.hold(paths.BUILD):
            _publish(dest, snapshots, accept_loss, allow_older=allow_older, fetch=(source or []) if fetch else None)
    except BuildError as error:
        fail(f"Not published: {error}", code=1)


def _publish(dest: str, snapshots: str, accept_loss: list[str] | None, *, allow_older: bool, fetch: list[str] | None) -> None:
    from pipeline.cli.publishing import notes  # noqa: PLC0415 - the website is slow to import; other commands do without

    work = paths.BUILD / "publishing"
    work.mkdir(parents=True, exist_ok=True)
    branch = Repository(work / "snapshots.git", snapshots) if snapshots else None
    destination.refuse_unreachable(dest, work)
    if branch:
        branch.refuse_unwritable()
    recorded = destination.recorded_snapshots(dest, work)
    if branch:
        err.print(f"Restored {snapshot_branch.restore(branch, paths.DATA, recorded)} files of earlier snapshots")
    if fetch is not None:
        _fetch(fetch)
    _restore_last_release(dest, work)
    build_command.build(out=paths.BUILD, accept_loss=accept_loss)
    release = (paths.BUILD / "current").resolve()
    name = checked_name(release)
    notes.write(release, work)
    if not allow_older:
        refuse_older(dest, name, work)
    if branch:
        err.print(f"Stored {snapshot_branch.push(branch, paths.DATA)} files of new snapshots")
        recorded = branch.local_commit(snapshot_branch.BRANCH)
    is_new = destination.upload(release, name, dest, work, recorded)
    err.print(f"{'Published' if is_new else 'Nothing changed; published before'}: {name} at {dest}", markup=False)


def _fetch(sources: list[str]) -> None:
    """Fetch. A source that fails keeps its last snapshot; the release shows its age."""
    try:
        fetch_command.fetch(sources=sources)
    except typer.Exit as end:
        if end.exit_code != 1:
            raise
        err.print("Some sources failed; their last snapshots are used")


def _restore_last_release(dest: str, work: Path) -> None:
    """Get the release that the destination shows, where this machine has none, so that the new one is compared with it."""
    current, last = paths.BUILD / "current", paths.BUILD / "releases" / "000000"
    if not current.exists() and destination.download_last(dest, last, work):
        current.symlink_to(Path("releases") / last.name)


def refuse_older(dest: str, name: str, work: Path) -> None:
    """Raise PublishError if the destination shows a release of newer data, which another machine may have published."""
    shown, ours = destination.current_version(dest, work), tuple(map(int, name.partition("-")[0].split(".")))
    if shown > ours:
        newer = ".".join(map(str, shown))
        raise PublishError(f"{dest} shows the newer release {newer}; check the clock and the snapshots, or use --allow-older")


def checked_name(release: Path) -> str:
    """Return the name of a release whose files are intact. Raises PublishError where one is damaged."""
    destination.verify(release)
    with connection.connect(release / DATABASE, read_only=True) as con:
        ((as_of,),) = con.execute("SELECT as_of FROM release").fetchall()
    return destination.release_name(release, version(as_of))
