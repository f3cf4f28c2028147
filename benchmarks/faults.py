"""Faults that are provoked on purpose, and what was there afterwards. Prints the table of `site/docs/reliability.md`.

`python -m benchmarks.faults FOLDER` needs an empty folder, and root for the full disk, which is a small tmpfs. Builds are of the
data alone (`--only data`), over all committed data.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from benchmarks.project import session_of
from pipeline import paths
from pipeline.uploads.store import FOLDER
from pipeline.warehouse.release import publish

MAIN = (sys.executable, "-m", "pipeline")
ON_ANY_DISK = "from pipeline.cli import app, build; build.NEEDED_MB = 0; app()"  # without the look at free space
COMPLETE = (0, 2)  # 2 = `gpuledger ingest` rejected an upload, as it should
GRACE_S = 60.0  # for the processes beside a killed one to notice it
WHOLE = ("current", *publish.DATA_NAMES)


@dataclass(slots=True)
class Tally:
    """Number of times that a fault was provoked, what went wrong afterwards, and the complete runs that followed."""

    fault: str
    times: int = 0
    complete_runs: int = 0
    problems: list[str] = field(default_factory=list)

    def expect(self, holds: bool, problem: str) -> None:
        """Note the problem unless the condition holds."""
        if not holds:
            self.problems.append(problem)
            print(f"PROBLEM after {self.times} x {self.fault}: {problem}", file=sys.stderr)

    def __str__(self) -> str:
        return f"| {self.fault} | {self.times} | {self.complete_runs} | {'; '.join(self.problems) or 'none'} |"


def main() -> None:
    """Provoke the faults in turn, and print a row for each."""
    options = _options()
    chance = random.Random(options.seed)  # noqa: S311
    faults: dict[str, Callable[[], Tally]] = {
        "publish": lambda: kill_publications(options.folder / "publish", options.publish, chance),
        "ingest": lambda: kill_ingests(options.folder / "ingest", options.ingest, chance),
        "build": lambda: kill_builds(options.folder / "build", options.build, chance),
        "twice": lambda: start_twice(options.folder / "build", options.twice),
        "disk": lambda: fill_disks(options.folder / "disk", options.disk),
    }
    print("| fault | times | complete runs afterwards | problems |\n|---|---|---|---|", flush=True)
    for name, provoke in faults.items():
        if getattr(options, name):
            print(provoke(), flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    for name, times in {"publish": 50, "ingest": 50, "build": 50, "twice": 3, "disk": 20}.items():
        parser.add_argument(f"--{name}", type=int, default=times, metavar="TIMES")
    return parser.parse_args()


def kill_publications(out: Path, times: int, chance: random.Random) -> Tally:
    """Kill a process that publishes one small release after another: every name leads to the same release."""
    tally = Tally("kill -9 of publications of a small release")
    while tally.times < times:
        process = os.fork()
        if not process:
            _publish_for_ever(out)
        time.sleep(chance.uniform(0, 0.3))
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        tally.times += 1
        marks = {(out / name).read_text() for name in publish.DATA_NAMES if (out / name).exists()}
        shown = sum((out / name).exists() for name in publish.DATA_NAMES)
        tally.expect(len(marks) <= 1 and shown in (0, len(publish.DATA_NAMES)), f"{shown} names of {len(marks)} releases")
    _publish(out, "last")
    tally.complete_runs = 1
    tally.expect({(out / name).read_text() for name in publish.DATA_NAMES} == {"last"}, "the next release is not whole")
    return tally


def _publish_for_ever(out: Path) -> None:
    for mark in count():
        _publish(out, str(mark))


def _publish(out: Path, mark: str) -> None:
    release = out / "work" / "release.new"
    shutil.rmtree(release, ignore_errors=True)
    release.mkdir(parents=True)
    for name in publish.DATA_NAMES:
        (release / name).write_text(mark)
    publish.publish(release, out)


def kill_ingests(folder: Path, times: int, chance: random.Random) -> Tally:
    """Kill ingests of the project's uploads: what is stored is whole, and a complete run stores what an undisturbed one does."""
    tally = Tally("kill -9 of `gpuledger ingest`")
    data, uploads = folder / "data", folder / "uploads"
    shutil.copytree(paths.DATA, data, ignore=shutil.ignore_patterns("build", FOLDER))
    shutil.copytree(paths.DATA / FOLDER / "accepted", uploads, ignore=shutil.ignore_patterns("*.json"))
    command, environment = (*MAIN, "ingest", str(uploads)), {"GPULEDGER_DATA": str(data)}
    seconds, expected = _timed(command, environment), _accepted(data)
    shutil.rmtree(data / FOLDER)
    for was_killed in _kills(tally, times, command, lambda: chance.uniform(0, seconds), environment):
        if was_killed:
            _expect_whole_uploads(tally, data)
        else:
            tally.expect(_accepted(data) == expected, "a complete ingest stored something else")
            tally.expect(not list((data / FOLDER).rglob("*.new")), "a scratch file is left")
            shutil.rmtree(data / FOLDER)
    return tally


def _expect_whole_uploads(tally: Tally, data: Path) -> None:
    for name, facts in _accepted(data).items():
        file = data / FOLDER / "accepted" / name
        found = hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else ""
        tally.expect(found == facts.get("stored_sha256"), f"{name} is not whole")


