"""A bare repository in the build folder, for fetching and pushing branches."""

import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.publishing.programs import ANSWER_S, PublishError, run

_GITHUB = re.compile(r"\S*(://|@)[^/]*\bgithub\.\S+")
GITHUB_LIMIT = 100 * 2**20  # docs.github.com, "About large files on GitHub": files above 100 MiB are blocked


@dataclass(frozen=True, slots=True)
class Repository:
    """The bare repository `folder`, and the address of the one that it is exchanged with."""

    folder: Path
    remote: str

    def git(self, *arguments: str | Path, env: Mapping[str, str] | None = None, text: str = "") -> str:
        """Run git on the repository; return what it prints."""
        if not (self.folder / "HEAD").exists():
            run("git", "init", "--quiet", "--bare", self.folder)
        return run("git", "--git-dir", self.folder, *arguments, env=env, text=text).strip()

    def remote_commit(self, branch: str) -> str:
        """Return the commit of a branch at the remote, empty if there is none. Raises PublishError if nobody answers."""
        try:
            listed = run("git", "ls-remote", "--heads", self.remote, f"refs/heads/{branch}", timeout_s=ANSWER_S)
        except PublishError as error:
            raise PublishError(f"{self.remote} does not answer ({error}); check address, network and access") from None
        return listed.partition("\t")[0]

    def refuse_unwritable(self) -> None:
        """Raise PublishError if nobody answers at the remote, or if it says without a push that it takes none."""
        self.remote_commit("any")
        commit = self.commit(self.git("mktree"), "Try to push")
        try:
            self.git("push", "--quiet", "--dry-run", self.remote, f"{commit}:refs/heads/any")
        except PublishError as error:
            raise PublishError(f"{self.remote} takes no push ({error}); check your access to it") from None

    def local_commit(self, branch: str) -> str:
        """Return the commit of a branch here, empty if there is none."""
        return self.git("for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")

    def tree_of(self, folder: Path, paths: list[str] | None = None, base: str = "") -> str:
        """Store files of a folder, all or the named ones, on top of the commit `base`. Returns the tree.

        Raises PublishError on a file that the host of the remote would refuse.
        """
        self._refuse_large(folder.rglob("*") if paths is None else map(folder.joinpath, paths))
        with tempfile.TemporaryDirectory() as scratch:
            index = {"GIT_INDEX_FILE": f"{scratch}/index"}
            if base:
                self.git("read-tree", base, env=index)
            names = paths if paths is not None else ["."]
            options = ("--pathspec-from-file=-", "--pathspec-file-nul")
            if names:
                text = "\0".join(names)
                self.git("-C", folder, "--work-tree", folder, "add", "--force", *options, env=index, text=text)
            return self.git("write-tree", env=index)

    def commit(self, tree: str, message: str, parent: str = "", date: str = "") -> str:
        """Store a commit of the tree. Returns its hash."""
        when = {f"GIT_{role}_DATE": f"{date}T00:00:00Z" for role in ("AUTHOR", "COMMITTER")} if date else {}
        return self.git("commit-tree", tree, "-m", message, *(("-p", parent) if parent else ()), env=when)

    def push(self, branch: str, commit: str, *options: str) -> None:
        """Push the commit as the branch. It is the local branch then too, so that the next run need not fetch it."""
        try:
            self.git("push", "--quiet", *options, self.remote, f"{commit}:refs/heads/{branch}")
        except PublishError as error:
            raise PublishError(f"branch {branch} was not updated ({error}); run `gpuledger publish` again") from None
        self.git("update-ref", f"refs/heads/{branch}", commit)

    def _refuse_large(self, files: Iterable[Path]) -> None:
        if not _GITHUB.match(self.remote):
            return
        for path in files:
            if path.is_file() and (size := path.stat().st_size) > GITHUB_LIMIT:
                raise PublishError(
                    f"{path} has {size / 2**20:.1f} MiB, and GitHub refuses files above 100 MiB; "
                    "choose a folder, a host or another Git host as DEST, and another Git host for --snapshots"
                )
