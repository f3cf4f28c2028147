"""The dataset in schema.org terms (JSON-LD), for search engines that read the data page. Addresses are relative to that page."""

from typing import Any

from pipeline.warehouse.dataset import AUTHORS, CITATION, DESCRIPTION, KEYWORDS, LICENCE, TITLE, citation, version
from pipeline.website.components.database import Row
from pipeline.website.components.downloads import DownloadFile, Downloads, TableDownload
from pipeline.website.rendering import PageWriter, is_web_address


def dataset(writer: PageWriter, downloads: Downloads) -> dict[str, Any]:
    """A schema.org Dataset with one part per table and the measured quantities with their units."""
    day = writer.as_of.isoformat()
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": TITLE,
        "description": DESCRIPTION,
        "url": "index.html",
        "version": version(writer.as_of),
        "datePublished": day,
        "temporalCoverage": f"{_first_day(writer)}/{day}",
        "license": LICENCE["path"],
        "isAccessibleForFree": True,
        "keywords": list(KEYWORDS),
        "creator": {"@type": "Organization", "name": AUTHORS},
        "citation": f"{CITATION} {citation(writer.as_of)}",
        "subjectOf": {"@type": "CreativeWork", "name": "Croissant 1.1", "url": "croissant.json"},
        "isBasedOn": [_source(row) for row in downloads.sources],
        "distribution": [_download(file) for file in downloads.files if file.sha256],
        "variableMeasured": _variables(downloads),
        "hasPart": [_part(entry) for entry in downloads.tables],
    }


def _first_day(writer: PageWriter) -> str:
    """The day of the oldest price."""
    oldest = writer.data.rows("SELECT observed_at::DATE AS day FROM price ORDER BY observed_at LIMIT 1")
    return str(oldest[0]["day"] if oldest else writer.as_of)


def _part(entry: TableDownload) -> dict[str, Any]:
    """A table in brief: its text and files stand below on the page and in data.json, and would double the page's weight."""
    return {"@type": "Dataset", "name": entry.table.name, "description": entry.table.title, "url": f"#t-{entry.table.name}"}


def _source(row: Row) -> dict[str, Any]:
    known = {"name": row["title"], "license": row["licence"], "url": row["url"] if is_web_address(row["url"]) else None}
    return {"@type": "CreativeWork"} | {key: value for key, value in known.items() if value}


def _download(file: DownloadFile) -> dict[str, Any]:
    return {
        "@type": "DataDownload",
        "name": file.name,
        "contentUrl": file.path,
        "encodingFormat": file.media_type,
        "contentSize": f"{file.bytes} B",
        "sha256": file.sha256,
    }


def _variables(downloads: Downloads) -> list[dict[str, str]]:
    """Every quantity that has a unit, once; what it means stands in the dictionary of the page."""
    measured = sorted({(one.name, one.unit) for entry in downloads.tables for one in entry.table.columns if one.unit})
    return [{"@type": "PropertyValue", "name": name, "unitText": unit} for name, unit in measured]
