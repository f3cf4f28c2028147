"""Sending a release: to a folder or host with rsync, or as the branch `site` of a Git repository.

A release is complete at its destination before one last step shows it: the link `current`, or the branch.
"""

import hashlib
import re
import shutil
import tempfile
from pathlib import Path

from pipeline.files import hash_file, replace_folder, writable_ancestor
from pipeline.publishing.git import Repository
from pipeline.publishing.programs import ANSWER_S, PublishError, run
from pipeline.release import exports
from pipeline.release.publish import DATABASE, DIFFERENCES, EXPECTATIONS, KEPT_RELEASES

BRANCH = "site"
RECORD = "data-commit.txt"  # on the branch: the commit of the snapshots that were stored when it was published
_GIT = re.compile(r"(git@|ssh://|git://|https?://|file://).+|.+\.git/?")
_RSYNC = ("rsync", "--archive", f"--timeout={ANSWER_S}")
_CONTENT = ("<", ">", "c", "*deleting")  # how rsync marks what it sent, made or deleted; other lines are of times and permissions


def is_git(destination: str) -> bool:
    """Return whether the destination is a Git repository: an address, or a name or folder that ends with .git."""
    return bool(_GIT.fullmatch(destination))


def release_name(release: Path, version: str) -> str:
    """Return the name of a release: the version of its data, and a hash of all its files."""
    digest = hashlib.sha256()
    for path in sorted(path for path in release.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(release)} {hash_file(path)}\n".encode())
    return f"{version}-{digest.hexdigest()[:12]}"


def refuse_unusable(destination: str, build: Path) -> None:
    """Raise PublishError if nothing can be published there: no name, a file, or a folder of the build itself."""
    if not destination.strip():
        raise PublishError("DEST is empty; name a folder, HOST:FOLDER or a Git repository")
    path = Path(destination)
    if not _is_remote(destination) and path.resolve().is_relative_to(build.resolve()):
        raise PublishError(f"{destination} is in the build folder; choose another DEST, such as /srv/gpuledger")
    if path.is_file():
        raise PublishError(f"{destination} is a file; name a folder, HOST:FOLDER or a Git repository")


def refuse_unreachable(destination: str, work: Path) -> None:
    """Raise PublishError if nobody answers there, or nothing can be written, before the minutes of a build."""
    if is_git(destination):
        Repository(work / "site.git", destination).refuse_unwritable()
    elif _is_remote(destination):
        _current(destination.rstrip("/"))
    else:
        run("rsync", "--version")
        try:
            writable_ancestor(Path(destination))
        except OSError as error:
            raise PublishError(f"{destination}: {error.strerror}; choose a folder that can be written") from None


def verify(release: Path) -> None:
    """Raise PublishError unless every file has the hash that SHA256SUMS states."""
    if not exports.is_intact(release):
        raise PublishError(f"{release} is damaged: a file is missing or differs from SHA256SUMS; run `gpuledger build`")


def upload(release: Path, name: str, destination: str, work: Path, snapshots: str = "") -> bool:
    """Upload a release and show it. Returns False if the destination shows it already, whole.

    `snapshots` is the commit of the stored snapshots, which a Git destination records.
    """
    if is_git(destination):
        return _push(release, destination, work, snapshots)
    return _copy(release, name, destination.rstrip("/"))


def download_last(destination: str, target: Path, work: Path) -> bool:
    """Write the database of the release that the destination shows, and the row counts that were expected of it, into `target`.

    Returns False if it shows none. Raises PublishError if that database is damaged.
    """
    return _check_out(destination, target, work) if is_git(destination) else _fetch(destination.rstrip("/"), target)


def _fetch(destination: str, target: Path) -> bool:
    shown = _current(destination)
    if shown:
        with replace_folder(target) as scratch:
            for name in (DATABASE, EXPECTATIONS, "SHA256SUMS"):
                run(*_RSYNC, f"{destination}/{shown}/{name}", f"{scratch}/")
            if not exports.is_intact(scratch, DATABASE):
                raise PublishError(f"{destination}/{shown} is damaged; restore {DATABASE} there, or delete {destination}/current")
    return bool(shown)


def _check_out(destination: str, target: Path, work: Path) -> bool:
    """Git compares what it transfers with its hashes. Branches of earlier versions have no expectations."""
    repository, shown = _site_branch(destination, work)
    if not shown:
        return False
    names = repository.git("ls-tree", "--name-only", shown, f"data/{DATABASE}", EXPECTATIONS).splitlines()
    with tempfile.TemporaryDirectory() as checkout, replace_folder(target) as scratch:
        index = {"GIT_INDEX_FILE": f"{checkout}/index"}
        repository.git("-C", checkout, "--work-tree", checkout, "checkout", shown, "--", *names, env=index)
        for name in names:
            shutil.copyfile(Path(checkout, name), scratch / Path(name).name)
    return True


