"""Databases that are written: a table larger than memory is written, and what a killed build spilled is removed."""

import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.warehouse import connection
from tests.command import ROOT


@pytest.mark.slow
def test_a_sort_larger_than_memory_spills_beside_the_database(tmp_path: Path) -> None:
    file = tmp_path / "work" / "ledger.duckdb"
    connection.create(file)
    with connection.connect(file) as con:
        con.execute("SET memory_limit = '40MB'")
        con.execute("CREATE TABLE hashed AS SELECT md5(i::VARCHAR) AS text FROM range(1_000_000) AS t(i) ORDER BY text")
        (spilled,), (rows,) = con.execute(
            "SELECT current_setting('temp_directory') UNION ALL SELECT count(*) FROM hashed"
        ).fetchall()
    assert Path(spilled).parent == file.parent
    assert rows == "1000000"


def test_a_new_database_removes_what_a_killed_build_spilled(tmp_path: Path) -> None:
    file = tmp_path / "ledger.duckdb"
    spill = tmp_path / "ledger.duckdb.spill"
    spill.mkdir()
    (spill / "duckdb_temp_storage-0.tmp").write_bytes(b"old")
    connection.create(file)
    assert not spill.exists()


@pytest.mark.slow  # it starts Python
@pytest.mark.parametrize("opened", ["connection.connect_in_memory()", "Database(path).connection"])
def test_no_process_shows_the_progress_of_a_query(tmp_path: Path, opened: str) -> None:
    """DuckDB shows it where the main program has no file, as in worker processes."""
    connection.create(tmp_path / "x.duckdb")
    program = f"""from pathlib import Path
from pipeline.warehouse import connection
from pipeline.website.writing.database import Database
path = Path({str(tmp_path / "x.duckdb")!r})
con = {opened}
print(con.execute("SELECT current_setting('enable_progress_bar')").fetchall())"""
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout == "[(False,)]\n"
