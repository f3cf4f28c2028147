"""Description of the dataset in Croissant 1.1 (mlcommons.org/croissant/1.1), a superset of schema.org/Dataset."""

import datetime as dt
from pathlib import Path
from typing import Any

from pipeline.release.dataset import CITATION, DESCRIPTION, LICENCE
from pipeline.schema import Column, Table

Tables = dict[str, tuple[Table, int]]
TYPES = {
    "VARCHAR": "sc:Text", "BIGINT": "sc:Integer", "INTEGER": "sc:Integer", "HUGEINT": "sc:Integer", "DOUBLE": "sc:Float",
    "BOOLEAN": "sc:Boolean", "DATE": "sc:Date", "TIMESTAMP": "sc:DateTime",
}  # fmt: skip

_CR = ("arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "extract", "field", "fileProperty",
       "fileObject", "fileSet", "format", "includes", "isArray", "isLiveDataset", "jsonPath", "key", "parentField",
       "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate", "separator", "source",
       "subField", "transform")  # fmt: skip
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "description": {"@container": "@language"},
    "name": {"@container": "@language"},
    **{term: f"cr:{term}" for term in _CR},
}


def croissant(release: Path, tables: Tables, hashes: dict[str, str], version: str, as_of: dt.date) -> dict[str, Any]:
    """Return a Croissant 1.1 description of the CSV files, derived from the declarations; `hashes` are their SHA-256."""
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": "gpuledger",
        "description": DESCRIPTION,
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "license": LICENCE["path"],
        "version": version,
        "datePublished": as_of.isoformat(),
        "citeAs": CITATION,
        "distribution": [_file_object(release, table, hashes[name]) for name, (table, _) in tables.items()],
        "recordSet": [_record_set(table) for table, rows in tables.values() if rows],
    }


def _file_object(release: Path, table: Table, sha256: str) -> dict[str, Any]:
    path = release / "csv" / f"{table.name}.csv"
    return {
        "@type": "cr:FileObject",
        "@id": f"{table.name}.csv",
        "name": f"{table.name}.csv",
        "description": table.title,
        "contentUrl": f"csv/{table.name}.csv",
        "encodingFormat": "text/csv",
        "contentSize": f"{path.stat().st_size} B",
        "sha256": sha256,
    }


def _record_set(table: Table) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.description,
        "key": [{"@id": f"{table.name}/{name}"} for name in table.key],
        "field": [_croissant_field(table, column) for column in table.columns],
    }


def _croissant_field(table: Table, column: Column) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{table.name}/{column.name}",
        "name": column.name,
        "description": column.col.full_text,
        "dataType": TYPES[column.sql_type],
        "source": {"fileObject": {"@id": f"{table.name}.csv"}, "extract": {"column": column.name}},
    }
