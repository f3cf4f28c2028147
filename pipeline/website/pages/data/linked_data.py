"""The dataset in schema.org terms (JSON-LD) for search engines. Addresses are relative to the data page."""

from typing import Any

from pipeline.release.dataset import AUTHORS, CITATION, DESCRIPTION, KEYWORDS, LICENCE, TITLE, citation, version
from pipeline.website.components.downloads import Downloads
from pipeline.website.writing.database import Row
from pipeline.website.writing.links import is_web_address, table_path
from pipeline.website.writing.page_writer import PageWriter


def dataset(writer: PageWriter, downloads: Downloads) -> dict[str, Any]:
    """Return a schema.org Dataset with one part per table and the measured quantities with their units."""
    day = writer.as_of.isoformat()
    names = [table["name"] for table in downloads.tables]
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
        "distribution": [_download(file) for file in downloads.files if file["sha256"]],
        "variableMeasured": _variables(downloads),
        # in brief: text and files of a table are in data.json; here they would double the size of the page
        "hasPart": [{"@type": "Dataset", "name": name, "url": f"../{table_path(name)}"} for name in names],
    }


def _first_day(writer: PageWriter) -> str:
    """Return the date of the oldest price."""
    oldest = writer.data.rows("SELECT observed_at::DATE AS day FROM price ORDER BY observed_at LIMIT 1")
    return str(oldest[0]["day"] if oldest else writer.as_of)


def _source(row: Row) -> dict[str, Any]:
    fields = {"name": row["title"], "license": row["licence"], "url": row["url"] if is_web_address(row["url"]) else None}
    return {"@type": "CreativeWork"} | {key: value for key, value in fields.items() if value}


def _download(file: Row) -> dict[str, Any]:
    return {
        "@type": "DataDownload",
        "name": file["name"],
        "contentUrl": file["path"],
        "encodingFormat": file["media_type"],
        "contentSize": f"{file['bytes']} B",
        "sha256": file["sha256"],
    }


def _variables(downloads: Downloads) -> list[dict[str, str]]:
    """Return every quantity with a unit, once. The page of a table has the meaning."""
    measured = sorted({(one["name"], one["unit"]) for table in downloads.tables for one in table["columns"] if one["unit"]})
    return [{"@type": "PropertyValue", "name": name, "unitText": unit} for name, unit in measured]
