"""Kills of builds, and two builds at once."""

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

from benchmarks.project.faults.processes import MAIN, Tally, kills, start, timed
from pipeline.files import hash_file
from pipeline.release import publish

WHOLE = ("current", *publish.DATA_NAMES, "site")
WORK_OF = {"data": ".", "site": "site"}  # what a build of this part has to make again


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
