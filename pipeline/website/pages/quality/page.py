"""Pages on data quality: the health of every source, and every rejected row with its reason."""

from collections import defaultdict
from typing import Any

from pipeline.website.i18n.language import N_, gettext
from pipeline.website.pages.quality.source_pages import write_source_pages
from pipeline.website.writing.database import Row, group_by
from pipeline.website.writing.labels import short_source, words
from pipeline.website.writing.page_writer import PageWriter

_REASONS = {
    "AMBIGUOUS_GPU": N_("Form factor or memory of the GPU not stated"),
    "BAD_ADDRESS": N_("Invalid address"),
    "DUPLICATE": N_("Same row twice"),
    "EMPTY": N_("No value"),
    "HOST_ONLY": N_("Host without a GPU"),
    "IMPLAUSIBLE": N_("Implausible value"),
    "NOT_A_GPU": N_("Not a GPU"),
    "NO_RESULT": N_("Run without a result"),
    "OVERLAP": N_("Overlaps another price of the offer"),
    "PLACEHOLDER_PRICE": N_("Placeholder, not a price"),
    "RANGE": N_("Value out of range"),
    "RETIRED": N_("No longer offered"),
    "SOURCE_ERROR": N_("Wrong in its source"),
    "TERMS": N_("Terms forbid publication"),
    "TRUNCATED": N_("Cut-off value"),
    "UNKNOWN_COUNT": N_("Number of GPUs not stated"),
    "UNKNOWN_GPU": N_("Unknown GPU"),
    "WINDOWS": N_("Price includes Windows"),
    "ZERO_PRICE": N_("No price, or zero"),
}  # the other codes, of broken files, are words
ROWS_SHOWN = 40
RECORD_SHOWN = 240
_REJECTS = f"""
    SELECT s.source_id, r.reason_code, n.path, r.locator, left(r.record, {RECORD_SHOWN + 1}) AS record, r.reason, r.rule_version,
        s.n_rows AS n
    FROM reject r
    JOIN snapshot n USING (snapshot_id)
    JOIN reject_summary s ON (s.source_id, s.reason_code) = (n.source_id, r.reason_code)
    ORDER BY s.source_id, s.n_rows DESC, r.reason_code, n.path, r.locator
"""
_CODES = "SELECT reason_code, n_rows AS n FROM reject_summary WHERE source_id = 'any' ORDER BY n_rows DESC, reason_code"
_PROBLEMS = "SELECT source_id, path, problem FROM source_problem ORDER BY source_id, path"
_DAYS = "SELECT max_price_age_days('cloud_rental', 'spot') AS moving, max_price_age_days('cloud_rental', 'on_demand') AS listed"
_FILES = "SELECT source_id, n_files, origins, extents FROM source_summary"


def write(writer: PageWriter) -> None:
    """Write the page of sources, one per source, and the page of rejected rows."""
    _write_sources(writer)
    write_source_pages(writer)
    _write_rejects(writer)


def _write_sources(writer: PageWriter) -> None:
    data = writer.data
    problems = group_by(data.rows(_PROBLEMS), "source_id")
    files = {row["source_id"]: row for row in data.rows(_FILES)}
    writer.write_page(
        "sources",
        "pages/quality/sources.md.j2",
        "Sources",
        "Every source: contents, terms, age, rows used, and known problems.",
        sources=[row | _stored(files[row["source_id"]]) for row in writer.sources.values()],
        kinds=list(dict.fromkeys(row["kind"] for row in writer.sources.values())),
        problems=problems,
        stale=data.figures["sources_stale"],
        days=data.rows(_DAYS)[0],
    )


def _stored(files: Row) -> Row:
    """Return the number of stored files of a source, and how they were obtained."""
    codes = [code for name in ("origins", "extents") for code in (files[name] or "").split(", ") if code]
    return {"files": files["n_files"], "copies": [words(code) for code in codes]}


def _write_rejects(writer: PageWriter) -> None:
    data = writer.data
    groups: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in data.rows(_REJECTS):
        group = groups[row["source_id"]][row["reason_code"]]
        if len(group) < ROWS_SHOWN:
            group.append(row | {"record": _short(row["record"])})
    sources, figures = writer.sources, data.figures
    writer.write_page(
        "rejects",
        "pages/quality/rejects.md.j2",
        "Rejected rows",
        "Every rejected row or price of a source, with the reason.",
        groups=[_group(sources.get(source_id), source_id, codes) for source_id, codes in groups.items()],
        codes=data.rows(_CODES),
        totals={"read": figures["rows_read"], "rejected": figures["rows_rejected"], "listed": figures["rejects"]},
        shown=ROWS_SHOWN,
        reason_words=reason_words,
    )


def reason_words(code: str) -> str:
    """Return the code of a reason for a rejection in words."""
    return gettext(_REASONS[code]) if code in _REASONS else words(code.lower())


def _group(source: Row | None, source_id: str, codes: dict[str, list[Row]]) -> dict[str, Any]:
    counts = {code: rows[0]["n"] for code, rows in codes.items()}
    return {"name": short_source(source) or source_id, "codes": codes, "counts": counts, "n": sum(counts.values())}


def _short(record: str) -> str:
    return record if len(record) <= RECORD_SHOWN else f"{record[:RECORD_SHOWN]} ..."
