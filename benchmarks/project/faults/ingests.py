"""Kills while uploads are stored."""

import json
import random
import shutil
from pathlib import Path

from benchmarks.project.faults.processes import MAIN, Tally, kills, timed
from pipeline import paths
from pipeline.files import hash_file
from pipeline.uploads.store import FOLDER


def kill_ingests(folder: Path, times: int, chance: random.Random) -> Tally:
    """Kill ingests of the project's uploads: what is stored is whole, and a complete run stores what an undisturbed one does."""
    tally = Tally("kill -9 of `gpuledger ingest`")
    data, uploads = folder / "data", folder / "uploads"
    shutil.copytree(paths.DATA, data, ignore=shutil.ignore_patterns("build", FOLDER))
    shutil.copytree(paths.DATA / FOLDER / "accepted", uploads, ignore=shutil.ignore_patterns("*.json"))
    command, environment = (*MAIN, "ingest", str(uploads)), {"GPULEDGER_DATA": str(data)}
    seconds, expected = timed(command, environment), _accepted(data)
    shutil.rmtree(data / FOLDER)
    for was_killed in kills(tally, times, command, lambda: chance.uniform(0, seconds), environment):
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
        found = hash_file(file) if file.exists() else ""
        tally.expect(found == facts.get("stored_sha256"), f"{name} is not whole")


def _accepted(data: Path) -> dict[str, dict[str, object]]:
    """The facts of each accepted upload by name, but the moment of its arrival."""
    sidecars = sorted((data / FOLDER / "accepted").glob("[!.]*.*.json"))
    facts = {path.stem: json.loads(path.read_text()) for path in sidecars}
    return {name: {key: value for key, value in one.items() if key != "received_at"} for name, one in facts.items()}
