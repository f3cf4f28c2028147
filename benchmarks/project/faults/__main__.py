"""Faults that are provoked on purpose, and what was there afterwards. Prints the table of `site/docs/reliability.md`.

`python -m benchmarks.project.faults FOLDER` needs an empty folder, and root for the full disk, which is a small tmpfs. Builds are
of all committed data, once of the data alone (`--only data`) and once of the site over them (`--only site`).
"""

import argparse
import random
from collections.abc import Callable
from pathlib import Path

from benchmarks.project.faults.builds import kill_builds, start_twice
from benchmarks.project.faults.disks import fill_disks
from benchmarks.project.faults.ingests import kill_ingests
from benchmarks.project.faults.processes import Tally
from benchmarks.project.faults.publications import kill_publications, kill_publish, kill_pushes, kill_uploads


def main() -> None:
    """Provoke the faults in turn, and print a row for each."""
    options = _options()
    chance = random.Random(options.seed)  # noqa: S311
    faults: dict[str, Callable[[], Tally]] = {
        "swap": lambda: kill_publications(options.folder / "swap", options.swap, chance),
        "publish": lambda: kill_publish(options.folder / "publish", options.publish, chance),
        "push": lambda: kill_pushes(options.folder / "push", options.push, chance),
        "upload": lambda: kill_uploads(options.folder / "upload", options.upload, chance),
        "ingest": lambda: kill_ingests(options.folder / "ingest", options.ingest, chance),
        "data": lambda: kill_builds(options.folder / "build", "data", options.data, chance),
        "site": lambda: kill_builds(options.folder / "build", "site", options.site, chance),
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
    for name, times in {
        "swap": 50,
        "publish": 50,
        "push": 50,
        "upload": 50,
        "ingest": 50,
        "data": 50,
        "site": 50,
        "twice": 3,
        "disk": 20,
    }.items():
        parser.add_argument(f"--{name}", type=int, default=times, metavar="TIMES")
    return parser.parse_args()


if __name__ == "__main__":
    main()
