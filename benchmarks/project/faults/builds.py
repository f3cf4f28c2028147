"""Kills of builds, two builds at once, and builds on a full disk: a small tmpfs, which needs root."""

import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.project.faults.processes import MAIN, Tally, kills, run, start, timed
from benchmarks.project.faults.publications import publish_small
from pipeline.files import hash_file
from pipeline.release import publish

WHOLE = ("current", *publish.DATA_NAMES, "site")
WORK_OF = {"data": ".", "site": "site"}  # what a build of this part has to make again
ON_ANY_DISK = (
    "from pipeline.cli import app, build; build.NEEDED_MB = dict(data=0, site=0); app()"  # without the look at free space
)
NEEDED_ON_DISK_MB = 160  # up to here a build of the data does not end


def kill_builds(out: Path, part: str, times: int, chance: random.Random) -> Tally:
    """Kill builds of one part: the last release stays, no process is left, and a complete build is the same release."""
    tally = Tally(f"kill -9 of `gpuledger build --only {part}`")
    command, work = (*MAIN, "build", "--only", part, "--out", str(out)), out / "work" / WORK_OF[part]
    timed((*MAIN, "build", "--out", str(out)))
    shutil.rmtree(work)
    seconds, expected = timed(command), _state(out)
    shutil.rmtree(work)
    for was_killed in kills(tally, times, command, lambda: chance.uniform(0, seconds)):
        tally.expect(_state(out) == expected, "the release changed")
        tally.expect(all((out / name).exists() for name in WHOLE), "a part of the release is missing")
        if not was_killed:
            left = sorted(path.name for path in _scratch(out))
            tally.expect(not left, f"left behind: {', '.join(left)}")
            shutil.rmtree(work)
    return tally


def _state(out: Path) -> tuple[object, dict[str, str]]:
    """Checksums of the tables, and of the files of the site."""
    site = (out / "site").resolve()
    pages = (path for path in site.rglob("*") if path.is_file() and "data" not in path.relative_to(site).parts)
    hashes = {str(path.relative_to(site)): hash_file(path) for path in pages}
    return publish.checksums(out / publish.DATABASE), hashes


def _scratch(out: Path) -> Iterator[Path]:
    yield from (path for path in out.rglob("*.new") if "releases" not in path.parts)
    yield from out.rglob("*.spill")


def start_twice(out: Path, times: int) -> Tally:
    """Start two builds of the same folder: the second one must end at once with exit code 3."""
    tally = Tally("two builds of one folder at once")
    command = (*MAIN, "build", "--only", "data", "--out", str(out))
    for _ in range(times):
        shutil.rmtree(out / "work", ignore_errors=True)
        both = [start(command) for _ in range(2)]
        answers = [(one.wait(), one.stderr.read() if one.stderr else "") for one in both]
        tally.times += 1
        tally.complete_runs += 1
        (first, published), (second, refused) = sorted(answers)
        tally.expect((first, second) == (0, 3) and "Published" in published, f"exit codes {first} and {second}")
        tally.expect("another build" in refused and refused.count("\n") == 1, refused)
    return tally


def fill_disks(folder: Path, times: int) -> Tally:
    """Build on a disk that is full, and a little larger each time: one line, and the last release stays, until there is room."""
    tally = Tally("a full disk during `gpuledger build --only data`")
    folder.mkdir(parents=True)
    subprocess.run(("/bin/mount", "-t", "tmpfs", "-o", "size=1m", "faults", str(folder)), check=True)  # noqa: S603
    try:
        publish_small(folder / "out", "before")
        _fill(tally, folder, times)
    finally:
        subprocess.run(("/bin/umount", str(folder)), check=True)  # noqa: S603
    return tally


def _fill(tally: Tally, folder: Path, times: int) -> None:
    command = (sys.executable, "-c", ON_ANY_DISK, "build", "--only", "data", "--out", str(folder / "out"))
    for megabytes in (1 + NEEDED_ON_DISK_MB * number // times for number in range(times)):
        _resize(folder, megabytes)
        code, problem = run(command)
        tally.times += code != 0
        if code:
            is_short = problem.count("\n") <= 4 and "Traceback" not in problem  # a notice, the problem, and what to do
            tally.expect("free space" in problem and is_short, f"{megabytes} MB: {problem}")
            tally.expect((folder / "out" / publish.DATABASE).read_bytes() == b"before", f"{megabytes} MB: the release changed")
    _resize(folder, 4 * NEEDED_ON_DISK_MB)
    code, problem = run(command)
    tally.complete_runs = 1
    tally.expect(code == 0, problem)


def _resize(folder: Path, megabytes: int) -> None:
    subprocess.run(("/bin/mount", "-o", f"remount,size={megabytes}m", str(folder)), check=True)  # noqa: S603
