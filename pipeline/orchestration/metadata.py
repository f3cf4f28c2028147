"""What a maintainer sees of a step in the Dagster UI: counts, ages and a few rows, as plain values and Markdown."""

import datetime as dt
import html
from typing import Any

from pipeline.fetch.snapshots import StoredFile
from pipeline.warehouse.croissant import Tables
from pipeline.warehouse.load import Built
from pipeline.warehouse.parsed_cache import ParsedSnapshot

COLUMNS_SHOWN = 8


def of_files(files: list[StoredFile]) -> dict[str, Any]:
    """Snapshots of a source: how many, how large, from when, and the age of the newest in days today."""
    if not files:
        return {"files": 0}
    newest = max(file.retrieved_at for file in files)
    rows = [(f.path, f"{f.size:,}", f"{f.retrieved_at:%Y-%m-%d}", f.sha256[:12]) for f in files]
    return {
        "files": len(files),
        "bytes": sum(file.size for file in files),
        "newest": f"{newest:%Y-%m-%d}",
        "age_days": (dt.datetime.now(dt.UTC).date() - newest.date()).days,
        "preview": _markdown(("file", "bytes", "retrieved", "sha256"), rows),
    }


def of_rows(read: list[tuple[StoredFile, ParsedSnapshot]]) -> dict[str, Any]:
    """Rows of a source's snapshots: read, kept and rejected by file."""
    rows = [(file.path, p.rows_read, p.rows_accepted, p.rows_rejected) for file, p in read]
    return {
        "dagster/row_count": sum(p.rows_accepted for _, p in read),
        "rows_read": sum(p.rows_read for _, p in read),
        "rows_rejected": sum(p.rows_rejected for _, p in read),
        "preview": _markdown(("file", "read", "kept", "rejected"), rows),
    }


def of_table(built: Built) -> dict[str, Any]:
    """A table: its rows and the first few of them, as wide as a screen takes."""
    names = built.table.column_names[:COLUMNS_SHOWN]
    rows = [row[:COLUMNS_SHOWN] for row in built.sample]
    return {"dagster/row_count": built.rows, "columns": len(built.table.columns), "preview": _markdown(names, rows)}


def of_database(tables: Tables) -> dict[str, Any]:
    rows = [(name, count, len(table.columns)) for name, (table, count) in tables.items()]
    return {
        "tables": len(tables),
        "dagster/row_count": sum(count for _, count in tables.values()),
        "preview": _markdown(("table", "rows", "columns"), rows),
    }


def _markdown(header: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    lines += ["| " + " | ".join(_cell(value) for value in row) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    return html.escape(text if len(text) <= 60 else text[:59] + "…").replace("|", "&#124;").replace("\n", " ")
