"""Builds on a disk that is full. They need root, since the disk is a small tmpfs."""

import subprocess
import sys
from pathlib import Path

from benchmarks.project.faults.processes import Tally, run
from benchmarks.project.faults.publications import publish_small
from pipeline.release import publish

ON_ANY_DISK = (
    "from pipeline.cli import app, build; build.NEEDED_MB = dict(data=0, site=0); app()"  # without the look at free space
)
NEEDED_ON_DISK_MB = 160  # up to here a build of the data does not end


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
