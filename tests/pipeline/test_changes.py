"""What changed from day to day: the metric on small cases with answers by hand, and the page against the tables."""

import datetime as dt
from pathlib import Path

import duckdb
import pytest

from pipeline.website.components import numbers
from pipeline.website.pages.changes import page as changes_page
from tests.pipeline.price_rows import august, history, offer, rows
from tests.pipeline.site_pages import Page, asked, body_rows, printed_sql, text_of, words_of, written

COUNTS = """SELECT date, date_before, n_offers, n_offers_before, n_appeared, n_ended, n_rose, n_fell, median_change_ratio
    FROM source_change ORDER BY file, date"""
TABLES = ("source_change", "price_change", "source", "snapshot", "gpu")


def stored(con: duckdb.DuckDBPyConnection, name: str, day: int, path: str, source: str = "one", rejected: int = 0) -> None:
    con.execute(
        "INSERT INTO snapshot (snapshot_id, source_id, path, retrieved_at, rows_rejected) VALUES (?, ?, ?, ?, ?)",
        [name, source, path, august(day), rejected],
    )


def test_offers_come_go_and_move_by_hand(empty: duckdb.DuckDBPyConnection) -> None:
    """On the 3rd: a stays, b rises by half, c is gone, d is new; on the 5th b falls back and c returns dearer."""
    stored(empty, "s1", 1, "data/raw/one/list-2026-08-01.csv")
    stored(empty, "s3", 3, "data/raw/one/list-2026-08-03.csv", rejected=4)
    stored(empty, "s5", 5, "data/raw/one/list-2026-08-05.csv")
    seen = {
        1: {"a": 1.0, "b": 2.0, "c": 3.0},
        3: {"a": 1.0, "b": 3.0, "d": 9.0},
        5: {"a": 1.0, "b": 2.0, "c": 6.0, "d": 9.0},
    }
    offers = [offer(key, usd, day, snapshot_id=f"s{day}") for day, found in seen.items() for key, usd in found.items()]
    con = history(empty, *offers)
    assert rows(con, COUNTS) == [
        (august(1), None, 3, None, None, None, None, None, None),
        (august(3), august(1), 3, 3, 1, 1, 1, 0, 1.5),
        (august(5), august(3), 4, 3, 1, 0, 1, 1, pytest.approx((2 / 3 + 2) / 2)),
    ]
    assert rows(con, "SELECT n_rejected FROM source_change ORDER BY date") == [(0,), (4,), (0,)]


def test_a_file_is_compared_with_itself_alone(empty: duckdb.DuckDBPyConnection) -> None:
    """Two files of a source fetched on different days: the offers of one do not end when the other is seen."""
    stored(empty, "s1", 1, "data/raw/one/a/2026-08-01/east.json")
    stored(empty, "s2", 2, "data/raw/one/b/2026-08-02/west.json")
    con = history(empty, offer("a", 1.0, 1, snapshot_id="s1"), offer("b", 1.0, 2, snapshot_id="s2"))
    assert rows(con, "SELECT file, date, n_ended FROM source_change ORDER BY file") == [
        ("east.json", august(1), None),
        ("west.json", august(2), None),
    ]


def test_a_file_that_lost_all_its_offers_is_told(empty: duckdb.DuckDBPyConnection) -> None:
    stored(empty, "s1", 1, "data/raw/one/2026-08-01/list.json")
    stored(empty, "s2", 2, "data/raw/one/2026-08-02/list.json", rejected=7)
    con = history(empty, offer("a", 1.0, 1, snapshot_id="s1"))
    assert rows(con, "SELECT n_offers, n_ended, n_rejected FROM source_change WHERE date_before IS NOT NULL") == [(0, 1, 7)]


