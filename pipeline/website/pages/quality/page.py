"""The pages that say how far the data can be trusted: the health of every source, and every row that was not kept."""

from collections import defaultdict
from typing import Any

from pipeline.website.components.database import Row
from pipeline.website.components.labels import short_source, sources, words
from pipeline.website.rendering import PageWriter

ROWS_SHOWN = 40
RECORD_SHOWN = 240
_REJECTS = f"""
    SELECT n.source_id, r.reason_code, n.path, r.locator, left(r.record, {RECORD_SHOWN + 1}) AS record, r.reason, r.rule_version,
        count(*) OVER (PARTITION BY n.source_id, r.reason_code) AS n
    FROM reject r JOIN snapshot n USING (snapshot_id)
    QUALIFY row_number() OVER (PARTITION BY n.source_id, r.reason_code ORDER BY n.path, r.locator) <= {ROWS_SHOWN}
    ORDER BY n.source_id, n DESC, r.reason_code, n.path, r.locator
"""
_CODES = "SELECT reason_code, count(*) AS n FROM reject GROUP BY reason_code ORDER BY n DESC, reason_code"
_TOTALS = "SELECT sum(rows_read)::BIGINT AS read, sum(rows_rejected)::BIGINT AS rejected FROM snapshot"
_PROBLEMS = "SELECT source_id, path, problem FROM source_problem ORDER BY source_id, path"
_FILES = "SELECT source_id, count(*) AS files FROM snapshot GROUP BY source_id"


def write(writer: PageWriter) -> None:
    """Write the page of sources and the page of rejected rows."""
    _write_sources(writer)
    _write_rejects(writer)


def _write_sources(writer: PageWriter) -> None:
    data = writer.data
    problems: dict[str, list[Row]] = defaultdict(list)
    for row in data.rows(_PROBLEMS):
        problems[row["source_id"]].append(row)
    found = sources(data)
    files = {row["source_id"]: row["files"] for row in data.rows(_FILES)}
    writer.write_page(
        "sources",
        "pages/quality/sources.md.j2",
        "Sources",
        "Every source: what it gives, on what terms, how old, how many rows were kept, and what is wrong with it.",
        sources=[row | {"files": files.get(row["source_id"], 0)} for row in found.values()],
        kinds=list(dict.fromkeys(row["kind"] for row in found.values())),
        problems=problems,
        stale=sum(bool(row["stale"]) for row in found.values()),
        words=words,
    )


def _write_rejects(writer: PageWriter) -> None:
    data = writer.data
    groups: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in data.rows(_REJECTS):
        groups[row["source_id"]][row["reason_code"]].append(row | {"record": _short(row["record"])})
    known = sources(data)
    writer.write_page(
        "rejects",
        "pages/quality/rejects.md.j2",
        "Rejected rows",
        "Every row of a source that was not kept, with the reason.",
        groups=[_group(known.get(source_id), source_id, codes) for source_id, codes in groups.items()],
        codes=data.rows(_CODES),
        totals=data.rows(_TOTALS)[0],
        shown=ROWS_SHOWN,
    )


def _group(source: Row | None, source_id: str, codes: dict[str, list[Row]]) -> dict[str, Any]:
    counts = {code: rows[0]["n"] for code, rows in codes.items()}
    return {"name": short_source(source) or source_id, "codes": codes, "counts": counts, "n": sum(counts.values())}


def _short(record: str) -> str:
    return record if len(record) <= RECORD_SHOWN else f"{record[:RECORD_SHOWN]} ..."
