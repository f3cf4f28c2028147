"""Metadata that the Dagster UI shows: counts, columns, source code and a few rows, as plain values and Markdown."""

import html
import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import dagster as dg

from pipeline.fetch.snapshots import StoredFile
from pipeline.release.croissant import Tables
from pipeline.schema import Table
from pipeline.tables.load import Built
from pipeline.tables.source_rows import SourceRows
from sources import Source

COLUMNS_SHOWN = 8
COLUMNS = "dagster/column_schema"


def of_source(source: Source) -> dict[str, Any]:
    """Address, terms and licence of a source."""
    facts = {"url": source.url, "terms": source.terms_url, "licence": source.licence, "access": source.automated_access}
    return {name: dg.MetadataValue.url(str(v)) if name in ("url", "terms") else v for name, v in facts.items() if v}


def of_code(path: Path, line: int = 1) -> dict[str, Any]:
    """Reference to the file that defines an asset."""
    reference = dg.LocalFileCodeReference(file_path=str(path), line_number=line)
    return {"dagster/code_references": dg.CodeReferencesMetadataValue(code_references=[reference])}


def of_definition(definition: type | Callable[..., object]) -> dict[str, Any]:
    """Reference to the place where a class or a function is defined."""
    path = Path(inspect.getfile(definition))
    start = re.compile(rf"\s*(?:def|class) {definition.__name__}\b")
    lines = enumerate(path.read_text().splitlines(), 1)
    return of_code(path, next(number for number, line in lines if start.match(line)))


def to_dagster(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Convert plain values, as records of materializations contain them, to metadata of the UI."""
    shown = dict(facts)
    if "preview" in facts:
        shown["preview"] = dg.MetadataValue.md(facts["preview"])
    if COLUMNS in facts:
        shown[COLUMNS] = dg.TableSchema([dg.TableColumn(*column) for column in facts[COLUMNS]])
    return shown


def of_columns(table: Table) -> dict[str, Any]:
    """Columns of a table, with type, unit and meaning."""
    return {COLUMNS: [(c.name, c.sql_type, c.col.full_text) for c in table.columns]}


def of_files(files: list[StoredFile]) -> dict[str, Any]:
    """Count, size and dates of a source's snapshots."""
    if not files:
        return {"files": 0}
    rows = [(f.path, f"{f.size:,}", f"{f.retrieved_at:%Y-%m-%d}", f.sha256[:12]) for f in files]
    return {
        "files": len(files),
        "bytes": sum(file.size for file in files),
        "newest": f"{max(file.retrieved_at for file in files):%Y-%m-%d}",
        "preview": _markdown(("file", "bytes", "retrieved", "sha256"), rows),
    }


def of_rows(source: SourceRows) -> dict[str, Any]:
    """Rows read, accepted and rejected by file, and files that cannot be read."""
    rows = [(s.file.path, s.rows.rows_read, s.rows.rows_accepted, s.rows.rows_rejected) for s in source.snapshots]
    problems = {"unreadable": "\n".join(f"{path}: {problem}" for path, problem in source.problems.items())}
    return {
        "dagster/row_count": sum(row[2] for row in rows),
        "rows_read": sum(row[1] for row in rows),
        "rows_rejected": sum(row[3] for row in rows),
        "preview": _markdown(("file", "read", "accepted", "rejected"), rows),
    } | (problems if source.problems else {})


def of_table(built: Built) -> dict[str, Any]:
    """Row count, columns and the first rows of a table."""
    names = built.table.column_names[:COLUMNS_SHOWN]
    rows = [row[:COLUMNS_SHOWN] for row in built.sample]
    return {"dagster/row_count": built.rows, "preview": _markdown(names, rows)} | of_columns(built.table)


def of_database(tables: Tables) -> dict[str, Any]:
    """Tables of the published file with their sizes."""
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
