"""Differences between two releases of the real data."""

import json
from pathlib import Path

import pytest

from pipeline.release import exports, publish
from pipeline.release.release_tables import TABLES
from pipeline.warehouse import connection
from tests.build.pages.site_pages import query_rows
from tests.build.workbench import Workbench

HISTORY = "FROM release_history ORDER BY number DESC"


def write_next(bench: Workbench, target: Path, previous: Path, *changes: str) -> Path:
    """Write the release after `previous`, after changes to the working tables."""
    target.mkdir()
    with connection.connect(bench.out / "work" / publish.DATABASE) as con:
        connection.define_macros(con)
        for change in changes:
            con.execute(change)
        ((as_of,),) = con.execute("SELECT as_of FROM release").fetchall()
        declared = publish.write_database(con, target / publish.DATABASE, previous)
    exports.write_exports(target, publish.verified(target / publish.DATABASE, declared), as_of)
    return target


@pytest.mark.full
def test_a_build_of_the_same_data_is_the_same_release(bench: Workbench, release: Path, tmp_path: Path) -> None:
    again = write_next(bench, tmp_path / "again", release / publish.DATABASE)
    sums = publish.checksums(release / publish.DATABASE)
    assert publish.checksums(again / publish.DATABASE) == sums
    assert sums["release_history"][0] > 0
    assert (again / publish.DIFFERENCES).read_bytes() == (release / publish.DIFFERENCES).read_bytes()


def test_the_next_release_says_what_changed(bench: Workbench, release: Path, tmp_path: Path) -> None:
    previous = tmp_path / publish.DATABASE
    previous.write_bytes((release / publish.DATABASE).read_bytes())
    with connection.connect(previous) as con:  # it had not seen the newest move yet
        before = query_rows(con, HISTORY)[0]
        newest = "SELECT offer_key, valid_from FROM price_move WHERE listed ORDER BY valid_from DESC, offer_key LIMIT 1"
        ((offer, day),) = con.execute(newest).fetchall()
        con.execute("DELETE FROM price_change WHERE offer_key = ? AND valid_from >= ?", [offer, day])
    wider = "UPDATE gpu SET tdp_w = tdp_w + 1 WHERE gpu_id = 'nvidia-l4-24gb'"
    after = write_next(bench, tmp_path / "next", previous, wider)
    with connection.connect(after / publish.DATABASE, read_only=True) as con:
        now = query_rows(con, HISTORY)[0]
        found = {row["table_name"]: row for row in query_rows(con, "FROM release_diff") if row["release_id"] == now["release_id"]}
        moves = query_rows(con, "SELECT offer_key, valid_from FROM release_price_move")
    assert (now["number"], now["previous_release_id"]) == (before["number"] + 1, before["release_id"])
    assert found.keys() == {"gpu", "price_change"}
    assert (found["gpu"]["rows_added"], found["gpu"]["rows_removed"], found["gpu"]["rows_changed"]) == (0, 0, 1)
    assert moves == [{"offer_key": offer, "valid_from": day}]
    document = json.loads((after / publish.DIFFERENCES).read_text())
    assert document["release_id"] == now["release_id"]
    assert [table["table_name"] for table in document["tables"]] == ["gpu", "price_change"]
    assert document["price_moves"][0]["offer_key"] == offer


def test_every_table_of_releases_is_published(release: Path) -> None:
    assert [name for name in TABLES if not (release / "parquet" / f"{name}.parquet").exists()] == []