def _accepted(data: Path) -> dict[str, dict[str, object]]:
    """The facts of each accepted upload by name, but the moment of its arrival."""
    sidecars = sorted((data / FOLDER / "accepted").glob("[!.]*.*.json"))
    facts = {path.stem: json.loads(path.read_text()) for path in sidecars}
    return {name: {key: value for key, value in one.items() if key != "received_at"} for name, one in facts.items()}


def kill_builds(out: Path, times: int, chance: random.Random) -> Tally:
    """Kill builds: the last release stays, no process is left, and a complete build has the same tables."""
    tally = Tally("kill -9 of `gpuledger build --only data`")
    command = (*MAIN, "build", "--only", "data", "--out", str(out))
    _timed(command)
    shutil.rmtree(out / "work")
    seconds, expected = _timed(command), publish.checksums(out / publish.DATABASE)
    shutil.rmtree(out / "work")
    for was_killed in _kills(tally, times, command, lambda: chance.uniform(0, seconds)):
        tally.expect(publish.checksums(out / publish.DATABASE) == expected, "the release changed")
        tally.expect(all((out / name).exists() for name in WHOLE), "a part of the release is missing")
        if not was_killed:
            left = sorted(path.name for path in _scratch(out))
            tally.expect(not left, f"left behind: {', '.join(left)}")
            shutil.rmtree(out / "work")
    return tally


def _scratch(out: Path) -> Iterator[Path]:
    yield from (path for path in out.rglob("*.new") if "releases" not in path.parts)
    yield from out.rglob("*.spill")


def start_twice(out: Path, times: int) -> Tally:
    """Start two builds of the same folder: the second one must end at once with exit code 3."""
    tally = Tally("two builds of one folder at once")
    command = (*MAIN, "build", "--only", "data", "--out", str(out))
    for _ in range(times):
        shutil.rmtree(out / "work", ignore_errors=True)
        both = [_start(command) for _ in range(2)]
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
        _publish(folder / "out", "before")
        _fill(tally, folder, times)
    finally:
        subprocess.run(("/bin/umount", str(folder)), check=True)  # noqa: S603
    return tally


def _fill(tally: Tally, folder: Path, times: int) -> None:
    command = (sys.executable, "-c", ON_ANY_DISK, "build", "--only", "data", "--out", str(folder / "out"))
    for megabytes in (1 + NEEDED_ON_DISK_MB * number // times for number in range(times)):
        _resize(folder, megabytes)
        code, problem = _run(command)
        tally.times += code != 0
        if code:
            is_short = problem.count("\n") <= 4 and "Traceback" not in problem  # a notice, the problem, and what to do
            tally.expect("free space" in problem and is_short, f"{megabytes} MB: {problem}")
            tally.expect((folder / "out" / publish.DATABASE).read_bytes() == b"before", f"{megabytes} MB: the release changed")
    _resize(folder, 4 * NEEDED_ON_DISK_MB)
    code, problem = _run(command)
    tally.complete_runs = 1
    tally.expect(code == 0, problem)


NEEDED_ON_DISK_MB = 160  # up to here a build of the data does not end


def _resize(folder: Path, megabytes: int) -> None:
    subprocess.run(("/bin/mount", "-o", f"remount,size={megabytes}m", str(folder)), check=True)  # noqa: S603


def _run(command: tuple[str, ...]) -> tuple[int, str]:
    done = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    return done.returncode, done.stderr


def _timed(command: tuple[str, ...], environment: dict[str, str] | None = None) -> float:
    start = time.monotonic()
    done = subprocess.run(  # noqa: S603
        command, cwd=paths.ROOT, check=False, capture_output=True, text=True, env=os.environ | (environment or {})
    )
    if done.returncode not in COMPLETE:
        raise RuntimeError(f"an undisturbed run failed: {done.stderr}")
    return time.monotonic() - start


def _start(command: tuple[str, ...], environment: dict[str, str] | None = None) -> "subprocess.Popen[str]":
    return subprocess.Popen(  # noqa: S603
        command,
        cwd=paths.ROOT,
        env=os.environ | (environment or {}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _kills(
    tally: Tally, times: int, command: tuple[str, ...], moment: Callable[[], float], environment: dict[str, str] | None = None
) -> Iterator[bool]:
    """Run the command until it was killed so often, and once more to its end. Yields whether the run was killed."""
    while tally.times < times:
        yield _killed(tally, command, moment(), environment)
    yield _killed(tally, command, None, environment)


def _killed(tally: Tally, command: tuple[str, ...], after_s: float | None, environment: dict[str, str] | None = None) -> bool:
    """Kill the command after some time, or never; return False if it ended by itself, which must be with success."""
    victim = _start(command, environment)
    try:
        _, told = victim.communicate(timeout=after_s)
    except subprocess.TimeoutExpired:
        victim.kill()
        victim.communicate()
        tally.times += 1
        tally.expect(_ends(victim.pid), "a process beside it did not end")
        return True
    tally.complete_runs += 1
    tally.expect(victim.returncode in COMPLETE, told)
    return False


def _ends(session: int) -> bool:
    """Tell whether every process of the session ends soon."""
    deadline = time.monotonic() + GRACE_S
    while left := [path for path in Path("/proc").glob("[0-9]*") if session_of(path) == session]:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return not left


if __name__ == "__main__":
    main()
