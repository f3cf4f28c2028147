"""Upload of a release: to a folder or host with rsync, or as the branch `site` of a Git repository.

A release is complete at its destination before one last step shows it: the link `current`, or the branch.
"""

import hashlib
import re
import shutil
import tempfile
from pathlib import Path

from pipeline.publishing.git import Repository
from pipeline.publishing.programs import ANSWER_S, PublishError, run
from pipeline.warehouse.release import exports
from pipeline.warehouse.release.publish import DATABASE, EXPECTATIONS, KEPT_RELEASES

BRANCH = "site"
_GIT = re.compile(r"(git@|ssh://|git://|https?://|file://).+|.+\.git/?")
_RSYNC = ("rsync", "--archive", f"--timeout={ANSWER_S}")


def is_git(destination: str) -> bool:
    """Return whether the destination is a Git repository: an address, or a name or folder that ends with .git."""
    return bool(_GIT.fullmatch(destination))


def release_name(release: Path, version: str) -> str:
    """Return the name of a release: the version of its data, and a hash of all its files."""
    digest = hashlib.sha256()
    for path in sorted(path for path in release.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            digest.update(f"{path.relative_to(release)} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return f"{version}-{digest.hexdigest()[:12]}"


def verify(release: Path) -> None:
    """Raise PublishError unless every file has the hash that SHA256SUMS states."""
    if not exports.is_intact(release):
        raise PublishError(f"{release} is damaged: a file is missing or differs from SHA256SUMS; run `gpuledger build`")


def upload(release: Path, name: str, destination: str, work: Path) -> bool:
    """Upload a release and show it. Returns False if the destination shows it already."""
    return _push(release, destination, work) if is_git(destination) else _copy(release, name, destination.rstrip("/"))


def download_last(destination: str, target: Path, work: Path) -> bool:
    """Write the database of the release that the destination shows into the new folder `target`; False if it shows none."""
    if not is_git(destination):
        shown = _current(destination.rstrip("/"))
        if shown:
            target.mkdir(parents=True)
            names = [f"{destination.rstrip('/')}/{shown}/{name}" for name in (DATABASE, EXPECTATIONS)]
            for name in names:
                run(*_RSYNC, name, f"{target}/")
        return bool(shown)
    repository = Repository(work / "site.git", destination)
    if not repository.remote_commit(BRANCH):
        return False
    repository.git("fetch", "--quiet", "--depth=1", destination, f"refs/heads/{BRANCH}")
    with tempfile.TemporaryDirectory() as scratch:
        index = {"GIT_INDEX_FILE": f"{scratch}/index"}
        repository.git("-C", scratch, "--work-tree", scratch, "checkout", "FETCH_HEAD", "--", f"data/{DATABASE}", env=index)
        target.mkdir(parents=True)
        (target / DATABASE).write_bytes((Path(scratch) / "data" / DATABASE).read_bytes())
    return True


def _copy(release: Path, name: str, destination: str) -> bool:
    """Copy a release into `releases/NAME`, then point the link `current` to it. Files of the last one are not sent again."""
    shown, path = _current(destination), f"releases/{name}"
    if shown == path:
        return False
    unchanged = (f"--link-dest=../../{shown}",) if shown else ()
    run(*_RSYNC, "--mkpath", "--checksum", "--delete", *unchanged, f"{release}/", f"{destination}/{path}/")
    with tempfile.TemporaryDirectory() as scratch:
        link = Path(scratch) / "current"
        link.symlink_to(path)
        run(*_RSYNC, link, f"{destination}/")
    if not _is_remote(destination):
        _remove_old(Path(destination, "releases"))
    return True


def _is_remote(destination: str) -> bool:
    return re.match(r"[^/]+:", destination) is not None


def _remove_old(releases: Path) -> None:
    for old in sorted(releases.iterdir(), key=lambda path: path.stat().st_mtime)[:-KEPT_RELEASES]:
        shutil.rmtree(old, ignore_errors=True)


def _current(destination: str) -> str:
    """Return where `current` leads at the destination; empty without a release. Raises PublishError if nobody answers."""
    if not _is_remote(destination) and not Path(destination, "current").is_symlink():
        return ""
    try:
        listed = run("rsync", "--links", "--list-only", f"--timeout={ANSWER_S}", f"{destination}/", timeout_s=2 * ANSWER_S)
    except PublishError as error:
        if "No such file or directory (2)" in str(error):
            return ""
        raise PublishError(f"{destination} does not answer ({error}); check address, network and access") from None
    found = re.search(r" current -> (releases/\S+)$", listed, re.MULTILINE)
    return found[1] if found else ""


def _push(release: Path, destination: str, work: Path) -> bool:
    """Replace the branch by one commit of the site, in one step. It has no history, because releases are large."""
    repository = Repository(work / "site.git", destination)
    shown = repository.remote_commit(BRANCH)
    commit = repository.commit(repository.tree_of(release / "site"), "Publish the site", date="2026-01-01")
    if shown == commit:
        return False
    lease = f"--force-with-lease=refs/heads/{BRANCH}:{shown}"
    try:
        repository.git("push", "--quiet", lease, destination, f"{commit}:refs/heads/{BRANCH}")
    except PublishError as error:
        raise PublishError(f"branch {BRANCH} was not updated ({error}); run `gpuledger publish` again") from None
    return True
