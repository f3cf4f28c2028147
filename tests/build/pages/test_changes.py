"""The page of changes against the tables."""

import datetime as dt
from pathlib import Path

import duckdb
import pytest

from pipeline.website.pages.changes import page as changes_page
from pipeline.website.writing import numbers
from tests.build.pages.site_pages import (
    Page,
    body_rows,
    printed_sql,
    provider_names,
    query_rows,
    recompute,
    text_of,
    words_of,
    write_pages,
)

TABLES = ("source_change", "price_change", "source", "snapshot", "gpu")


def test_the_page_tells_the_newest_day_and_every_day(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    text = words_of(site, "changes/index.html")
    days = query_rows(
        con,
        "SELECT date, sum(n_appeared) AS came, sum(n_ended) AS went, sum(n_rose) AS rose, sum(n_fell) AS fell "
        f"FROM source_change GROUP BY date ORDER BY date DESC LIMIT {changes_page.DAYS_SHOWN}",
    )
    newest, *earlier = days
    summary = f"{newest['came']} new offers, {newest['went']} removed, {newest['rose']} up in price, {newest['fell']} down."
    assert f"On {numbers.day(newest['date'])}: {summary}" in text
    page = (site / "changes/index.html").read_text()
    shown = [" ".join(row.split()) for row in body_rows(page, "day-table")]
    assert len(earlier) > 40
    assert [row for row, day in zip(shown, earlier, strict=True) if not row.startswith(str(numbers.day(day["date"])))] == []
    links = set(Page(site / "index.html").values("href"))
    assert "changes/index.html" in links


def test_the_offers_of_a_file_add_up_from_those_before(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    page = (site / "changes/index.html").read_text()
    newest = query_rows(
        con, "SELECT * FROM source_change WHERE date = (SELECT max(date) FROM source_change) ORDER BY source_id, file"
    )
    shown = [" ".join(row.split()) for row in body_rows(page, "source-change-table")]
    for row, line in zip(newest, shown, strict=True):
        before, offers, *changes = (row[name] for name in ("n_offers_before", "n_offers", "n_appeared", "n_first", "n_ended"))
        assert f"{before:,} offers {offers:,} {' '.join(f'{count:,}' for count in changes)}" in line
        assert offers == before + changes[0] + changes[1] - changes[2]


def test_the_largest_moves_are_those_that_the_printed_query_gives(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    page = (site / "changes/index.html").read_text()
    found = query_rows(con, printed_sql(page, 'id="moves"'))
    newest = [row for row in found if row["date"] == found[0]["date"]][: changes_page.MOVES_SHOWN]
    shown, called = body_rows(page, "day-move-table"), provider_names(con)
    assert len(shown) == len(newest) > 0
    for line, row in zip(shown, newest, strict=True):
        said = (numbers.usd(row["usd_before"]), numbers.usd(row["usd"]), called.get(row["provider"], row["provider"]))
        assert [one for one in said if one not in line] == []


def test_curated_files_stand_with_the_day_of_their_sidecar(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    text = words_of(site, "changes/index.html")
    ((path, day),) = con.execute(
        "SELECT path, retrieved_at::DATE FROM snapshot WHERE source_id = 'gpuledger-names' ORDER BY path LIMIT 1"
    ).fetchall()
    assert path in text
    assert isinstance(day, dt.date)
    assert str(numbers.day(day)) in text


def test_a_changelog_is_read_by_version_and_point() -> None:
    text = "# Changelog\n\nIntro.\n\n## 2.0\n\n- One `a`\n  and more.\n- Two.\n\n## 1.0\n\nFirst.\n\n- Three.\n"
    assert list(changes_page.versions(text)) == [
        {"name": "2.0", "points": ["One `a` and more.", "Two."]},
        {"name": "1.0", "points": ["Three."]},
    ]


@pytest.mark.parametrize("emptied", [TABLES, *(pytest.param((table,), marks=pytest.mark.full) for table in TABLES)])
def test_the_page_stands_without_tables(database_copy: Path, emptied: tuple[str, ...]) -> None:
    with duckdb.connect(str(database_copy)) as con:
        for table in emptied:
            con.execute(f"DELETE FROM {table}")
        recompute(con, *emptied)
    text = text_of(write_pages(database_copy, changes_page) / "changes" / "index.md")
    assert not {"None", "nan"} & set(text.split())
    if "source_change" in emptied:
        assert "These data contain no date of a refreshed price source." in text


def test_a_jump_of_a_list_is_marked_as_a_gap() -> None:
    jump = {"n_offers": 11, "n_appeared": 0, "n_first": 0, "n_ended": 234}
    usual = {"n_offers": 308, "n_appeared": 111, "n_first": 8, "n_ended": 43}
    assert (changes_page.is_gap(jump), changes_page.is_gap(usual)) == (True, False)
