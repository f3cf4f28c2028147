"""Publication: all parts change together, readers never see half a release, a crash leaves the last one whole."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from benchmarks.project import session_of
from pipeline.fetch import lock
from pipeline.warehouse import connection
from pipeline.warehouse.release import publish
from tests.command import ROOT, gpuledger

PARTS = ("gpuledger.duckdb", "parquet", "csv", "datapackage.json", "croissant.json", "SHA256SUMS", "site")


def make_release(folder: Path, mark: int) -> Path:
    """A small release whose database, files and site all carry the same mark."""
    (folder / "site").mkdir(parents=True)
    (folder / "csv").mkdir()
    (folder / "parquet").mkdir()
    with connection.connect(folder / "gpuledger.duckdb") as con:
        con.execute(f"CREATE TABLE mark AS SELECT {mark} AS mark")
    for name in ("csv/mark.csv", "parquet/mark.txt", "datapackage.json", "croissant.json", "SHA256SUMS", "site/index.html"):
        (folder / name).write_text(str(mark))
    return folder


def marks(out: Path) -> set[int]:
    with connection.connect(out / "gpuledger.duckdb", read_only=True) as con:
        (mark,) = con.execute("SELECT mark FROM mark").fetchall()[0]
    return {mark, int((out / "site" / "index.html").read_text()), int((out / "csv" / "mark.csv").read_text())}


def test_every_name_changes_together_and_old_releases_go(tmp_path: Path) -> None:
    for mark in range(1, 7):
        publish.publish(make_release(tmp_path / "work" / "release", mark), tmp_path)
        assert marks(tmp_path) == {mark}
    assert len(list((tmp_path / "releases").iterdir())) == publish.KEPT_RELEASES


def test_a_reader_keeps_the_release_that_it_opened(tmp_path: Path) -> None:
    publish.publish(make_release(tmp_path / "work" / "release", 1), tmp_path)
    with connection.connect(tmp_path / "gpuledger.duckdb", read_only=True) as con:
        publish.publish(make_release(tmp_path / "work" / "release", 2), tmp_path)
        assert con.execute("SELECT mark FROM mark").fetchall() == [(1,)]
    assert marks(tmp_path) == {2}


def test_a_part_that_was_not_built_is_taken_over(tmp_path: Path) -> None:
    publish.publish(make_release(tmp_path / "work" / "release", 1), tmp_path)
    data, site = make_release(tmp_path / "staged", 1), tmp_path / "site-of-two"
    shutil.rmtree(data / "site")
    site.mkdir()
    (site / "index.html").write_text("2")
    publish.assemble_release(data, site, tmp_path / "work" / "release")
    publish.publish(tmp_path / "work" / "release", tmp_path)
    assert marks(tmp_path) == {1, 2}
    assert all((tmp_path / name).exists() for name in PARTS)


def test_a_write_ahead_log_is_never_published(tmp_path: Path) -> None:
    publish.publish(make_release(tmp_path / "work" / "release", 1), tmp_path)
    release = make_release(tmp_path / "work" / "release", 2)
    (release / "gpuledger.duckdb.wal").write_bytes(b"x")
    with pytest.raises(publish.CheckFailedError, match="not closed cleanly"):
        publish.publish(release, tmp_path)
    assert marks(tmp_path) == {1}


def test_a_full_disk_leaves_the_last_release(built: Path, tmp_path: Path) -> None:
    """A file that cannot be written raises before anything is swapped."""
    publish.publish(make_release(tmp_path / "work" / "release", 1), tmp_path)
    code = (
        "import resource, sys; from pathlib import Path; from pipeline.warehouse import connection, publish;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536));"
        "con = connection.connect(Path(sys.argv[1])).__enter__();"
        "publish.write_database(con, Path(sys.argv[2]))"
    )
    places = [str(built / "work" / "gpuledger.duckdb"), str(tmp_path / "work" / "release" / "gpuledger.duckdb")]
    result = subprocess.run([sys.executable, "-c", code, *places], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert marks(tmp_path) == {1}


def test_only_one_build_at_a_time(tmp_path: Path) -> None:
    with lock.hold(tmp_path):
        result = gpuledger("build", "--out", str(tmp_path))
    assert result.returncode == 3
    assert f"another build (process {os.getpid()})" in result.stderr


def of_session(leader: int) -> list[int]:
    """The processes of a session that still run, by the system's own list."""
    return [int(path.name) for path in Path("/proc").glob("[0-9]*") if session_of(path) == leader]


def test_a_killed_build_leaves_the_last_release_and_the_next_one_works(built: Path, tmp_path: Path) -> None:
    out = tmp_path / "build"
    publish.publish(make_release(tmp_path / "first", 1), out)
    command = [sys.executable, "-m", "pipeline", "build", "--out", str(out)]
    victim = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 120
    while not list((out / "site-cache" / "templates").glob("*/*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(of_session(victim.pid)) > 1
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    while of_session(victim.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert of_session(victim.pid) == [], "what works beside a build must end with it"
    assert marks(out) == {1}
    result = gpuledger("build", "--only", "data", "--out", str(out))
    assert result.returncode == 0, result.stderr
    assert publish.checksums(out / "gpuledger.duckdb") == publish.checksums(built / "gpuledger.duckdb")


def test_the_file_opens_for_old_clients_and_has_no_types_that_they_lack(con: duckdb.DuckDBPyConnection) -> None:
    types = {
        kind
        for (kind,) in con.execute("SELECT DISTINCT data_type FROM duckdb_columns() WHERE database_name = 'ledger'").fetchall()
    }
    assert types <= {"VARCHAR", "BIGINT", "INTEGER", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP"}
    ((tags,),) = con.execute("SELECT tags FROM duckdb_databases() WHERE database_name = 'ledger'").fetchall()
    assert "v1.2" in str(tags) or "v1.0" in str(tags), tags
