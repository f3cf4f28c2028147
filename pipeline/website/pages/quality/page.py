"""Pages on data quality: the health of every source, and every rejected row with its reason."""

from pathlib import Path
from typing import Any

from pipeline.release.stored_bytes import EXCERPT, SNAPSHOTS, WHOLE
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Row, group_by
from pipeline.website.writing.labels import short_source, words
from pipeline.website.writing.links import source_path
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
_SUMMARIES = "SELECT source_id, n_files, origins, extents FROM source_summary"

_FILES = """
    SELECT source_id, snapshot_id, path, url, published_at, retrieved_at, origin, extent, rows_read, rows_accepted, rows_rejected
    FROM snapshot ORDER BY source_id, coalesce(published_at, retrieved_at) DESC, path
"""
_PROVIDERS = "SELECT DISTINCT source_id, provider FROM price ORDER BY source_id, provider"


def write(writer: PageWriter) -> None:
    """Write the page of sources, one per source, and the page of rejected rows."""
    _write_sources(writer)
    _write_source_pages(writer)
    _write_rejects(writer)


def _write_sources(writer: PageWriter) -> None:
    data = writer.data
    problems = group_by(data.rows(_PROBLEMS), "source_id")
    files = {row["source_id"]: row for row in data.rows(_SUMMARIES)}
    writer.write_page(
        "sources",
        "Sources",
        "Every source: contents, terms, age, rows used, and known problems.",
        "sources.md.j2",
        sources=[row | _stored(files[row["source_id"]]) for row in writer.sources.values()],
        kinds=list(dict.fromkeys(row["kind"] for row in writer.sources.values())),
        problems=problems,
        days=data.rows(_DAYS)[0],
    )


def _stored(files: Row) -> Row:
    """Return the number of stored files of a source, and how they were obtained."""
    codes = [code for name in ("origins", "extents") for code in (files[name] or "").split(", ") if code]
    return {"files": files["n_files"], "copies": [words(code) for code in codes]}


def _write_source_pages(writer: PageWriter) -> None:
    """Write the page of every source: its stored files, and the stored row that a link from a figure names.

    The script `source.js` reads file and row from the address (`stored_row_link`) and shows the line from the published copy.
    """
    files, providers = (group_by(writer.data.rows(sql), "source_id") for sql in (_FILES, _PROVIDERS))
    for source_id, source in writer.sources.items():
        title = short_source(source)
        writer.write_page(
            source_path(source_id).removesuffix("/index.html"),
            gettext("{title}, stored files", title=title),
            gettext("Stored files of {title}, and the stored row behind each figure.", title=title),
            "source.md.j2",
            source=source,
            name=title,
            files=[row | {"copies": _copies(writer.release, row["snapshot_id"])} for row in files[source_id]],
            providers=[row["provider"] for row in providers[source_id]],
        )


def _copies(release: Path, snapshot_id: str) -> dict[str, str]:
    """Return the published copies of a stored file, by kind, as paths below the site's root."""
    names = {"whole": f"{snapshot_id}{WHOLE}", "excerpts": f"{snapshot_id}{EXCERPT}"}
    return {kind: f"data/{SNAPSHOTS}/{name}" for kind, name in names.items() if (release / SNAPSHOTS / name).exists()}


def _write_rejects(writer: PageWriter) -> None:
    data = writer.data
    rejects = data.rows(_REJECTS)
    for row in rejects:
        row["record"] = _short(row["record"])
    sources = writer.sources
    writer.write_page(
        "rejects",
        "Rejected rows",
        "Every rejected row or price of a source, with the reason.",
        "rejects.md.j2",
        groups=[_group(short_source(sources.get(name)) or name, rows) for name, rows in group_by(rejects, "source_id").items()],
        codes=data.rows(_CODES),
        shown=ROWS_SHOWN,
        reason_words=reason_words,
    )


def reason_words(code: str) -> str:
    """Return the code of a reason for a rejection in words."""
    return gettext(_REASONS[code]) if code in _REASONS else words(code.lower())


def _group(name: str, rows: list[Row]) -> dict[str, Any]:
    codes = group_by(rows, "reason_code")
    counts = {code: rows[0]["n"] for code, rows in codes.items()}
    return {"name": name, "codes": codes, "counts": counts, "n": sum(counts.values())}


def _short(record: str) -> str:
    return record if len(record) <= RECORD_SHOWN else f"{record[:RECORD_SHOWN]} ..."
