"""Kills while a release replaces the last one, in the build folder and at a destination."""

import os
import random
import shutil
import signal
import sys
import time
from itertools import count
from pathlib import Path

from benchmarks.project.faults.processes import MAIN, Tally, kills, timed
from pipeline import paths
from pipeline.publishing.destination import BRANCH
from pipeline.publishing.git import Repository
from pipeline.release import exports, publish

_SITE = f"refs/heads/{BRANCH}"
_UPLOAD = """
import sys
from pathlib import Path
from pipeline.publishing import destination
release, dest, work = sys.argv[1:]
destination.upload(Path(release), destination.release_name(Path(release), "2026.1.1"), dest, Path(work))
"""


def kill_publications(out: Path, times: int, chance: random.Random) -> Tally:
    """Kill a process that publishes one small release after another: every name leads to the same release."""
    tally = Tally("kill -9 of publications of a small release")
    while tally.times < times:
        process = os.fork()
        if not process:
            for mark in count():
                publish_small(out, str(mark))
        time.sleep(chance.uniform(0, 0.3))
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        tally.times += 1
        marks = {(out / name).read_text() for name in publish.DATA_NAMES if (out / name).exists()}
        shown = sum((out / name).exists() for name in publish.DATA_NAMES)
        tally.expect(len(marks) <= 1 and shown in (0, len(publish.DATA_NAMES)), f"{shown} names of {len(marks)} releases")
    publish_small(out, "last")
    tally.complete_runs = 1
    tally.expect({(out / name).read_text() for name in publish.DATA_NAMES} == {"last"}, "the next release is not whole")
    return tally


def publish_small(out: Path, mark: str) -> None:
    release = out / "work" / "release.new"
    shutil.rmtree(release, ignore_errors=True)
    release.mkdir(parents=True)
    for name in publish.DATA_NAMES:
        (release / name).write_text(mark)
    publish.publish(release, out)


def kill_publish(folder: Path, times: int, chance: random.Random) -> Tally:
    """Kill `gpuledger publish`: the destination shows the release before or the new one, whole."""
    data, dest = folder / "data", folder / "dest"
    shutil.copytree(paths.DATA, data, ignore=shutil.ignore_patterns("build"))
    command = (*MAIN, "publish", str(dest), "--no-fetch")
    tally = Tally("kill -9 of `gpuledger publish` to a folder")
    return _kill(tally, dest, command, times, chance, {"GPULEDGER_DATA": str(data)})


def kill_pushes(folder: Path, times: int, chance: random.Random) -> Tally:
    """Kill `gpuledger publish` to a Git repository: the branch is the commit before or the new one, with all its files."""
    data, dest = folder / "data", folder / "dest.git"
    shutil.copytree(paths.DATA, data, ignore=shutil.ignore_patterns("build"))
    environment = {"GPULEDGER_DATA": str(data)}
    before = _repository_with_page(dest)
    command = (*MAIN, "publish", str(dest), "--no-fetch")
    timed(command, environment)
    new = _branch(dest)
    _git(dest, "update-ref", _SITE, before)
    seconds = timed(command, environment)
    _git(dest, "update-ref", _SITE, before)
    tally = Tally("kill -9 of `gpuledger publish` to a Git repository")
    for was_killed in kills(tally, times, command, lambda: chance.uniform(0, seconds), environment):
        shown = _branch(dest)
        tally.expect(shown in {before, new}, f"{shown} is shown")
        tally.expect(not _git(dest, "rev-list", "--objects", "--missing=print", "--quiet", shown), f"{shown} lacks files")
        tally.expect(was_killed or shown == new, "a complete run published nothing")
        _git(dest, "update-ref", _SITE, before)
    return tally


def _repository_with_page(folder: Path) -> str:
    """Make a bare repository whose branch `site` has one page. Returns its commit."""
    repository = Repository(folder, "")
    page = folder.parent / "page"
    page.mkdir()
    (page / "index.html").write_text("before")
    commit = repository.commit(repository.tree_of(page), "Publish a page")
    _git(folder, "update-ref", _SITE, commit)
    return commit


def _branch(repository: Path) -> str:
    return _git(repository, "rev-parse", _SITE)


def _git(repository: Path, *arguments: str) -> str:
    return Repository(repository, "").git(*arguments)


def kill_uploads(folder: Path, times: int, chance: random.Random) -> Tally:
    """Kill the upload of `gpuledger publish` alone, of a release of all snapshots."""
    release, dest = folder / "release", folder / "dest"
    shutil.copytree(paths.DATA / "raw", release / "raw")
    for name in ("expectations.csv", "site/index.html"):
        (release / name).parent.mkdir(exist_ok=True)
        (release / name).write_text(name)
    for part in (release / "site", release):
        exports.write_checksums(part)
    command = (sys.executable, "-c", _UPLOAD, str(release), str(dest), str(folder))
    return _kill(Tally("kill -9 of the upload of a release to a folder"), dest, command, times, chance)


def _kill(
    tally: Tally,
    dest: Path,
    command: tuple[str, ...],
    times: int,
    chance: random.Random,
    environment: dict[str, str] | None = None,
) -> Tally:
    """Publish once, then kill publications in place of another release."""
    timed(command, environment)
    new, before = (dest / "current").readlink(), Path("releases/before")
    shutil.copytree(dest / new, dest / before)
    _show(dest, before, in_place_of=new)
    seconds = timed(command, environment)
    _show(dest, before, in_place_of=new)
    for was_killed in kills(tally, times, command, lambda: chance.uniform(0, seconds), environment):
        shown = (dest / "current").readlink()
        tally.expect(shown in (before, new), f"{shown} is shown")
        tally.expect(exports.is_intact(dest / "current"), f"{shown} is not whole")
        tally.expect(was_killed or shown == new, "a complete run published nothing")
        if shown == new:
            _show(dest, before, in_place_of=new)
    return tally


def _show(dest: Path, release: Path, in_place_of: Path) -> None:
    (dest / "current").unlink()
    (dest / "current").symlink_to(release)
    shutil.rmtree(dest / in_place_of)
