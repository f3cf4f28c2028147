"""The page of changes: what is new in the data from day to day, when curated files were last changed, what the code can do since.

Prices of a card over time belong in card_prices, every row that was not kept in quality.
"""

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from pipeline.paths import ROOT
from pipeline.website.components.database import Row
from pipeline.website.components.labels import short_gpu, short_source, sources, words
from pipeline.website.components.queries import run_query
from pipeline.website.rendering import PageWriter

MOVES_SHOWN = 12
_SOURCES = "SELECT * FROM source_change ORDER BY date DESC, source_id, file"
_DAYS = """
    SELECT date, count(DISTINCT source_id) AS n_sources, sum(n_offers)::BIGINT AS n_offers, sum(n_appeared)::BIGINT AS n_appeared,
        sum(n_ended)::BIGINT AS n_ended, sum(n_rose)::BIGINT AS n_rose, sum(n_fell)::BIGINT AS n_fell
    FROM source_change GROUP BY date ORDER BY date DESC
"""
_MOVES = """
    SELECT c.valid_from AS date, c.gpu_id, g.name, c.provider, c.kind, c.billing, c.region, c.source_id,
        coalesce(c.usd_per_gpu_hour, c.usd_per_gpu) / c.change_ratio AS usd_before,
        coalesce(c.usd_per_gpu_hour, c.usd_per_gpu) AS usd, c.change_ratio - 1 AS change
    FROM price_change c
    JOIN source s ON s.source_id = c.source_id AND s.stale_after_days IS NOT NULL
    LEFT JOIN gpu g ON g.gpu_id = c.gpu_id
    WHERE c.change_ratio <> 1
    ORDER BY c.valid_from DESC, abs(ln(c.change_ratio)) DESC, c.gpu_id, c.provider, c.offer_key
"""
_FIRST = """
    WITH listed AS (
        SELECT c.* FROM price_change c JOIN source s ON s.source_id = c.source_id AND s.stale_after_days IS NOT NULL
    )
    SELECT 'card' AS what, c.gpu_id, g.name, NULL AS provider, min(c.valid_from) AS date
    FROM listed c LEFT JOIN gpu g USING (gpu_id) GROUP BY ALL
    UNION ALL BY NAME
    SELECT 'provider' AS what, any_value(provider) AS provider, min(valid_from) AS date FROM listed GROUP BY lower(provider)
    ORDER BY date DESC, what, gpu_id, provider
"""
_FILES = """
    SELECT retrieved_at::DATE AS date, source_id, title, kind, list(path ORDER BY path) AS paths,
        sum(rows_accepted)::BIGINT AS n_rows
    FROM snapshot JOIN source USING (source_id) WHERE kind NOT IN ('prices', 'rates')
    GROUP BY ALL ORDER BY date DESC, kind, source_id
"""
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_POINT = re.compile(r"^- ((?:.+\n?)(?:^ {2}.+\n?)*)", re.MULTILINE)


def write(writer: PageWriter) -> None:
    """Write the page."""
    data = writer.data
    days, moves, first = data.rows(_DAYS), run_query(data, _MOVES), run_query(data, _FIRST)
    writer.write_page(
        "changes",
        "pages/changes/page.md.j2",
        "What changed",
        "What is new in the data from day to day: cards, providers, offers, moves of price, rejected rows, rules.",
        days=_told(days, moves.rows, first.rows),
        by_source=[row for row in data.rows(_SOURCES) if days and row["date"] == days[0]["date"]],
        moves_shown=MOVES_SHOWN,
        moves_sql=moves.sql,
        first_sql=first.sql,
        files=data.rows(_FILES),
        versions=list(versions((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))),
        sources=sources(data),
        short_source=short_source,
        short_gpu=short_gpu,
        words=words,
    )


def _told(days: list[Row], moves: list[Row], first: list[Row]) -> list[dict[str, Any]]:
    """Each day with its moves, the largest first, and what was seen for the first time."""
    moved, new = _by_day(moves), _by_day(first)
    return [
        day
        | {"moves": moved[day["date"]]}
        | {f"{what}s": [row for row in new[day["date"]] if row["what"] == what] for what in ("card", "provider")}
        for day in days
    ]


def _by_day(rows: Iterable[Row]) -> dict[dt.date, list[Row]]:
    grouped: dict[dt.date, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row["date"]].append(row)
    return grouped


def versions(changelog: str) -> Iterable[dict[str, Any]]:
    """The versions of a changelog in Markdown: each heading with its points, every point on one line."""
    parts = _HEADING.split(changelog)[1:]
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        yield {"name": name, "points": [" ".join(point.split()) for point in _POINT.findall(text)]}
