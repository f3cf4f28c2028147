"""`gpuledger publish` from end to end: a bare repository, a folder that a static server shows, and what a run refuses."""

import functools
import hashlib
import http.server
import json
import re
import shutil
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
import yaml

from pipeline import paths
from pipeline.cli.publishing import notes, publish
from pipeline.publishing.git import Repository
from pipeline.release import expectations
from pipeline.release.dataset import version
from pipeline.warehouse import connection
from tests.build.test_lost_data import cut_history
from tests.build.workbench import copy_build
from tests.command import ROOT, gpuledger, run_here
from tests.tools import require_rsync
from tests.unit.publishing.test_destination import git

COMMAND = ".venv/bin/gpuledger publish"


@pytest.fixture
def data(built: Path, data_copy: Path) -> Path:
    """A data folder with a finished build."""
    copy_build(built, data_copy / "build")
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


def test_a_release_reaches_a_server(data: Path, served: tuple[Path, str]) -> None:
    folder, address = served
    done = gpuledger("publish", str(folder), "--no-fetch", data=data)
    assert done.returncode == 0, done.stderr
    assert b"gpuledger" in read(f"{address}/index.html")
    difference = json.loads((data / "build" / "current" / "release_diff.json").read_text())
    assert difference["release_id"]
    assert json.loads(read(f"{address}/data/release_diff.json")) == difference
    assert (data / "build" / "publishing" / notes.NAME).read_text().strip() in read(f"{address}/releases.atom").decode()
    again = gpuledger("publish", str(folder), "--no-fetch", data=data)
    assert "published before" in again.stderr.splitlines()[-1]


@pytest.mark.full  # a build; the unit tests of the branch cover the refusal
def test_a_new_machine_notices_a_rewritten_branch_of_snapshots(data: Path, remote: Path) -> None:
    """As each run on GitHub: the machine knows nothing but what is published."""
    stored = sorted(path.relative_to(data).as_posix() for path in (data / "raw" / "vultr").rglob("*.json"))
    branch = Repository(data / "branch.git", str(remote))
    commit = branch.commit(branch.tree_of(data, stored), "Add fetched snapshots")
    branch.git("push", "--quiet", remote, f"{commit}:refs/heads/data")
    done = gpuledger("publish", str(remote), "--snapshots", str(remote), "--no-fetch", data=data)
    assert done.returncode == 0, done.stderr
    assert git("--git-dir", remote, "show", "site:data-commit.txt") == commit
    shutil.rmtree(data / "build" / "publishing")
    branch.git("push", "--quiet", remote, f"+{branch.commit(branch.tree_of(data, stored[:1]), 'Rewritten')}:refs/heads/data")
    refused = gpuledger("publish", str(remote), "--snapshots", str(remote), "--no-fetch", data=data)
    assert refused.returncode == 1
    assert f"was rewritten: commit {commit[:12]}" in refused.stderr


@pytest.mark.parametrize(
    "arguments", [["{folder}/www", "--snapshots", "{folder}/gone.git"], ["{folder}/gone.git"], ["/proc/www"]]
)
def test_an_unreachable_place_is_said_before_the_build(data_copy: Path, tmp_path: Path, arguments: list[str]) -> None:
    gone = run_here("publish", "--no-fetch", *(one.format(folder=tmp_path) for one in arguments), data=data_copy)
    assert gone.returncode == 1
    assert re.fullmatch(r"Not published: .*(does not answer|can be written).*\n", gone.stderr)
    assert not (tmp_path / "www").exists()
    assert not (data_copy / "build" / "work").exists()


def test_a_run_goes_on_after_older_data_were_allowed(release: Path, tmp_path: Path) -> None:
    """`--allow-older` replaced the data of a wrong clock once. The next run compares its data with the destination alone."""
    older = tmp_path / "release"
    older.mkdir()
    shutil.copyfile(release / "gpuledger.duckdb", older / "gpuledger.duckdb")
    with connection.connect(older / "gpuledger.duckdb") as con:
        con.execute("UPDATE release_history SET previous_as_of = as_of + 1, previous_release_id = 'x'")
        ((as_of,),) = con.execute("SELECT as_of FROM release").fetchall()
    digest = hashlib.sha256((older / "gpuledger.duckdb").read_bytes()).hexdigest()
    (older / "SHA256SUMS").write_text(f"{digest}  gpuledger.duckdb\n")
    assert publish.checked_name(older).startswith(f"{version(as_of)}-")


