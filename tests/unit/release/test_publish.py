"""Publication: all parts change together, readers never see half a release, a crash leaves the last one whole."""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import pytest

from benchmarks.project.builds import session_of
from pipeline import build_lock
from pipeline.files import hash_file
from pipeline.release import publish, release_tables
from pipeline.schema import Col, Column, Table
from pipeline.tables import load
from pipeline.warehouse import connection
from tests.command import ROOT, gpuledger
from tests.unit.uploads.test_sandbox import may_unshare

OWN_MOUNTS = ("--user", "--map-root-user", "--mount")
BUILD_ANYWHERE = (
    "from pipeline.cli import app, build; build.NEEDED_MB = dict(data=0, site=0); app()"  # without the look at free space
)
ON_A_SMALL_DISK = """
mount -t tmpfs -o size=$2m tmpfs $1/disk
cp -a $1/before $1/disk/build
$3 -c "$4" build --out $1/disk/build || code=$?
cp -a $1/disk/build $1/after
exit ${code-0}
"""
PARTS = ("gpuledger.duckdb", "parquet", "csv", "datapackage.json", "croissant.json", "SHA256SUMS", "site")


def make_release(folder: Path, mark: int) -> Path:
    """A small release whose database, files and site all carry the same mark."""
    (folder / "site").mkdir(parents=True)
    (folder / "csv").mkdir()
    (folder / "parquet").mkdir()
    with connection.connect(folder / "gpuledger.duckdb") as con:
        con.execute(f"CREATE TABLE mark AS SELECT {mark} AS mark")
    for name in ("csv/mark.csv", "parquet/mark.txt", "datapackage.json", "croissant.json", "site/index.html"):
        (folder / name).write_text(str(mark))
    (folder / "SHA256SUMS").write_text(f"{hash_file(folder / 'gpuledger.duckdb')}  gpuledger.duckdb\n")
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


@pytest.mark.parametrize("step", range(10))
def test_an_interrupted_first_publication_shows_every_name_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """The steps are the replacements of links: one per name, and `current`."""
    calls: list[int] = []

    def replace(source: Path, target: Path) -> None:
        if len(calls) == step:
            raise KeyboardInterrupt
        calls.append(step)
        source.rename(target)

    monkeypatch.setattr(os, "replace", replace)
    release = make_release(tmp_path / "work" / "release", 1)
    with suppress(KeyboardInterrupt):
        publish.publish(release, tmp_path)
    assert {name for name in PARTS if (tmp_path / name).exists()} in (set(), set(PARTS))


def test_a_write_ahead_log_is_never_published(tmp_path: Path) -> None:
    publish.publish(make_release(tmp_path / "work" / "release", 1), tmp_path)
    release = make_release(tmp_path / "work" / "release", 2)
    (release / "gpuledger.duckdb.wal").write_bytes(b"x")
    with pytest.raises(publish.CheckFailedError, match="not closed cleanly"):
        publish.publish(release, tmp_path)
    assert marks(tmp_path) == {1}


