"""The Atom feeds against RFC 4287 and the tables."""

import datetime as dt
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import duckdb
import pytest

from pipeline.warehouse import connection
from pipeline.website.pages.changes import feeds
from pipeline.website.pages.changes import page as changes_page
from tests.build.pages.site_pages import Page, write_pages

ATOM = "{http://www.w3.org/2005/Atom}"
BASE = "{http://www.w3.org/XML/1998/namespace}base"
ONCE = {"id", "title", "updated"}
OF_FEED, OF_ENTRY = {*ONCE, "link", "author", "entry"}, {*ONCE, "link", "summary"}
FEEDS = [f"{folder}{name}" for folder in ("", "zh/") for name in (feeds.RELEASES, feeds.PRICES)]
TAG = re.compile(r"tag:[a-z]+,\d{4}:[A-Za-z0-9:._-]+")


def faults(element: ET.Element, allowed: set[str]) -> list[str]:
    """Violations of what RFC 4287 requires of a feed (4.1.1) or an entry (4.1.2)."""
    names = [child.tag.removeprefix(ATOM) for child in element]
    found = [f"{name}: {names.count(name)} times" for name in ONCE if names.count(name) != 1]
    found += [f"{name} is no element of Atom here" for name in set(names) - allowed]
    links = [(link.get("rel"), link.get("type"), link.get("hreflang")) for link in element.findall(f"{ATOM}link")]
    found += ["two links of the same kind"] if len(links) != len(set(links)) else []
    found += ["no alternate link"] if "alternate" not in [rel for rel, *_ in links] else []
    found += ["an id that is no tag URI"] if not TAG.fullmatch(element.findtext(f"{ATOM}id") or "") else []
    found += ["an empty title"] if not (element.findtext(f"{ATOM}title") or "").strip() else []
    return found + ([] if _is_date(element.findtext(f"{ATOM}updated") or "") else ["updated is no date of RFC 3339"])


def _is_date(text: str) -> bool:
    return text.endswith("Z") and dt.datetime.fromisoformat(text).tzinfo is not None


@pytest.mark.parametrize("name", FEEDS)
def test_a_feed_is_valid_and_its_links_lead_to_pages(site: Path, name: str) -> None:
    feed = ET.fromstring((site / name).read_bytes())  # noqa: S314  # our own file
    entries = feed.findall(f"{ATOM}entry")
    assert feed.tag == f"{ATOM}feed"
    assert faults(feed, OF_FEED) == []
    assert [fault for entry in entries for fault in faults(entry, OF_ENTRY)] == []
    assert feed.findtext(f"{ATOM}author/{ATOM}name")
    ids = [element.findtext(f"{ATOM}id") for element in (feed, *entries)]
    assert len(ids) == len(set(ids)) > 1
    links = {link.get("href", "").partition("#")[0] for link in feed.iter(f"{ATOM}link")}
    assert [link for link in links if not ((site / name).parent / link).is_file()] == []


def test_a_feed_lists_the_newest_large_moves(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    feed = ET.fromstring((site / feeds.PRICES).read_bytes())  # noqa: S314
    shown = {entry.findtext(f"{ATOM}id") for entry in feed.findall(f"{ATOM}entry")}
    moves = con.execute("SELECT offer_key, valid_from FROM price_move WHERE listed AND abs(change) > 0.05").fetchall()
    ids = {f"tag:gpuledger,2026:en:price:{offer}:{day}": day for offer, day in moves}
    assert shown <= ids.keys()
    assert len(shown) >= min(feeds.ENTRIES, len(ids))
    assert min(ids[one] for one in shown) > max((day for one, day in ids.items() if one not in shown), default=dt.date.min)


def test_a_day_of_many_moves_is_in_the_feed_whole(database_copy: Path) -> None:
    with connection.connect(database_copy) as con:
        con.execute("DELETE FROM price_move WHERE valid_from > '2026-01-22'")
        ((moves,),) = con.execute("""
            SELECT count(*) FROM price_move WHERE listed AND abs(change) > 0.05 AND valid_from = '2026-01-22'
        """).fetchall()
    feed = ET.fromstring((write_pages(database_copy, changes_page) / feeds.PRICES).read_bytes())  # noqa: S314
    assert moves > feeds.ENTRIES
    assert {entry.findtext(f"{ATOM}updated") for entry in feed.findall(f"{ATOM}entry")} == {"2026-01-22T00:00:00Z"}
    assert len(feed.findall(f"{ATOM}entry")) == moves


def test_ids_and_dates_come_from_the_data(release: Path, database_copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A feed written again, at a known address, differs by that address alone."""
    monkeypatch.setenv("GPULEDGER_SITE_URL", "https://example.org/gpus/")
    docs = write_pages(database_copy, changes_page)
    for name in (feeds.RELEASES, feeds.PRICES):
        addressed = (docs / name).read_text()
        assert ET.fromstring(addressed).get(BASE) == f"https://example.org/gpus/{name}"  # noqa: S314
        published = (release / "site" / name).read_text()
        assert re.sub(' xml:base="[^"]*"', "", addressed) == re.sub(' xml:base="[^"]*"', "", published)


def test_every_page_links_the_feeds_of_its_language(site: Path) -> None:
    for path in ("index.html", "zh/index.html", "changes/index.html", "zh/gpus/index.html"):
        page = Page(site / path)
        linked = [found["href"] for tag, found in page.tags if found.get("type") == "application/atom+xml"]
        assert len(linked) == 4
        folder = site / "zh" if path.startswith("zh/") else site
        targets = {((site / path).parent / link).resolve() for link in linked}
        assert targets == {(folder / name).resolve() for name in (feeds.RELEASES, feeds.PRICES)}
