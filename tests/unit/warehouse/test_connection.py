"""Databases that are written: a table larger than memory is written, and what a killed build spilled is removed."""

from pathlib import Path

import pytest

from pipeline.warehouse import connection


@pytest.mark.slow
def test_a_sort_larger_than_memory_spills_beside_the_database(tmp_path: Path) -> None:
    file = tmp_path / "work" / "ledger.duckdb"
    connection.create(file)
    with connection.connect(file) as con:
        con.execute("SET memory_limit = '60MB'")
        con.execute("CREATE TABLE hashed AS SELECT md5(i::VARCHAR) AS text FROM range(2_000_000) AS t(i) ORDER BY text")
        (spilled,), (rows,) = con.execute(
            "SELECT current_setting('temp_directory') UNION ALL SELECT count(*) FROM hashed"
        ).fetchall()
    assert Path(spilled).parent == file.parent
    assert rows == "2000000"


def test_a_new_database_removes_what_a_killed_build_spilled(tmp_path: Path) -> None:
    file = tmp_path / "ledger.duckdb"
    spill = tmp_path / "ledger.duckdb.spill"
    spill.mkdir()
    (spill / "duckdb_temp_storage-0.tmp").write_bytes(b"old")
    connection.create(file)
    assert not spill.exists()
