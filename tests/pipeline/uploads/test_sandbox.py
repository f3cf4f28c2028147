"""A child that dies or stalls costs one file; 100 files take no more memory than ten."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.formats import RefusedError
from pipeline.uploads import sandbox as module
from pipeline.uploads.sandbox import Reading, Sandbox
from tests.pipeline.uploads.texts import SIMPLEST

GOOD = SIMPLEST.encode()
MISBEHAVING = """
import os, signal, sys, time
from pipeline.uploads import hide, worker
def misbehave(raw):
    if raw == "die": os.kill(os.getpid(), signal.SIGKILL)
    if raw == "abort": os.abort()
    if raw == "leave": os._exit(3)
    if raw == "spin":
        while True: pass
    if raw == "sleep": time.sleep(60)
    if raw == "eat": [bytearray(2**20) for _ in range(10**6)]
    if raw == "stumble": raise AssertionError
    return raw
real = hide.personal
hide.personal = lambda text: real(misbehave(text))
worker.CPU_S = 1
worker.main(int(sys.argv[-1]))
"""


@pytest.fixture
def sandbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """A sandbox whose children do what a text tells them."""
    monkeypatch.setattr(module, "COMMAND", (sys.executable, "-c", MISBEHAVING))
    monkeypatch.setattr(module, "WALL_S", 4.0)
    with Sandbox(children=1) as made:
        yield made


def outcome(sandbox: Sandbox, raw: bytes) -> str:
    found = sandbox.read(raw)
    return found.code if isinstance(found, RefusedError) else "ok"


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"die", "CRASH"),
        (b"abort", "CRASH"),
        (b"leave", "CRASH"),
        (b"stumble", "CRASH"),
        (b"eat", "CRASH"),
        (b"spin", "TIMEOUT"),
        (b"sleep", "TIMEOUT"),
    ],
)
def test_only_the_file_that_kills_its_reader_is_lost(sandbox: Sandbox, raw: bytes, code: str) -> None:
    assert [outcome(sandbox, text) for text in (GOOD, raw, GOOD)] == ["ok", code, "ok"]


def test_a_reader_that_is_killed_from_outside_is_a_crash_of_one_file() -> None:
    with Sandbox(children=1) as sandbox:
        assert outcome(sandbox, GOOD) == "ok"
        (child,) = sandbox.process_ids
        os.kill(child, signal.SIGKILL)
        assert [outcome(sandbox, GOOD) for _ in range(2)] == ["CRASH", "ok"]
        assert sandbox.process_ids != [child]


def test_results_come_in_order_with_what_was_refused_before() -> None:
    refused = RefusedError("EMPTY", "nothing")
    files = [(n, GOOD if n % 3 else refused) for n in range(40)]
    with Sandbox() as sandbox:
        found = list(sandbox.read_all(files))
    assert [n for n, _ in found] == list(range(40))
    assert all(isinstance(reading, Reading) == bool(n % 3) for n, reading in found)


def test_children_import_no_data_engine_and_end_with_the_block() -> None:
    with Sandbox(children=1) as sandbox:
        sandbox.read(GOOD)
        (child,) = sandbox.process_ids
        mapped = Path(f"/proc/{child}/maps").read_text() if sys.platform == "linux" else ""
    assert not [name for name in ("duckdb", "polars", "dagster", "torch", "pyarrow") if f"/{name}" in mapped]
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_does_not_grow_with_the_number_of_files() -> None:
    with Sandbox(children=1) as sandbox:
        sizes = []
        for _ in range(3):
            for n in range(60):
                sandbox.read(GOOD.replace(b"0.8", b"0.%d" % (n + 1)))
            sizes.append(_resident(sandbox.process_ids[0]))
    assert sizes[2] - sizes[0] < 2 * 2**20


def _resident(pid: int) -> int:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def test_a_second_is_enough_to_start() -> None:
    start = time.process_time()
    with Sandbox(children=1) as sandbox:
        assert outcome(sandbox, GOOD) == "ok"
    assert time.process_time() - start < 1
