"""Page of changes: differences in the data by day, last changes of curated files, and the changelog."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from pipeline.paths import ROOT
from pipeline.website.pages.changes import feeds
from pipeline.website.writing.database import Row, group_by
from pipeline.website.writing.page_writer import PageWriter

MOVES_SHOWN = 12
DAYS_SHOWN = 60
RELEASES_SHOWN = 30
_SOURCES = "SELECT * FROM source_change ORDER BY date DESC, source_id, file"
_DAYS = f"SELECT * FROM day_change ORDER BY date DESC LIMIT {DAYS_SHOWN}"
_MOVES = f"""
    SELECT m.valid_from AS date, m.gpu_id, coalesce(g.name, n.name) AS name, m.provider, m.kind, m.billing, m.region, m.source_id,
        m.usd_before, m.usd, m.change
    FROM price_move m JOIN gpu_model n USING (gpu_model_id) LEFT JOIN gpu g USING (gpu_id)
    WHERE m.listed AND m.valid_from IN (SELECT date FROM day_change ORDER BY date DESC LIMIT {DAYS_SHOWN})
    ORDER BY m.valid_from DESC, abs(ln(1 + m.change)) DESC, m.gpu_id, m.provider, m.offer_key
"""
_FIRST = """
    SELECT f.subject_kind, f.subject AS gpu_id, g.name, f.provider, f.date
    FROM first_seen f LEFT JOIN gpu g ON g.gpu_id = f.subject AND f.subject_kind = 'gpu'
    ORDER BY f.date DESC, f.subject_kind, f.subject
"""
_FILES = """
    SELECT c.date, c.source_id, s.title, s.kind, c.paths, c.n_rows
    FROM curated_change c JOIN source s USING (source_id)
    ORDER BY c.date DESC, s.kind, c.source_id
"""
_RELEASES = f"SELECT * FROM release_history ORDER BY number DESC LIMIT {RELEASES_SHOWN}"
_DIFFERENCES = """
    SELECT table_name, coalesce(title, table_name) AS title, rows_before, rows_after, rows_added, rows_removed, rows_changed
    FROM release_diff LEFT JOIN table_dictionary USING (table_name)
    WHERE release_id = (SELECT release_id FROM release_history ORDER BY number DESC LIMIT 1)
    ORDER BY table_name
"""
_RELEASE_MOVES = f"""
    SELECT m.*, coalesce(g.name, n.name) AS name
    FROM release_price_move m JOIN gpu_model n USING (gpu_model_id) LEFT JOIN gpu g USING (gpu_id)
    ORDER BY abs(ln(1 + m.change)) DESC, m.valid_from DESC, m.offer_key LIMIT {MOVES_SHOWN}
"""
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_POINT = re.compile(r"^- ((?:.+\n?)(?:^ {2}.+\n?)*)", re.MULTILINE)


def write(writer: PageWriter) -> None:
    """Write the page of changes in the data, and that of changes in tables, rules and commands."""
    data = writer.data
    feeds.write(writer)
    days, moves, first = data.rows(_DAYS), data.rows(_MOVES), data.rows(_FIRST)
    writer.write_page(
        "changes",
        "What changed",
        "What is new in the data, by date: GPUs, providers, offers, price changes, rejected rows, rules.",
        releases=[row | {"text": " ".join(feeds.summary(row))} for row in data.rows(_RELEASES)],
        differences=data.rows(_DIFFERENCES),
        release_moves=data.rows(_RELEASE_MOVES),
        days=_days_with_events(days, moves, first),
        by_source=_files_of(days[0], data.rows(_SOURCES)) if days else [],
        moves_shown=MOVES_SHOWN,
        moves=moves,
        first=first,
        files=[row | {"paths": row["paths"].split(",")} for row in data.rows(_FILES)],
    )
    writer.write_page(
        "changes/versions",
        "Tables, rules and commands",
        "What changed in tables, rules and commands, by subject, with every rename and removal.",
        "versions.md.j2",
        versions=list(versions((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))),
    )


def _files_of(day: Row, rows: list[Row]) -> list[Row]:
    """Return the files of a day, each with whether its source has several of them: the name of a single one says nothing."""
    files = [row for row in rows if row["date"] == day["date"]]
    count = Counter(row["source_id"] for row in files)
    return [row | {"of_several": count[row["source_id"]] > 1} for row in files]


def _days_with_events(days: list[Row], moves: list[Row], first: list[Row]) -> list[dict[str, Any]]:
    """Return each day with its changes of price, the largest first, and what was seen for the first time."""
    moved, new = group_by(moves, "date"), group_by(first, lambda row: (row["date"], row["subject_kind"]))
    return [
        day
        | {"gap": is_gap(day), "moves": moved[day["date"]]}
        | {"gpus": new[day["date"], "gpu"], "providers": new[day["date"], "provider"]}
        for day in days
    ]


def is_gap(day: Row) -> bool:
    """Return whether more than half of the offers appeared or ended at once, as where the list of a source has a gap."""
    appeared, ended, listed = day["n_appeared"] or 0, day["n_ended"] or 0, day["n_offers"]
    before = listed - appeared - (day["n_first"] or 0) + ended
    return bool(2 * max(appeared, ended) > max(listed, before))


def versions(changelog: str) -> Iterable[dict[str, Any]]:
    """Return the versions of a changelog in Markdown: each heading with its points, one line per point."""
    parts = _HEADING.split(changelog)[1:]
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        yield {"name": name, "points": [" ".join(point.split()) for point in _POINT.findall(text)]}