def test_the_notes_of_a_release_fit_its_page_on_github(release: Path, tmp_path: Path) -> None:
    """GitHub refuses more than 125,000 characters, and the list of price moves has more on many days."""
    shutil.copyfile(release / "gpuledger.duckdb", tmp_path / "gpuledger.duckdb")
    with connection.connect(tmp_path / "gpuledger.duckdb") as con:
        con.execute("DELETE FROM release_history")
        con.execute("""
            INSERT INTO release_history BY NAME
            SELECT 2 AS number, 'b' AS release_id, 'a' AS previous_release_id, DATE '2026-10-04' AS as_of,
                DATE '2026-10-03' AS previous_as_of, 3 AS n_tables, 5 AS rows_added, 6 AS rows_removed, 7 AS rows_changed,
                400 AS n_price_rises, 470 AS n_price_cuts, array_to_string(range(100000), ',') AS new_llm_models
        """)
    notes.write(tmp_path, tmp_path)
    text = (tmp_path / notes.NAME).read_text()
    assert "Prices: 400 rose, 470 fell. New: 0, 1, 2," in text
    assert text.endswith(" ...\n")
    assert len(text) <= notes.LENGTH + 1 < 125_000


@pytest.mark.full  # two builds
@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_new_machine_continues_from_what_is_published(data: Path, remote: Path, tmp_path: Path) -> None:
    """The second machine has a fresh clone. Its release is compared with the published one, also where data are removed."""
    assert gpuledger("publish", str(remote), "--no-fetch", data=data).returncode == 0
    first = json.loads((data / "build" / "current" / "release_diff.json").read_text())
    assert json.loads(git("--git-dir", remote, "show", "site:data/release_diff.json")) == first
    second = tmp_path / "second"
    shutil.copytree(data, second, ignore=shutil.ignore_patterns("build"))
    for cache in ("parsed", "site-cache"):  # saves minutes, and is no part of the publication
        shutil.copytree(data / "build" / cache, second / "build" / cache)
    done = gpuledger("publish", str(remote), "--snapshots", str(remote), "--no-fetch", data=second)
    assert done.returncode == 0, done.stderr
    difference = json.loads((second / "build" / "current" / "release_diff.json").read_text())
    assert difference["number"] == first["number"]  # the same data are the same release
    assert (second / "build" / "releases" / "000000").is_dir()
    cut_history(second)
    refused = gpuledger("publish", str(remote), "--no-fetch", data=second)
    assert refused.returncode == 1
    assert "run `make expected`, or add --accept-loss gpurentalprices" in refused.stderr
    with mock.patch.object(paths, "DATA", second), mock.patch.object(sys, "argv", ["expectations", str(second / "build")]):
        expectations.main()  # a reviewed removal
    done = gpuledger("publish", str(remote), "--no-fetch", data=second)
    assert done.returncode == 0, done.stderr
    difference = json.loads((second / "build" / "current" / "release_diff.json").read_text())
    assert (difference["number"], difference["previous_release_id"]) == (first["number"] + 1, first["release_id"])


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([""], 2, "Not published: DEST is empty"),
        (["{data}/build"], 2, "is in the build folder"),
        (["{data}/www", "--no-fetch", "--source", "vultr"], 2, "--source has no effect with --no-fetch"),
        (["{data}/www", "--source", "vurlt"], 2, "no source 'vurlt'; did you mean vultr?"),
        (["{data}/www", "--no-fetch", "--accept-loss", "nothing"], 2, "--accept-loss nothing: no such source"),
    ],
)
def test_what_cannot_be_published_is_one_line(data_copy: Path, arguments: list[str], code: int, message: str) -> None:
    done = run_here("publish", *(one.format(data=data_copy) for one in arguments), data=data_copy)
    assert done.returncode == code
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_workflow_and_the_service_run_the_command_that_is_tested() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/publish.yml").read_text())
    scripts = [step["run"] for step in workflow["jobs"]["publish"]["steps"] if "run" in step]
    assert any(f'{COMMAND} "$REPOSITORY" --snapshots "$SNAPSHOTS"' in script for script in scripts)
    assert "make install" in scripts
    assert (
        f"/opt/gpuledger/{COMMAND} /srv/gpuledger" in (ROOT / "pipeline/publishing/systemd/gpuledger-publish.service").read_text()
    )
    assert '"publish", "/srv/gpuledger"' in (ROOT / "Dockerfile").read_text()
