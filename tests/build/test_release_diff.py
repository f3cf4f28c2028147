"""Differences between two releases of the real data."""

import json
from pathlib import Path

import pytest

from pipeline.release import exports, publish
from pipeline.release.release_tables import TABLES
from pipeline.warehouse import connection
from tests.build.pages.site_pages import query_rows
from tests.build.test_assets import edit_gpu, first_gpu
from tests.build.workbench import Workbench

HISTORY = "FROM release_history ORDER BY number DESC"


@pytest.mark.full
def test_a_build_of_the_same_data_is_the_same_release(bench: Workbench, release: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    with connection.connect(bench.out / "work" / publish.DATABASE) as con:
        connection.define_macros(con)
        ((as_of,),) = con.execute("SELECT as_of FROM release").fetchall()
        declared = publish.write_database(con, again / publish.DATABASE, release / publish.DATABASE)
    exports.write_exports(again, publish.verified(again / publish.DATABASE, declared), as_of)
    sums = publish.checksums(release / publish.DATABASE)
    assert publish.checksums(again / publish.DATABASE) == sums
    assert sums["release_history"][0] > 0
    assert (again / publish.DIFFERENCES).read_bytes() == (release / publish.DIFFERENCES).read_bytes()


def forget_newest_move(release: Path) -> dict[str, object]:
    """Make a release one that had not seen the newest move of a price; return that move."""
    database = release / publish.DATABASE
    content = database.read_bytes()
    for name in (publish.DATABASE, exports.CHECKSUMS):
        (release / name).unlink()  # it is linked to that of another build folder
    database.write_bytes(content)
    with connection.connect(database) as con:
        newest = "SELECT offer_key, valid_from FROM price_move WHERE listed ORDER BY valid_from DESC, offer_key LIMIT 1"
        (move,) = query_rows(con, newest)
        con.execute("DELETE FROM price_change WHERE offer_key = $offer_key AND valid_from >= $valid_from", move)
    exports.write_checksums(release)
    return move


def test_the_database_and_then_the_publication_publish_new_data_and_say_what_changed(bench: Workbench) -> None:
    last = (bench.out / "current").resolve()
    move = forget_newest_move(last)
    _, name = first_gpu(bench.data)
    edit_gpu(bench.data, name, "Renamed For A Test")
    for key in ("snapshots/gpuledger-compiled", "rows/gpuledger-compiled", "gpu", "database"):
        assert bench.run(key).success, key
    assert (bench.out / "current").resolve() == last, "nothing is published yet"
    assert bench.run("publication").success
    with (
        connection.connect(last / publish.DATABASE, read_only=True) as before,
        connection.connect(bench.out / publish.DATABASE, read_only=True) as after,
    ):
        assert query_rows(after, "SELECT count(*) AS n FROM gpu WHERE name = 'Renamed For A Test'") == [{"n": 1}]
        then, now = query_rows(before, HISTORY)[0], query_rows(after, HISTORY)[0]
        sql = f"FROM release_diff WHERE release_id = '{now['release_id']}'"
        found = {row["table_name"]: row for row in query_rows(after, sql)}
        assert query_rows(after, "SELECT offer_key, valid_from FROM release_price_move") == [move]
    assert (now["number"], now["previous_release_id"]) == (then["number"] + 1, then["release_id"])
    assert found.keys() == {"gpu", "price_change"}
    assert (found["gpu"]["rows_added"], found["gpu"]["rows_removed"], found["gpu"]["rows_changed"]) == (0, 0, 1)
    document = json.loads((bench.out / publish.DIFFERENCES).read_text())
    assert document["release_id"] == now["release_id"]
    assert [table["table_name"] for table in document["tables"]] == ["gpu", "price_change"]
    assert document["price_moves"][0]["offer_key"] == move["offer_key"]


def test_every_table_of_releases_is_published(release: Path) -> None:
    assert [name for name in TABLES if not (release / "parquet" / f"{name}.parquet").exists()] == []