@pytest.mark.slow
@pytest.mark.skipif(not may_unshare(*OWN_MOUNTS), reason="the kernel lets users mount nothing")
@pytest.mark.parametrize(
    "megabytes",
    [2, *(pytest.param(size, marks=pytest.mark.full) for size in (6, 20, 40, 58))],  # full during rows, tables, database, site
)
def test_a_full_disk_is_one_line_and_leaves_the_last_release(tmp_path: Path, megabytes: int) -> None:
    publish.publish(make_release(tmp_path / "first", 1), tmp_path / "before")
    (tmp_path / "disk").mkdir()
    command = ["unshare", *OWN_MOUNTS, "sh", "-ec", ON_A_SMALL_DISK, "sh", str(tmp_path), str(megabytes), sys.executable]
    result = subprocess.run([*command, BUILD_ANYWHERE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    *_, announced, problem = result.stderr.splitlines()
    assert announced == "Not published: 1 problem. The last good release stays."
    assert "free space" in problem
    assert "Traceback" not in result.stderr
    assert marks(tmp_path / "after") == {1}


@pytest.mark.slow  # it starts a program
def test_only_one_build_at_a_time(tmp_path: Path) -> None:
    with build_lock.hold(tmp_path):
        result = gpuledger("build", "--out", str(tmp_path))
    assert result.returncode == 3
    assert f"another build (process {os.getpid()})" in result.stderr


def of_session(leader: int) -> list[int]:
    """The processes of a session that still run, by the system's own list."""
    return [int(path.name) for path in Path("/proc").glob("[0-9]*") if session_of(path) == leader]


@pytest.mark.parametrize(
    ("written", "processes"),
    [
        ("work/.data.new/gpuledger.duckdb", 1),
        ("site-cache/templates/*/*", 2),  # by the two processes that build pages
    ],
)
@pytest.mark.full  # two builds each
def test_a_killed_build_leaves_the_last_release_and_the_next_one_works(
    built: Path, tmp_path: Path, written: str, processes: int
) -> None:
    out = tmp_path / "build"
    publish.publish(make_release(tmp_path / "first", 1), out)
    shutil.copytree(built / "parsed", out / "parsed")
    command = [sys.executable, "-m", "pipeline", "build", "--out", str(out)]
    victim = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True)
    while not list(out.glob(written)) and victim.poll() is None:
        time.sleep(0.01)
    assert len(of_session(victim.pid)) >= processes
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    deadline = time.monotonic() + 60
    while of_session(victim.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert of_session(victim.pid) == [], "what works beside a build must end with it"
    assert marks(out) == {1}
    result = gpuledger("build", "--only", "data", "--out", str(out))
    assert result.returncode == 0, result.stderr
    assert content(out / "gpuledger.duckdb") == content(built / "gpuledger.duckdb")


def content(database: Path) -> dict[str, Any]:
    """Checksums of the tables but those on the last release, and what the dictionary counts in these tables."""
    sums: dict[str, Any] = publish.checksums(database)
    with connection.connect(database, read_only=True) as con:
        for name in ("table_dictionary", "column_dictionary"):
            rows = con.execute(f"FROM {name} ORDER BY ALL").fetchall()
            sums[name] = [row for row in rows if row[0] not in {*release_tables.TABLES, name}]
    return {name: found for name, found in sums.items() if name not in release_tables.TABLES}


def test_the_file_opens_for_old_clients_and_has_no_types_that_they_lack(con: duckdb.DuckDBPyConnection) -> None:
    types = {
        kind
        for (kind,) in con.execute("SELECT DISTINCT data_type FROM duckdb_columns() WHERE database_name = 'ledger'").fetchall()
    }
    assert types <= {"VARCHAR", "BIGINT", "INTEGER", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP"}
    ((tags,),) = con.execute("SELECT tags FROM duckdb_databases() WHERE database_name = 'ledger'").fetchall()
    assert "v1.2" in str(tags) or "v1.0" in str(tags), tags


def test_a_damaged_block_of_the_finished_file_is_noticed(tmp_path: Path) -> None:
    """No check reads a text that may be empty; a flipped bit in one must stop the release all the same."""
    columns = (Column("a", "VARCHAR", False, Col("Key")), Column("remark", "VARCHAR", True, Col("Text that may be empty")))
    file, table = tmp_path / publish.DATABASE, Table("noted", "Notes", "One row per note.", "audit", ("a",), columns)
    declared: publish.Declared = {"noted": (table, ())}
    connection.create(file)
    with connection.connect(file) as con:
        con.execute("SET force_compression = 'uncompressed'")  # so that the text can be found in the file
        con.execute(load.ddl(table))
        note = "".join(f"mark {n}, " for n in range(60_000))  # more than one block
        con.execute("INSERT INTO noted VALUES ('a', ?)", [note])
    assert publish.verified(file, declared)["noted"][1] == 1
    content = bytearray(file.read_bytes())
    content[content.rindex(b"mark 42") + 5] ^= 1
    file.write_bytes(content)
    with pytest.raises(duckdb.Error, match="checksum"):
        publish.verified(file, declared)
