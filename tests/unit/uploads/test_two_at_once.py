"""Two processes that ingest at the same moment: every file is taken in once, by one of them, and none is lost."""

import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pipeline.uploads import inbox
from pipeline.uploads.ingest import one_at_a_time
from tests.command import ROOT
from tests.unit.uploads.upload_texts import SIMPLEST, data_folder, take_in

pytestmark = pytest.mark.slow  # each test starts the sandbox

INGEST = "from pipeline.cli import app; app()"
DRAIN = "import json; from pipeline import paths; from pipeline.uploads import inbox; " + (
    "print(json.dumps([{'status': outcome.status} for outcome in inbox.drain(paths.DATA)]))"
)
LLAMA = """{"build_commit": "abc1234", "gpu_info": "NVIDIA L4", "backends": "CUDA", "model_type": "llama 8B Q4_0", "n_prompt":
512,
"n_gen": 0, "n_gpu_layers": 99, "test_time": "2026-10-01T10:00:00Z", "avg_ns": 100000000, "stddev_ns": 1, "avg_ts": %s,
"stddev_ts": 1}"""
COUNT = 40


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_folder(tmp_path)


def begin(data: Path, program: str, *arguments: str) -> "subprocess.Popen[str]":
    environment = os.environ | {"GPULEDGER_DATA": str(data)}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.Popen(command, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def both(data: Path, program: str, *arguments: str) -> Counter[str]:
    """Outcomes of two processes that wait for the same lock and then run at the same moment."""
    with one_at_a_time(data):
        processes = [begin(data, program, *arguments) for _ in range(2)]
        if program is INGEST:
            for process in processes:
                assert process.stderr is not None
                assert f"process {os.getpid()} ingests" in process.stderr.readline()
    with ThreadPoolExecutor() as pool:  # both at once: one whose pipe is full goes on holding what the other waits for
        told = list(pool.map(lambda process: process.communicate(), processes))
    assert [process.returncode for process in processes] == [0, 0], told
    return Counter(outcome["status"] for said, _ in told for outcome in json.loads(said))


def fill_folder(folder: Path) -> None:
    folder.mkdir(parents=True)
    for n in range(COUNT):
        (folder / f"{n}.csv").write_text(SIMPLEST.replace("0.8", f"0.{n + 10}"))
        (folder / f"{n}.csv.done").touch()


def accepted(data: Path) -> list[Path]:
    return list((data / "uploads" / "accepted").iterdir())


def test_one_folder_is_taken_in_once(data: Path, tmp_path: Path) -> None:
    fill_folder(tmp_path / "in")
    assert both(data, INGEST, "ingest", "--json", str(tmp_path / "in")) == {"accepted": COUNT, "known": COUNT}
    assert len(accepted(data)) == 2 * COUNT  # each with its sidecar


def test_the_inbox_is_drained_once(data: Path) -> None:
    fill_folder(inbox.folder(data))
    assert both(data, DRAIN) == {"accepted": COUNT}
    assert list(inbox.folder(data).iterdir()) == []
    assert len(accepted(data)) == 2 * COUNT


def test_what_another_process_stored_meanwhile_is_known(data: Path, tmp_path: Path) -> None:
    """The second of two runs that contradict each other is refused, though both began before either was stored."""
    files = [tmp_path / f"{rate}.json" for rate in (1500.5, 1600.5)]
    for file in files:
        file.write_text("[" + LLAMA.replace("\n", " ") % file.stem + "]")
    with one_at_a_time(data):
        other = begin(data, INGEST, "ingest", "--json", str(files[0]))
        assert other.stderr is not None
        other.stderr.readline()
        (outcome,) = take_in(data, files[1])
    (told,) = json.loads(other.communicate()[0])
    assert (outcome.status, told["code"]) == ("accepted", "CONFLICT")


def test_a_dry_run_waits_for_nobody_and_leaves_nothing(data: Path, tmp_path: Path) -> None:
    fill_folder(tmp_path / "in")
    with one_at_a_time(data):
        process = begin(data, INGEST, "ingest", "--dry-run", str(tmp_path / "in" / "0.csv"))
        assert process.communicate(timeout=60)[1].strip() == "1 accepted (nothing stored)"