def test_a_move_of_the_exchange_rate_is_none_and_a_dated_document_has_no_days(empty: duckdb.DuckDBPyConnection) -> None:
    empty.execute("INSERT INTO source (source_id, kind) VALUES ('guide', 'prices')")
    stored(empty, "s1", 1, "data/raw/one/2026-08-01/list.json")
    stored(empty, "s2", 2, "data/raw/one/2026-08-02/list.json")
    stored(empty, "g", 1, "data/raw/guide/prices.csv", "guide")
    euro = {"currency": "EUR", "amount": 2.3}
    con = history(
        empty,
        offer("a", 2.5, 1, snapshot_id="s1", **euro),
        offer("a", 2.6, 2, snapshot_id="s2", **euro),
        offer("g", 1.0, 1, snapshot_id="g", source_id="guide"),
    )
    assert rows(con, "SELECT source_id, date, n_rose + n_fell FROM source_change ORDER BY date") == [
        ("one", august(1), None),
        ("one", august(2), 0),
    ]


def test_the_page_tells_the_newest_day_and_every_day(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    text = words_of(site, "changes/index.html")
    days = asked(
        con,
        "SELECT date, sum(n_appeared) AS came, sum(n_ended) AS went, sum(n_rose) AS rose, sum(n_fell) AS fell "
        "FROM source_change GROUP BY date ORDER BY date DESC",
    )
    newest, *earlier = days
    told = f"{newest['came']} offers came, {newest['went']} went, {newest['rose']} prices rose and {newest['fell']} fell."
    assert f"On {numbers.day(newest['date'])}: {told}" in text
    page = (site / "changes/index.html").read_text()
    shown = [" ".join(row.split()) for row in body_rows(page, "day-table")]
    assert len(earlier) > 40
    assert [row for row, day in zip(shown, earlier, strict=True) if not row.startswith(str(numbers.day(day["date"])))] == []
    links = set(Page(site / "index.html").values("href"))
    assert "changes/index.html" in links


def test_the_largest_moves_are_those_that_the_printed_query_gives(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    page = (site / "changes/index.html").read_text()
    found = asked(con, printed_sql(page, 'id="moves"'))
    newest = [row for row in found if row["date"] == found[0]["date"]][: changes_page.MOVES_SHOWN]
    shown = body_rows(page, "day-move-table")
    assert len(shown) == len(newest) > 0
    for line, row in zip(shown, newest, strict=True):
        assert [
            one for one in (numbers.usd(row["usd_before"]), numbers.usd(row["usd"]), row["provider"]) if one not in line
        ] == []


def test_curated_files_stand_with_the_day_of_their_sidecar(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    text = words_of(site, "changes/index.html")
    ((path, day),) = rows(
        con, "SELECT path, retrieved_at::DATE FROM snapshot WHERE source_id = 'gpuledger-names' ORDER BY path LIMIT 1"
    )
    assert path in text
    assert isinstance(day, dt.date)
    assert str(numbers.day(day)) in text


def test_a_changelog_is_read_by_version_and_point() -> None:
    text = "# Changelog\n\nIntro.\n\n## 2.0\n\n- One `a`\n  and more.\n- Two.\n\n## 1.0\n\nFirst.\n\n- Three.\n"
    assert list(changes_page.versions(text)) == [
        {"name": "2.0", "points": ["One `a` and more.", "Two."]},
        {"name": "1.0", "points": ["Three."]},
    ]


@pytest.mark.parametrize("emptied", [*((table,) for table in TABLES), TABLES])
def test_the_page_stands_without_tables(release: Path, tmp_path: Path, emptied: tuple[str, ...]) -> None:
    path = tmp_path / "gpuledger.duckdb"
    path.write_bytes((release / "gpuledger.duckdb").read_bytes())
    with duckdb.connect(str(path)) as con:
        for table in emptied:
            con.execute(f"DELETE FROM {table}")
    text = text_of(written(path, changes_page) / "changes" / "index.md")
    assert not {"None", "nan"} & set(text.split())
    if "source_change" in emptied:
        assert "The data hold no day of a price source that is refreshed." in text
