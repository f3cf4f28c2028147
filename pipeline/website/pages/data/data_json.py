"""data.json, a catalog of the site's files, and llms.txt, the same in words: entry points for programs at the site's root.

`components.downloads` lists the files. Addresses are relative, because the site's own address is not known.
"""

from collections.abc import Iterator
from typing import Any

import yaml

from pipeline.paths import SITE
from pipeline.release.dataset import DESCRIPTION, LICENCE, TITLE, citation, version
from pipeline.website.components.downloads import Downloads, list_downloads
from pipeline.website.writing.database import Row
from pipeline.website.writing.escape import plain
from pipeline.website.writing.links import is_web_address, table_path
from pipeline.website.writing.page_writer import PageWriter

_UNKNOWN = "Unknown is empty (NULL), never zero."


def write(writer: PageWriter) -> None:
    """Write both files, after all pages and charts."""
    downloads = list_downloads(writer.data, writer.release)
    writer.write_json("data.json", _catalog(writer, downloads))
    writer.write_text("llms.txt", _llms_txt(writer, downloads))


def _catalog(writer: PageWriter, downloads: Downloads) -> dict[str, Any]:
    return {
        "title": TITLE,
        "description": DESCRIPTION,
        "version": version(writer.as_of),
        "as_of": writer.as_of,
        "licence": LICENCE,
        "citation": citation(writer.as_of),
        "notes": [_UNKNOWN, "Addresses are relative to this file.", "`filled` counts the rows in which a column is known."],
        "files": [_file(file) for file in downloads.files],
        "tables": [_table(table) for table in downloads.tables],
        "sources": [_source(row) for row in downloads.sources],
        "charts": [_chart(name, metadata) for name, metadata in sorted(writer.artifacts.charts.items())],
    }


def _table(table: Row) -> dict[str, Any]:
    return {
        "name": table["name"],
        "title": table["title"],
        "description": table["description"],
        "page": table_path(table["name"]),
        "rows": table["rows"],
        "licence": LICENCE["name"],
        "sources": [source["source_id"] for source in table["sources"]],
        "columns": [
            {"name": one["name"], "type": one["sql_type"], "unit": one["unit"] or None, "description": one["text"]}
            | {"filled": one["filled"]}
            for one in table["columns"]
        ],
        "files": [_file(file) for file in table["files"].values()],
    }


def _file(file: Row) -> dict[str, Any]:
    kept = {name: file[name] for name in ("media_type", "bytes", "sha256")}
    return {"path": f"data/{file['path']}"} | kept | {"description": file["text"]}


def _source(row: Row) -> dict[str, Any]:
    fields = {name: row[name] for name in ("source_id", "title", "kind", "licence", "attribution")}
    return fields | {"url": row["url"] if is_web_address(row["url"]) else None}


def _chart(name: str, metadata: dict[str, Any]) -> dict[str, Any]:
    path = f"data/charts/{name}"
    return {
        "name": name,
        "title": metadata["title"],
        "page": f"{metadata['page']}#{name}",
        "csv": f"{path}.csv",
        "metadata": f"{path}.metadata.json",
        "rows": metadata["rows"],
    }


def _llms_txt(writer: PageWriter, downloads: Downloads) -> str:
    """Describe the site for language models, in Markdown as defined by llmstxt.org."""
    nav = yaml.safe_load((SITE / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    parts = {
        "Pages": [_page(writer, label, address) for label, address in _pages(nav)],
        "Data": [_line("data.json", "data.json", "tables, columns, units, files and hashes in one file")]
        + [_line(file["name"], f"data/{file['path']}", f"{file['text']}; {file['bytes']:,} bytes") for file in downloads.files],
        "Tables": [_table_line(table) for table in downloads.tables if table["files"]],
    }
    head = [f"# {TITLE}", f"> {DESCRIPTION}", *_introduction(writer)]
    sections = (f"## {heading}\n\n" + "\n".join(lines) for heading, lines in parts.items())
    return "\n\n".join([*head, *sections]) + "\n"


def _introduction(writer: PageWriter) -> tuple[str, ...]:
    return (
        f"Data of {writer.as_of}. Ages count from that day: say it beside any price that you quote.",
        f"Each column has its unit. Prices are in US dollars, those of rent per GPU and hour. {_UNKNOWN}",
        f"Licence of the data: {LICENCE['title']}, {LICENCE['path']}. Cite as: {citation(writer.as_of)}.",
        "Addresses are relative to this file. A GPU's page is gpus/GPU_ID/index.html with gpu_id of table gpu. "
        "The data of the chart NAME are data/charts/NAME.csv, described in data/charts/NAME.metadata.json.",
    )


def _page(writer: PageWriter, label: str, address: str) -> str:
    text = (writer.docs / address).with_suffix(".md").read_text(encoding="utf-8")
    header = yaml.safe_load(text.split("---\n")[1]) if text.startswith("---\n") else {}
    return _line(label, address, header.get("description", ""))


def _table_line(table: Row) -> str:
    name, title, rows = (table[key] for key in ("name", "title", "rows"))
    return _line(name, f"data/csv/{name}.csv", f"{plain(title)}; {rows:,} rows")


def _line(label: str, address: str, text: str) -> str:
    return f"- [{label}]({address})" + (f": {text}" if text else "")


def _pages(nav: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Label and path of every page of the navigation, in its order."""
    for label, below in (pair for item in nav for pair in item.items()):
        yield from _pages(below) if isinstance(below, list) else [(label, below.removesuffix(".md") + ".html")]
