"""Publication from a fresh clone to a served site, and again with one new snapshot: only what changed is sent.

The clone runs with this environment's packages, since `make install` needs the network, and with the caches of the build that
tests share: parsed rows and pictures, whose keys are the bytes and the code that they come from.
"""

import datetime as dt
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pipeline.fetch import snapshots
from pipeline.files import hash_file
from pipeline.release.dictionary import TABLES as DICTIONARIES
from pipeline.release.publish import EXPECTATIONS
from pipeline.release.release_tables import TABLES as RELEASE_TABLES
from tests.build.test_publish_command import read, remote, served
from tests.command import ROOT
from tests.unit.publishing.test_destination import git
from tests.unit.sources.prices.support import FIXTURES

__all__ = ["remote", "served"]
SNAPSHOT, N_ROWS = Path("raw/verda/instance-types.json"), 12
PRICE, RAISED = '"price_per_hour": "3.25"', '"price_per_hour": "3.75"'  # of an H100 SXM for an hour
OTHER_GPU = "gpus/nvidia-geforce-gtx-1080-ti-11gb/index.html"


def publish(clone: Path, folder: Path, remote: Path) -> None:
    command = [sys.executable, "-m", "pipeline", "publish", str(folder), "--snapshots", str(remote), "--no-fetch"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GPULEDGER_")}
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr


def difference(address: str) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(read(f"{address}/data/release_diff.json"))
    return shown


def commit_first_snapshot(clone: Path) -> None:
    """Give the clone a list of a provider with its row count, as a maintainer commits it; a fetch then finds the list changed."""
    shutil.copytree(FIXTURES / SNAPSHOT.parent, clone / "data" / SNAPSHOT.parent)
    with (clone / "data" / EXPECTATIONS).open("a") as counts:
        counts.write(f"snapshot,verda,data/{SNAPSHOT},{N_ROWS}\n")
    git("-C", clone, "add", "data")
    git("-C", clone, "-c", "user.name=test", "-c", "user.email=test@example.org", "commit", "--quiet", "--message", "Add a list")


def store_next_snapshot(data: Path, as_of: str) -> Path:
    """Store what a fetch on the day of the release would have found: the same list with one price raised."""
    text, added = (data / SNAPSHOT).read_text(), data / SNAPSHOT.parent / as_of / SNAPSHOT.name
    assert text.count(PRICE) == 1
    added.parent.mkdir()
    added.write_text(text.replace(PRICE, RAISED))
    snapshots.write_sidecar(added, published_at=f"{dt.date.fromisoformat(as_of)}T00:00:00", origin="fetched", extent="whole")
    return added.relative_to(data)


def sent_files(before: Path, after: Path) -> set[str]:
    """Names of files that were sent for a release. The destination links the others to those of the release before."""
    files = {path.relative_to(after).as_posix(): path for path in after.rglob("*") if path.is_file()}
    return {name for name, path in files.items() if not ((before / name).exists() and path.samefile(before / name))}


@pytest.mark.full  # two builds
@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_second_run_publishes_only_what_changed(built: Path, tmp_path: Path, remote: Path, served: tuple[Path, str]) -> None:
    clone, (folder, address) = tmp_path / "clone", served
    if subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=False).returncode:
        pytest.skip("this copy of the project cannot be cloned: it has no history")
    for cache in ("parsed", "site-cache"):
        shutil.copytree(built / cache, clone / "data" / "build" / cache)
    commit_first_snapshot(clone)
    publish(clone, folder, remote)
    assert b"gpuledger" in read(f"{address}/index.html")
    first, before = difference(address), (folder / "current").resolve()
    added = store_next_snapshot(clone / "data", first["as_of"])
    publish(clone, folder, remote)
    second = difference(address)
    assert (second["number"], second["previous_release_id"]) == (first["number"] + 1, first["release_id"])
    (move,) = second["price_moves"]
    assert (move["provider"], move["gpu_id"], move["usd"]) == ("verda", "nvidia-h100-sxm5-80gb", 3.75)
    assert git("--git-dir", remote, "ls-tree", "-r", "--name-only", "data").split() == [str(added), f"{added}.json"]
    check_sent(before, (folder / "current").resolve(), {table["table_name"] for table in second["tables"]})


def check_sent(before: Path, after: Path, tables: set[str]) -> None:
    """Every file that was sent is new or differs, and the tables among them are those of the release diff."""
    sent = sent_files(before, after)
    assert {name for name in sent if (before / name).exists() and hash_file(before / name) == hash_file(after / name)} == set()
    assert "site/index.html" in sent
    assert (after / "site" / OTHER_GPU).is_file()
    assert f"site/{OTHER_GPU}" not in sent
    changed = {Path(name).stem for name in sent if name.startswith("parquet/")}
    assert changed - {*RELEASE_TABLES, *DICTIONARIES} == tables
