"""Faults that are provoked on purpose, and what was there afterwards. Prints the table of `site/docs/reliability.md`.

`python -m benchmarks.project.faults FOLDER` needs an empty folder, and root for the full disk, which is a small tmpfs. Builds are
of all committed data, once of the data alone (`--only data`) and once of the site over them (`--only site`).
"""

import argparse
import random
from collections.abc import Callable
from pathlib import Path

from benchmarks.project.faults.builds import fill_disks, kill_builds, start_twice
from benchmarks.project.faults.ingests import kill_ingests
from benchmarks.project.faults.processes import Tally
from benchmarks.project.faults.publications import kill_publications, kill_publish, kill_pushes, kill_uploads

FAULTS: dict[str, tuple[int, Callable[[Path, int, random.Random], Tally]]] = {  # times by default
    "swap": (50, lambda folder, times, chance: kill_publications(folder / "swap", times, chance)),
    "publish": (50, lambda folder, times, chance: kill_publish(folder / "publish", times, chance)),
    "push": (50, lambda folder, times, chance: kill_pushes(folder / "push", times, chance)),
    "upload": (50, lambda folder, times, chance: kill_uploads(folder / "upload", times, chance)),
    "ingest": (50, lambda folder, times, chance: kill_ingests(folder / "ingest", times, chance)),
    "data": (50, lambda folder, times, chance: kill_builds(folder / "build", "data", times, chance)),
    "site": (50, lambda folder, times, chance: kill_builds(folder / "build", "site", times, chance)),
    "twice": (3, lambda folder, times, _: start_twice(folder / "build", times)),
    "disk": (20, lambda folder, times, _: fill_disks(folder / "disk", times)),
}


def main() -> None:
    """Provoke the faults in turn, and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    for name, (times, _) in FAULTS.items():
        parser.add_argument(f"--{name}", type=int, default=times, metavar="TIMES")
    options = parser.parse_args()
    chance = random.Random(options.seed)  # noqa: S311
    print("| fault | times | complete runs afterwards | problems |\n|---|---|---|---|", flush=True)
    for name, (_, provoke) in FAULTS.items():
        if times := getattr(options, name):
            print(provoke(options.folder, times, chance), flush=True)


if __name__ == "__main__":
    main()
