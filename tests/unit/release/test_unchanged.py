"""A database file keeps its bytes as long as its content is the same."""

from pathlib import Path

import pytest

from pipeline.release.publish import keep_unchanged
from pipeline.warehouse import connection

ROWS = "CREATE TABLE price AS SELECT i, 'instance ' || md5(i::VARCHAR) AS name FROM range(20000) t(i)"
MACRO = "CREATE MACRO twice(x) AS 2 * x"


def write(path: Path, *statements: str) -> Path:
    with connection.connect(path) as con:
        for statement in (ROWS, MACRO, "COMMENT ON TABLE price IS 'Prices'", *statements):
            con.execute(statement)
    return path


def test_a_file_with_the_same_content_keeps_its_bytes(tmp_path: Path) -> None:
    last, fresh = write(tmp_path / "last.duckdb"), write(tmp_path / "fresh.duckdb")
    keep_unchanged(fresh, last)
    assert fresh.samefile(last)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE price SET name = 'x' WHERE i = 7",
        "DELETE FROM price WHERE i = 7",
        "COMMENT ON TABLE price IS 'Prices in USD'",
        "COMMENT ON COLUMN price.i IS 'Number'",
        "CREATE OR REPLACE MACRO twice(x) AS 3 * x",
        "CREATE VIEW cheap AS FROM price",
        "ALTER TABLE price RENAME name TO instance",
    ],
)
def test_a_file_with_other_content_is_the_fresh_one(tmp_path: Path, change: str) -> None:
    last, fresh = write(tmp_path / "last.duckdb"), write(tmp_path / "fresh.duckdb", change)
    keep_unchanged(fresh, last)
    assert not fresh.samefile(last)


@pytest.mark.parametrize("damage", [None, b"no database", b""])
def test_a_missing_or_damaged_last_file_changes_nothing(tmp_path: Path, damage: bytes | None) -> None:
    fresh, last = write(tmp_path / "fresh.duckdb"), tmp_path / "last.duckdb"
    if damage is not None:
        last.write_bytes(damage)
    before = fresh.read_bytes()
    keep_unchanged(fresh, last)
    assert fresh.read_bytes() == before
