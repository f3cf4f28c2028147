"""What the processes beside a build do for it, and what it says when one of them is ended."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipeline import beside, paths
from pipeline.orchestration import steps
from pipeline.warehouse.workspace import Workspace
from tests.command import ROOT

HELD = """
import sys, time
from pipeline import beside
from concurrent.futures import ProcessPoolExecutor
import multiprocessing, os
if __name__ == "__main__":
    pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), beside.started, (0,))
    print(pool.submit(os.getpid).result(), flush=True)
    time.sleep(600)
"""


def test_a_task_begun_is_done_once_and_a_process_that_ends_is_told() -> None:
    with beside.kept():
        beside.begin(beside.PAGES, os.getpid)
        task = beside.begun(os.getpid)
        assert task
        assert beside.result(task) != os.getpid()
        with pytest.raises(beside.EndedError, match="run `gpuledger build` again"):
            beside.result(beside.promise(beside.PAGES, os._exit, 4))
        with pytest.raises(beside.EndedError):
            beside.promise(beside.PAGES, os.getpid)


def test_a_build_reads_for_itself_where_the_process_ahead_of_it_ended(tmp_path: Path) -> None:
    workspace = Workspace(paths.DATA, tmp_path)
    with beside.kept():
        steps.begin(workspace.data, workspace.out, sources=True)
        with beside.workers(beside.AHEAD) as ahead:
            for process in ahead._processes:
                os.kill(process, signal.SIGKILL)
        assert steps.stored(workspace, "ecb")
        assert beside.promise(beside.AHEAD, os.getpid).result() != os.getpid()


def test_a_process_ends_with_whoever_started_it(tmp_path: Path) -> None:
    script = tmp_path / "held.py"
    script.write_text(HELD)
    owner = subprocess.Popen(
        [sys.executable, str(script)], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout
    started = int(owner.stdout.readline())
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    deadline = time.monotonic() + 60
    while Path(f"/proc/{started}").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not Path(f"/proc/{started}").exists()