def _site_branch(destination: str, work: Path) -> tuple[Repository, str]:
    """Fetch the branch of a Git destination, unless it is here already. Returns its commit, empty if there is none."""
    repository = Repository(work / "site.git", destination)
    shown = repository.remote_commit(BRANCH)
    if shown and shown != repository.local_commit(BRANCH):
        repository.git("fetch", "--quiet", "--depth=1", destination, f"+refs/heads/{BRANCH}:refs/heads/{BRANCH}")
    return repository, repository.local_commit(BRANCH) if shown else ""


def _read_shown(destination: str, work: Path, name: str) -> str:
    """Return the text of a file on the branch of a Git destination, empty if there is none."""
    repository, shown = _site_branch(destination, work)
    if not shown or not repository.git("ls-tree", "--name-only", shown, name):
        return ""
    return repository.git("show", f"{shown}:{name}")


def current_version(destination: str, work: Path) -> tuple[int, ...]:
    """Return the version of the release that the destination shows, such as (2026, 10, 4); empty where it states none."""
    if is_git(destination):
        found = re.search(r'"as_of": "(\d+)-(\d+)-(\d+)"', _read_shown(destination, work, f"data/{DIFFERENCES}"))
    else:
        found = re.match(r"releases/(\d+)\.(\d+)\.(\d+)-", _current(destination.rstrip("/")))
    return tuple(map(int, found.groups())) if found else ()


def recorded_snapshots(destination: str, work: Path) -> str:
    """Return the commit of the snapshots that a Git destination records, empty if it records none."""
    return _read_shown(destination, work, RECORD) if is_git(destination) else ""


def _copy(release: Path, name: str, destination: str) -> bool:
    """Copy a release into `releases/NAME`, then point the link `current` to it. Files of the last one are not sent again.

    Of a release that is shown already, files that are damaged or missing are replaced, each in one step.
    """
    shown, path = _current(destination), f"releases/{name}"
    unchanged = (f"--link-dest=../../{shown}",) if shown not in {"", path} else ()
    # without times, since each build writes new ones: an unchanged file is a link, and keeps the date that browsers compare
    options = ("--mkpath", "--no-times", "--checksum", "--delete", "--itemize-changes", *unchanged)
    changes = run(*_RSYNC, *options, f"{release}/", f"{destination}/{path}/")
    if shown != path:
        with tempfile.TemporaryDirectory() as scratch:
            link = Path(scratch) / "current"
            link.symlink_to(path)
            run(*_RSYNC, link, f"{destination}/")
    if _is_remote(destination):
        _refuse_dead_link(destination)
    else:
        _remove_old(Path(destination, "releases"), name)
    return shown != path or any(line.startswith(_CONTENT) for line in changes.splitlines())


def _refuse_dead_link(destination: str) -> None:
    """Raise PublishError if `current` leads nowhere: an rsync daemon may store links that it alone can read."""
    try:
        run("rsync", "--list-only", f"--timeout={ANSWER_S}", f"{destination}/current/", timeout_s=2 * ANSWER_S)
    except PublishError as error:
        raise PublishError(
            f"{destination}/current cannot be followed ({error}); where an rsync daemon serves it, set `munge symlinks = no`"
        ) from None


def _is_remote(destination: str) -> bool:
    return re.match(r"[^/]+:", destination) is not None


def _remove_old(releases: Path, shown: str) -> None:
    """Keep the shown release and the newest others. A wrong clock may date the shown one before them."""
    others = (path for path in releases.iterdir() if path.name != shown)
    for old in sorted(others, key=lambda path: path.stat().st_mtime)[: 1 - KEPT_RELEASES]:
        shutil.rmtree(old, ignore_errors=True)


def _current(destination: str) -> str:
    """Return where `current` leads at the destination; empty without a release. Raises PublishError if nobody answers."""
    if not _is_remote(destination) and not Path(destination, "current").exists():
        return ""
    try:
        listed = run("rsync", "--links", "--list-only", f"--timeout={ANSWER_S}", f"{destination}/", timeout_s=2 * ANSWER_S)
    except PublishError as error:
        if "No such file or directory (2)" in str(error):
            return ""
        raise PublishError(f"{destination} does not answer ({error}); check address, network and access") from None
    found = re.search(r" current -> (releases/\S+)$", listed, re.MULTILINE)
    return found[1] if found else ""


def _push(release: Path, destination: str, work: Path, snapshots: str) -> bool:
    """Replace the branch by one commit of the site, in one step. It has no history, because releases are large."""
    repository = Repository(work / "site.git", destination)
    shown = repository.remote_commit(BRANCH)
    commit = repository.commit(_tree(repository, release, snapshots), "Publish the site", date="2026-01-01")
    if shown == commit:
        return False
    repository.push(BRANCH, commit, f"--force-with-lease=refs/heads/{BRANCH}:{shown}")
    return True


def _tree(repository: Repository, release: Path, snapshots: str) -> str:
    """Store the site, with the expected row counts and the record of the snapshots beside it. Returns the tree."""
    tree = repository.tree_of(release / "site")
    if (release / EXPECTATIONS).exists():
        tree = repository.tree_of(release, [EXPECTATIONS], base=tree)
    if not snapshots:
        return tree
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, RECORD).write_text(f"{snapshots}\n")
        return repository.tree_of(Path(scratch), [RECORD], base=tree)
