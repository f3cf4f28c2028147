"""The files by which programs find their way: data.json (a catalogue) and llms.txt (the same in words), at the site's root.

What there is to list is gathered in `catalogue`. Addresses are relative, since the site does not know where it will lie.
"""

from typing import Any

import yaml

from pipeline.paths import SITE
from pipeline.warehouse.dataset import DESCRIPTION, LICENCE, TITLE, citation, version
from pipeline.website.components.database import Row
from pipeline.website.components.downloads import Catalogue, Entry, File, catalogue
from pipeline.website.components.escape import plain
from pipeline.website.rendering import Book, is_web_address

_UNKNOWN = "Unknown is empty (NULL), never zero."


def write(book: Book) -> None:
    """Write both files, when every page and chart is known."""
    offered = catalogue(book.data, book.release)
    book.write_json("data.json", _catalogue(book, offered))
    book.lay("llms.txt", _words(book, offered))


def _catalogue(book: Book, offered: Catalogue) -> dict[str, Any]:
    return {
        "title": TITLE,
        "description": DESCRIPTION,
        "version": version(book.as_of),
        "as_of": book.as_of,
        "licence": LICENCE,
        "citation": citation(book.as_of),
        "notes": [_UNKNOWN, "Addresses are relative to this file.", "`filled` counts the rows in which a column is known."],
        "files": [_file(file) for file in offered.files],
        "tables": [_table(entry) for entry in offered.entries],
        "sources": [_source(row) for row in offered.sources],
        "charts": [_chart(name, told) for name, told in sorted(book.made.charts.items())],
    }


def _table(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.table.name,
        "title": entry.title,
        "description": entry.text,
        "page": f"data/index.html#t-{entry.table.name}",
        "rows": entry.table.rows,
        "licence": LICENCE["name"],
        "sources": [source["source_id"] for source in entry.sources],
        "columns": [
            {"name": one.name, "type": one.sql_type, "unit": one.unit or None, "description": one.text, "filled": one.filled}
            for one in entry.table.columns
        ],
        "files": [_file(file) for file in entry.files.values()],
    }


def _file(file: File) -> dict[str, Any]:
    path = f"data/{file.path}"
    return {"path": path, "media_type": file.media_type, "bytes": file.bytes, "sha256": file.sha256, "description": file.text}


def _source(row: Row) -> dict[str, Any]:
    told = {name: row[name] for name in ("source_id", "title", "kind", "licence", "attribution")}
    return told | {"url": row["url"] if is_web_address(row["url"]) else None}


def _chart(name: str, told: dict[str, Any]) -> dict[str, Any]:
    at = f"data/charts/{name}"
    return {
        "name": name,
        "title": told["title"],
        "page": f"{told['page']}#{name}",
        "csv": f"{at}.csv",
        "metadata": f"{at}.metadata.json",
        "rows": told["rows"],
    }


def _words(book: Book, offered: Catalogue) -> str:
    """What the site is, for a reader that is a language model: Markdown after llmstxt.org."""
    parts = {
        "Pages": [_page(book, label, address) for label, address in _pages()],
        "Data": [_line("data.json", "data.json", "tables, columns, units, files and hashes in one file")]
        + [_line(file.name, f"data/{file.path}", f"{file.text}; {file.bytes:,} bytes") for file in offered.files],
        "Tables": [_table_line(entry) for entry in offered.entries if entry.files],
    }
    head = [f"# {TITLE}", f"> {DESCRIPTION}", *_terms(book)]
    sections = (f"## {heading}\n\n" + "\n".join(lines) for heading, lines in parts.items())
    return "\n\n".join([*head, *sections]) + "\n"


def _terms(book: Book) -> tuple[str, ...]:
    return (
        f"Data of {book.as_of}. Ages count from that day: say it beside any price that you quote.",
        f"Units stand with each column. Prices are in US dollars, those of rent per GPU and hour. {_UNKNOWN}",
        f"Licence of the data: {LICENCE['title']}, {LICENCE['path']}. Cite as: {citation(book.as_of)}.",
        "Addresses are relative to this file. A card's page is gpus/GPU_ID/index.html with gpu_id of table gpu. "
        "The data of the chart NAME are data/charts/NAME.csv, described in data/charts/NAME.metadata.json.",
    )


def _page(book: Book, label: str, address: str) -> str:
    text = (book.docs / address).with_suffix(".md").read_text(encoding="utf-8")
    header = yaml.safe_load(text.split("---\n")[1]) if text.startswith("---\n") else {}
    return _line(label, address, header.get("description", ""))


def _table_line(entry: Entry) -> str:
    name = entry.table.name
    return _line(name, f"data/csv/{name}.csv", f"{plain(entry.title)}; {entry.table.rows:,} rows")


def _line(label: str, address: str, text: str) -> str:
    return f"- [{label}]({address})" + (f": {text}" if text else "")


def _pages() -> list[tuple[str, str]]:
    """Label and address of every page of the navigation, in its order."""
    return list(_flat(yaml.safe_load((SITE / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))


def _flat(nav: list[dict[str, Any]]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for label, below in (pair for item in nav for pair in item.items()):
        found += _flat(below) if isinstance(below, list) else [(label, below.removesuffix(".md") + ".html")]
    return found
