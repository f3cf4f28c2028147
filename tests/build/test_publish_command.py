"""`gpuledger publish` from end to end: a bare repository, a folder that a static server shows, and what a run refuses."""

import functools
import hashlib
import http.server
import json
import shutil
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from pipeline.cli.publishing import publish
from pipeline.publishing.programs import PublishError
from pipeline.warehouse import connection
from tests.build.test_build import copied
from tests.command import ROOT, gpuledger
from tests.tools import require_rsync
from tests.unit.publishing.test_destination import git

COMMAND = ".venv/bin/gpuledger publish"


@pytest.fixture
def data(built: Path, data_copy: Path) -> Path:
    """A data folder with a finished build."""
    copied(built, data_copy / "build")
    return data_copy


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    git("init", "--bare", "--quiet", tmp_path / "remote.git")
    return tmp_path / "remote.git"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the address of a server that shows what is published there."""
    require_rsync()
    folder = tmp_path / "www"
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder / "current" / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def read(address: str) -> bytes:
    with urllib.request.urlopen(address) as answer:  # noqa: S310  # our own server
        content: bytes = answer.read()
    return content


def test_a_release_reaches_a_server_and_a_repository(data: Path, remote: Path, served: tuple[Path, str]) -> None:
    folder, address = served
    done = gpuledger("publish", str(folder), "--snapshots", str(remote), "--no-fetch", data=data)
    assert done.returncode == 0, done.stderr
    assert b"gpuledger" in read(f"{address}/index.html")
    difference = json.loads(read(f"{address}/data/release_diff.json"))
    again = gpuledger("publish", str(folder), "--no-fetch", data=data)
    assert "published before" in again.stderr.splitlines()[-1]
    done = gpuledger("publish", str(remote), "--no-fetch", data=data)
    assert done.returncode == 0, done.stderr
    assert json.loads(git("--git-dir", remote, "show", "site:data/release_diff.json")) == difference


def test_an_unreachable_repository_changes_nothing(data: Path, tmp_path: Path) -> None:
    gone = gpuledger("publish", str(tmp_path / "www"), "--snapshots", str(tmp_path / "gone.git"), "--no-fetch", data=data)
    assert gone.returncode == 1
    assert "does not answer" in gone.stderr
    assert "Traceback" not in gone.stderr
    assert not (tmp_path / "www").exists()


def test_a_clock_that_went_back_is_noticed(release: Path, tmp_path: Path) -> None:
    older = tmp_path / "release"
    older.mkdir()
    shutil.copyfile(release / "gpuledger.duckdb", older / "gpuledger.duckdb")
    with connection.connect(older / "gpuledger.duckdb") as con:
        con.execute("UPDATE release_history SET previous_as_of = as_of + 1, previous_release_id = 'x'")
    digest = hashlib.sha256((older / "gpuledger.duckdb").read_bytes()).hexdigest()
    (older / "SHA256SUMS").write_text(f"{digest}  gpuledger.duckdb\n")
    with pytest.raises(PublishError, match="are older than those"):
        publish.checked_name(older, allow_older=False)
    assert publish.checked_name(older, allow_older=True)


@pytest.mark.full  # two builds
def test_a_new_machine_continues_from_what_is_published(data: Path, remote: Path, tmp_path: Path) -> None:
    """The second machine has a fresh clone. Its release is compared with the published one, and has the stored snapshot."""
    assert gpuledger("publish", str(remote), "--no-fetch", data=data).returncode == 0
    second = tmp_path / "second"
    shutil.copytree(data, second, ignore=shutil.ignore_patterns("build"))
    done = gpuledger("publish", str(remote), "--snapshots", str(remote), "--no-fetch", data=second)
    assert done.returncode == 0, done.stderr
    difference = json.loads((second / "build" / "current" / "release_diff.json").read_text())
    assert difference["number"] == 1  # the same data are the same release
    assert (second / "build" / "releases" / "000000").is_dir()


def test_the_workflow_and_the_service_run_the_command_that_is_tested() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/publish.yml").read_text())
    scripts = [step["run"] for step in workflow["jobs"]["publish"]["steps"] if "run" in step]
    assert any(f'{COMMAND} "$REPOSITORY" --snapshots "$REPOSITORY"' in script for script in scripts)
    assert "make install" in scripts
    assert (
        f"/opt/gpuledger/{COMMAND} /srv/gpuledger" in (ROOT / "pipeline/publishing/systemd/gpuledger-publish.service").read_text()
    )
    assert '"publish", "/srv/gpuledger"' in (ROOT / "Dockerfile").read_text()
