"""Downloads of a release: every table with its columns, files, hashes, and its sources with their licenses.

The data page, `data.json`, `llms.txt` and the JSON-LD use this list.
"""

from dataclasses import dataclass
from pathlib import Path

from pipeline.release.cards import CARD, DEPOSIT, SKILL
from pipeline.release.publish import DATABASE, DIFFERENCES
from pipeline.tables.lineage import sources_of
from pipeline.website.i18n.language import N_
from pipeline.website.writing.database import Database, Row

FILES = {
    DATABASE: N_("everything in one DuckDB file, every table and column commented"),
    "datapackage.json": N_("description of the CSV files (Data Package 2.0)"),
    "croissant.json": N_("description for machine-learning tools (Croissant 1.1)"),
    DIFFERENCES: N_("what changed since the last release: rows by table, prices, GPUs"),
    SKILL: N_("tables, common mistakes and ten queries, for language-model agents"),
    CARD: N_("description for Hugging Face, with one configuration per table"),
    DEPOSIT: N_("metadata for a deposit at Zenodo"),
    "CITATION.cff": N_("how to cite the data, for programs"),
    "DATA-LICENSE.md": N_("the licence of the data, and what they build on"),
    "SHA256SUMS": N_("SHA-256 of every file"),
}
MEDIA_TYPES = {
    ".csv": "text/csv",
    ".duckdb": "application/vnd.duckdb",
    ".json": "application/json",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
}


@dataclass(frozen=True, slots=True)
class Downloads:
    """All downloads of a release: files of the whole, and each table of the dictionary.

    A table has its `files` by kind (parquet, csv), its `sources` as rows of table `source`, and their licenses as `terms`.
    """

    files: list[Row]
    tables: list[Row]

    @property
    def sources(self) -> list[Row]:
        """Every source that feeds a table, once."""
        by_id = {source["source_id"]: source for table in self.tables for source in table["sources"]}
        return [by_id[name] for name in sorted(by_id)]


_ACCEPTED = "SELECT DISTINCT source_id FROM snapshot WHERE rows_accepted > 0"


def list_downloads(data: Database, release: Path) -> Downloads:
    """List the files of the release with their sizes and hashes."""
    return data.once("downloads", lambda: _list_downloads(data, release))


def _list_downloads(data: Database, release: Path) -> Downloads:
    hashes = _hashes(release)
    whole = [_file(release, name, text, hashes) for name, text in FILES.items() if (release / name).exists()]
    return Downloads(whole, [_table_download(data, release, table, hashes) for table in data.tables])


def _table_download(data: Database, release: Path, table: Row, hashes: dict[str, str]) -> Row:
    paths = {kind: f"{kind}/{table['name']}.{kind}" for kind in ("parquet", "csv")}
    files = {kind: _file(release, path, table["title"], hashes) for kind, path in paths.items() if (release / path).exists()}
    sources = _sources(data, table)
    terms = {term for source in sources for term in (source["licence"] or "cited").split("; ")}  # sources without one are cited
    return table | {"files": files, "sources": sources, "terms": sorted(terms, key=lambda term: (term == "cited", term))}


def _file(release: Path, path: str, text: str, hashes: dict[str, str]) -> Row:
    """A file of the release. `path` is below the site's folder `data`; `sha256` is None for the list of hashes itself."""
    file = release / path
    media_type = MEDIA_TYPES.get(file.suffix, "text/plain")
    details = {"bytes": file.stat().st_size, "sha256": hashes.get(path), "media_type": media_type}
    return {"path": path, "name": file.name, "text": text} | details


def _hashes(release: Path) -> dict[str, str]:
    """SHA-256 by path, as SHA256SUMS lists them."""
    lines = (release / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    return {path: digest for digest, path in (line.split("  ", 1) for line in lines)}


def _sources(data: Database, table: Row) -> list[Row]:
    """The sources that the rows name, and those that feed the table and have accepted rows."""
    declared = sources_of(table["name"]) & {row["source_id"] for row in data.rows(_ACCEPTED)}
    own = any(one["name"] == "source_id" for one in table["columns"])
    named = {row["source_id"] for row in data.rows(f"SELECT DISTINCT source_id FROM {table['name']}")} if own else set()
    return [source for source in data.rows("SELECT * FROM source ORDER BY source_id") if source["source_id"] in declared | named]
