"""Uploads of a release to an rsync daemon, which is what `rsync://HOST/MODULE` reaches."""

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pipeline.publishing.destination import current_version, download_last, release_name, upload
from pipeline.publishing.programs import PublishError
from tests.tools import require_rsync
from tests.unit.publishing.test_destination import make_release

pytestmark = pytest.mark.slow  # each test starts rsync


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def wait_for(port: int) -> None:
    for _ in range(200):
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    pytest.fail("the rsync daemon does not answer")


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Start a daemon of the folder `www` with these further lines of its configuration. Returns its address."""
    require_rsync()
    daemons = []

    def start(*lines: str) -> str:
        (tmp_path / "www").mkdir()
        owner = (f"uid = {os.getuid()}", f"gid = {os.getgid()}")  # which root would change to nobody
        module = ("[module]", f"path = {tmp_path / 'www'}", "read only = no", "use chroot = no", *lines)
        (tmp_path / "rsyncd.conf").write_text("\n".join((*owner, *module, "")))
        port = free_port()
        options = ("--no-detach", "--address=127.0.0.1", f"--port={port}", f"--config={tmp_path / 'rsyncd.conf'}")
        daemons.append(subprocess.Popen(["rsync", "--daemon", *options]))
        wait_for(port)
        return f"rsync://127.0.0.1:{port}/module"

    yield start
    for daemon in daemons:
        daemon.terminate()
        daemon.wait()


def published(release: Path, address: str, work: Path) -> bool:
    return upload(release, release_name(release, "2026.1.1"), address, work)


def test_a_daemon_shows_the_newest_release(tmp_path: Path, serve: Callable[..., str]) -> None:
    address, shown = serve("munge symlinks = no"), tmp_path / "www" / "current"
    first, second = (make_release(tmp_path / mark, mark) for mark in "ab")
    assert published(first, address, tmp_path)
    before = shown.resolve()
    assert published(second, address, tmp_path)
    assert (shown / "site" / "index.html").read_text() == "b"
    assert (shown / "site" / "same.css").samefile(before / "site" / "same.css")
    assert current_version(address, tmp_path) == (2026, 1, 1)
    assert download_last(address, tmp_path / "last", tmp_path)
    assert not published(second, address, tmp_path)


def test_a_daemon_whose_links_lead_nowhere_is_refused(tmp_path: Path, serve: Callable[..., str]) -> None:
    """Without a chroot, a daemon writes /rsyncd-munged/ before the target of each link, unless it is configured otherwise."""
    address, release = serve(), make_release(tmp_path / "a", "a")
    for _ in range(2):
        with pytest.raises(PublishError, match=r"current cannot be followed .*; .* set `munge symlinks = no`") as caught:
            published(release, address, tmp_path)
        assert "\n" not in str(caught.value)
