"""The branch `data` of a Git repository, which stores the snapshots that the project's own commits lack.

Every run restores it before it fetches, and pushes what it fetched. The branch only grows: a snapshot never changes. Of
snapshots that the project's commits have, it stores the sidecars in which a host's return to these bytes is noted.
"""

import tempfile
from pathlib import Path

from pipeline.fetch.snapshots import read_facts, write_facts
from pipeline.files import write_atomically
from pipeline.publishing.destination import BRANCH as SITE_BRANCH
from pipeline.publishing.destination import RECORD
from pipeline.publishing.git import Repository
from pipeline.publishing.programs import PublishError
from pipeline.release.expectations import read_expectations
from pipeline.release.publish import EXPECTATIONS

BRANCH = "data"
_SIDECAR = ".json"
_RETURN = ("returned_at", "checked_at")


def restore(repository: Repository, data: Path, recorded: str) -> int:
    """Add the snapshots of the branch to the data folder. Returns their number.

    `recorded` is the commit of the branch that the published release names, which a new machine does not know otherwise.
    Raises PublishError if the branch was rewritten since then or since the last run here, or contradicts a stored file.
    """
    found = repository.remote_commit(BRANCH)
    _refuse_rewritten(repository, found, recorded)
    if not found:
        return 0
    added = _check_out(repository, found, data)
    repository.git("update-ref", f"refs/heads/{BRANCH}", found)
    return added


def _refuse_rewritten(repository: Repository, found: str, recorded: str) -> None:
    """Fetch the commit `found` of the branch. Raises PublishError unless its history has the commits that are known."""
    if found:
        repository.git("fetch", "--quiet", repository.remote, f"refs/heads/{BRANCH}")
    history = repository.git("rev-list", found).splitlines() if found else []
    known = repository.local_commit(BRANCH)
    if known and known not in history:
        remedy = f"git --git-dir {repository.folder} push {repository.remote} +{BRANCH}"
        raise _rewritten(repository, known, f"Restore it with `{remedy}`, or delete {repository.folder} to accept it")
    if recorded and recorded not in history:
        remedy = (
            f"Push that commit again from a machine that has it, or delete {RECORD} from the branch {SITE_BRANCH} to accept it"
        )
        raise _rewritten(repository, recorded, remedy)


def _rewritten(repository: Repository, known: str, remedy: str) -> PublishError:
    return PublishError(f"branch {BRANCH} of {repository.remote} was rewritten: commit {known[:12]} is no longer in it. {remedy}")


def _check_out(repository: Repository, commit: str, data: Path) -> int:
    with tempfile.TemporaryDirectory() as scratch:
        folder, index = Path(scratch) / "files", {"GIT_INDEX_FILE": f"{scratch}/index"}
        folder.mkdir()
        repository.git("-C", folder, "--work-tree", folder, "checkout", "--force", commit, "--", ".", env=index)
        files = [path for path in sorted(folder.rglob("*")) if path.is_symlink() or path.is_file()]
        for path in files:
            _refuse_change(path, path.relative_to(folder), data)
        return sum(_add(path, data / path.relative_to(folder)) for path in files)


def _refuse_change(path: Path, name: Path, data: Path) -> None:
    """Raise PublishError unless the file is a snapshot or sidecar that the data folder lacks, or has with the same bytes."""
    target = data / name
    if path.is_symlink() or name.parts[0] != "raw":
        raise PublishError(f"branch {BRANCH} has {name}, which is not a snapshot; remove it from the branch")
    if target.exists() and not _is_sidecar(path, target) and target.read_bytes() != path.read_bytes():
        raise PublishError(f"{target} differs from the branch {BRANCH}: a snapshot never changes; restore the right one")


def _is_sidecar(*paths: Path) -> bool:
    return any(path.suffix == _SIDECAR and path.with_suffix("").is_file() for path in paths)


def _add(path: Path, target: Path) -> int:
    if target.exists():
        return _note_return(path, target) if _is_sidecar(path, target) else 0
    if path.suffix == _SIDECAR and "." in path.stem and not target.with_suffix("").is_file():
        return 0  # the project's commits no longer have its snapshot
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(target, path.read_bytes(), durable=True)
    return 1


def _note_return(path: Path, target: Path) -> int:
    """Copy the last return to these bytes from a sidecar of the branch. Returns 0 where the stored one has it."""
    theirs, ours = read_facts(path), read_facts(target)
    if theirs.get("sha256") != ours.get("sha256") or (theirs.get("returned_at") or "") <= (ours.get("returned_at") or ""):
        return 0
    write_facts(target, ours | {key: theirs[key] for key in _RETURN})
    return 1


def push(repository: Repository, data: Path) -> int:
    """Push the snapshots that neither the project's commits nor the branch have. Returns the number of files.

    Raises PublishError if another run pushed meanwhile.
    """
    head = repository.local_commit(BRANCH)
    names = _new_files(data)
    known = set(repository.git("ls-tree", "-r", "--name-only", "-z", head).split("\0")) if head else set()
    tree = repository.tree_of(data, names, head)
    if not names or (head and tree == repository.git("rev-parse", f"{head}^{{tree}}")):
        return 0
    commit = repository.commit(tree, "Add fetched snapshots", head)
    repository.push(BRANCH, commit)
    return len(set(names) - known)


def _new_files(data: Path) -> list[str]:
    """Paths of stored files with their sidecars; of files that the committed row counts name, the sidecars that note a return."""
    counted = read_expectations(data / EXPECTATIONS).snapshots.values()
    committed = {path.removeprefix("data/") for found in counted for path in found}
    sidecars = [path for path in sorted((data / "raw").rglob(f"*{_SIDECAR}")) if path.with_suffix("").is_file()]
    stored = [path.with_suffix("").relative_to(data).as_posix() for path in sidecars]
    new = [one for name in stored if name not in committed for one in (name, name + _SIDECAR)]
    others = [name + _SIDECAR for name in stored if name in committed]
    return new + [name for name in others if read_facts(data / name).get("returned_at")]
