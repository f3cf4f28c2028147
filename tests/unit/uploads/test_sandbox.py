"""The sandbox of uploads: its limits, its restarts, and that it opens neither network nor files."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.readers import RefusedError
from pipeline.uploads import sandbox as module
from pipeline.uploads.sandbox import Sandbox
from pipeline.uploads.serialization import ParsedUpload
from tests.tools import readers_of_uploads
from tests.unit.uploads.upload_texts import SIMPLEST

pytestmark = pytest.mark.slow  # each test starts the sandbox

GOOD = SIMPLEST.encode()
MISBEHAVING = """
import errno, os, signal, socket, sys, time
from pipeline.readers import RefusedError
from pipeline.uploads import isolation, redact, worker
def misbehave(raw):
    if raw == "die": os.kill(os.getpid(), signal.SIGKILL)
    if raw == "abort": os.abort()
    if raw == "leave": os._exit(3)
    if raw == "spin":
        while True: pass
    if raw == "sleep": time.sleep(60)
    if raw == "eat": [bytearray(2**20) for _ in range(10**6)]
    if raw == "stumble": raise AssertionError
    for word, reach in (("connect ", lambda port: socket.socket().connect(("127.0.0.1", int(port)))), ("open ", open)):
        if raw.startswith(word): attempt(reach, raw.removeprefix(word))
    return raw
def attempt(reach, what):
    try:
        reach(what)
    except OSError as error:
        raise RefusedError(errno.errorcode[error.errno], "out of reach")
real = redact.redact_personal
redact.redact_personal = lambda text: real(misbehave(text))
worker.CPU_S = 1
worker.main(int(sys.argv[-1]))
"""


@pytest.fixture
def sandbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """A sandbox whose children do what a text tells them."""
    monkeypatch.setattr(module, "WALL_S", 4.0)
    with doing(monkeypatch, MISBEHAVING) as made:
        yield made


def doing(monkeypatch: pytest.MonkeyPatch, program: str, *before: str) -> Sandbox:
    """A sandbox whose child runs a program, started by the command `before`."""
    monkeypatch.setattr(module, "COMMAND", (*before, sys.executable, "-c", program))
    return Sandbox(children=1)


@pytest.fixture
def port() -> Iterator[int]:
    """A server on this machine that takes connections."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        found: int = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", found), 2):
            yield found


def outcome(sandbox: Sandbox, raw: bytes) -> str:
    found = sandbox.parse(raw)
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


def test_a_reader_reaches_neither_network_nor_file(sandbox: Sandbox, port: int) -> None:
    texts = (GOOD, b"connect %d" % port, b"open /etc/hostname", GOOD)
    assert [outcome(sandbox, text) for text in texts] == ["ok", "EMFILE", "EMFILE", "ok"]


WITH_DESCRIPTORS = MISBEHAVING.replace("worker.main", "isolation.close_descriptors = int\nworker.main")
AS_NOBODY = "worker._import_all()\nos.setgroups([])\nos.setgid(65534)\nos.setuid(65534)\nworker.main"
FORBIDDING = 'echo 0 > /proc/sys/user/max_net_namespaces && exec "$@"'  # of a user namespace: none can be made in it


def may_unshare(*command: str) -> bool:
    """Tell whether the kernel allows a process its own namespaces."""
    tool = shutil.which("unshare")
    return bool(tool) and subprocess.run([str(tool), *command, "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not may_unshare("--user", "--net"), reason="the kernel allows no network namespace")
@pytest.mark.parametrize("user", ["own", "nobody"])
def test_a_reader_has_no_network_even_if_it_had_descriptors(monkeypatch: pytest.MonkeyPatch, port: int, user: str) -> None:
    if user == "nobody" and os.getuid() != 0:
        pytest.skip("root alone can become another user")
    program = WITH_DESCRIPTORS.replace("worker.main", AS_NOBODY) if user == "nobody" else WITH_DESCRIPTORS
    with doing(monkeypatch, program) as sandbox:
        assert [outcome(sandbox, text) for text in (GOOD, b"connect %d" % port, GOOD)] == ["ok", "ENETUNREACH", "ok"]


@pytest.mark.skipif(not may_unshare("--user", "--map-root-user"), reason="the kernel allows no user namespace")
def test_where_the_kernel_forbids_namespaces_uploads_are_read_without_descriptors(
    monkeypatch: pytest.MonkeyPatch, port: int
) -> None:
    before = ("unshare", "--user", "--map-root-user", "sh", "-c", FORBIDDING, "sh")
    reached = b"connect %d" % port
    with doing(monkeypatch, WITH_DESCRIPTORS, *before) as sandbox:
        assert outcome(sandbox, reached) == "UNKNOWN_FORMAT"  # connected: the namespace was forbidden indeed
    with doing(monkeypatch, MISBEHAVING, *before) as sandbox:
        assert [outcome(sandbox, text) for text in (GOOD, reached, GOOD)] == ["ok", "EMFILE", "ok"]


def test_a_reader_that_is_killed_from_outside_is_a_crash_of_one_file() -> None:
    with Sandbox(children=1) as sandbox:
        assert outcome(sandbox, GOOD) == "ok"
        (child,) = readers_of_uploads()
        os.kill(child, signal.SIGKILL)
        assert [outcome(sandbox, GOOD) for _ in range(2)] == ["CRASH", "ok"]
        assert readers_of_uploads() != [child]


def test_results_come_in_order_with_what_was_refused_before() -> None:
    refused = RefusedError("EMPTY", "nothing")
    files = [(n, GOOD if n % 3 else refused) for n in range(40)]
    with Sandbox() as sandbox:
        found = list(sandbox.parse_all(files))
    assert [n for n, _ in found] == list(range(40))
    assert all(isinstance(reading, ParsedUpload) == bool(n % 3) for n, reading in found)


def test_children_import_no_data_engine_and_end_with_the_block() -> None:
    with Sandbox(children=1) as sandbox:
        sandbox.parse(GOOD)
        (child,) = readers_of_uploads()
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
                sandbox.parse(GOOD.replace(b"0.8", b"0.%d" % (n + 1)))
            sizes.append(_resident(readers_of_uploads()[0]))
    assert sizes[2] - sizes[0] < 2 * 2**20


def _resident(pid: int) -> int:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def test_a_second_is_enough_to_start() -> None:
    start = time.process_time()
    with Sandbox(children=1) as sandbox:
        assert outcome(sandbox, GOOD) == "ok"
    assert time.process_time() - start < 1
