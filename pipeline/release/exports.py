"""The published tables as files: Parquet, CSV, a data package, a Croissant description, checksums."""

import datetime as dt
import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from pipeline.files import hash_file
from pipeline.paths import ROOT
from pipeline.release import cards, release_diff
from pipeline.release.croissant import Tables, croissant
from pipeline.release.dataset import DESCRIPTION, LICENCE, TITLE, version
from pipeline.release.publish import DATABASE, DIFFERENCES, TERMS
from pipeline.schema import Column, Table
from pipeline.schema.checks import quoted
from pipeline.spreadsheets import defused_sql
from pipeline.warehouse import connection

FRICTIONLESS_TYPES = {
    "VARCHAR": "string", "BIGINT": "integer", "INTEGER": "integer", "HUGEINT": "integer", "DOUBLE": "number",
    "BOOLEAN": "boolean", "DATE": "date", "TIMESTAMP": "datetime",
}  # fmt: skip

CHECKSUMS = "SHA256SUMS"
_PARTS = ("snapshots", "site")  # the data files are offered without them, too


def write_exports(release: Path, tables: Tables, as_of: dt.date) -> None:
    """Write every table as Parquet and CSV in the database's order, then descriptions, licence, cards and SHA256SUMS."""
    for folder in ("parquet", "csv"):
        (release / folder).mkdir(parents=True, exist_ok=True)
    with connection.connect(release / DATABASE, read_only=True) as con:
        _write_json(release / DIFFERENCES, release_diff.document(con))
        for table, _ in tables.values():
            write_table(con, table, release / "parquet", release / "csv")
    hashes = {name: hash_file(release / "csv" / f"{name}.csv") for name in tables}
    _write_json(release / "datapackage.json", data_package(release, tables, hashes, as_of))
    _write_json(release / "croissant.json", croissant(release, tables, hashes, version(as_of), as_of))
    write_terms(release, as_of)
    cards.write_cards(release, tables, as_of)
    write_checksums(release)


def write_table(con: duckdb.DuckDBPyConnection, table: Table, parquet: Path, csv: Path) -> None:
    """Write a table into both folders. In CSV, spreadsheets run no text as a formula."""
    con.execute(f"COPY {table.name} TO {quoted(str(parquet / f'{table.name}.parquet'))} (COMPRESSION zstd)")
    con.execute(f"COPY ({_defused_rows(table)}) TO {quoted(str(csv / f'{table.name}.csv'))} (HEADER)")


def _defused_rows(table: Table) -> str:
    """Return the query of the rows for CSV, whose text spreadsheets do not run. Parquet has the text as it is."""
    texts = [column.name for column in table.columns if column.sql_type == "VARCHAR"]
    defused = ", ".join(f"{defused_sql(name)} AS {name}" for name in texts)
    return f"SELECT * {f'REPLACE ({defused}) ' if texts else ''}FROM {table.name}"


def write_checksums(folder: Path) -> None:
    """Write SHA256SUMS: the hash of every other file in the folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / CHECKSUMS)
    (folder / CHECKSUMS).write_text("".join(f"{hash_file(path)}  {path.relative_to(folder)}\n" for path in files))


def is_intact(release: Path, *names: str) -> bool:
    """Return True where every file of SHA256SUMS, or each of the named ones, is there with its hash.

    Snapshots and the site, where they are there, have lists of their own. Publishing renames files, but never writes into them.
    """
    parts = [release / name for name in _PARTS if (release / name).exists() and not names]
    return all(_has_its_hashes(folder, names) for folder in (release, *parts))


def _has_its_hashes(folder: Path, names: tuple[str, ...]) -> bool:
    if not (folder / CHECKSUMS).exists():
        return False
    files = [line.partition("  ") for line in (folder / CHECKSUMS).read_text().splitlines()]
    files = [one for one in files if one[2] in names or not names]
    return bool(files) and all((folder / name).is_file() and hash_file(folder / name) == digest for digest, _, name in files)


def write_terms(release: Path, as_of: dt.date) -> None:
    """Write licence and citation. The citation names the data of this date instead of the code's version."""
    for name in TERMS:
        shutil.copyfile(ROOT / name, release / name)
    cited = (release / "CITATION.cff").read_text(encoding="utf-8")
    for key, value in {"version": version(as_of), "date-released": as_of.isoformat()}.items():
        cited = re.sub(rf"(?m)^{key}: .*$", f"{key}: {value}", cited)
    (release / "CITATION.cff").write_text(cited, encoding="utf-8")


def data_package(release: Path, tables: Tables, hashes: Mapping[str, str], as_of: dt.date) -> dict[str, Any]:
    """Return a Data Package 2.0 descriptor of the CSV files, derived from the declarations."""
    return {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": "gpuledger",
        "title": TITLE,
        "description": DESCRIPTION,
        "version": version(as_of),
        "licenses": [LICENCE],
        "resources": [_resource(release, table, hashes[name]) for name, (table, _) in tables.items()],
    }


def _resource(release: Path, table: Table, digest: str) -> dict[str, Any]:
    return {
        "name": table.name,
        "type": "table",
        "title": table.title,
        "description": table.description,
        "path": f"csv/{table.name}.csv",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": (release / "csv" / f"{table.name}.csv").stat().st_size,
        "hash": f"sha256:{digest}",
        "schema": {"fields": [_field(c) for c in table.columns], "primaryKey": list(table.key), "missingValues": [""]},
    }


def _field(column: Column) -> dict[str, Any]:
    field: dict[str, Any] = {"name": column.name, "type": FRICTIONLESS_TYPES[column.sql_type], "description": column.col.text}
    if column.sql_type == "TIMESTAMP":
        field["format"] = "any"
    if column.col.unit:
        field["unit"] = column.col.unit
    constraints: dict[str, Any] = {} if column.nullable else {"required": True}
    if column.col.between:
        constraints |= dict(zip(("minimum", "maximum"), column.col.between, strict=True))
    if column.col.values:
        constraints["enum"] = list(column.col.values)
    return field | ({"constraints": constraints} if constraints else {})


def _write_json(path: Path, document: dict[str, Any]) -> None:
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False, default=str) + "\n", encoding="utf-8")
