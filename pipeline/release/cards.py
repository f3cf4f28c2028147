"""Texts about a release: dataset card (Hugging Face), deposit metadata (Zenodo), a skill for language-model agents.

All come from the declarations of the tables and from `dataset`, as the data package does.
"""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import jinja2
import yaml

from pipeline.release import dataset
from pipeline.release.croissant import Tables

CARD, DEPOSIT, SKILL = "README.md", ".zenodo.json", "SKILL.md"
FILES = (CARD, DEPOSIT, SKILL)
_TEMPLATES = Path(__file__).parent
_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B", "1B<n<10B")


def write_cards(release: Path, tables: Tables, as_of: dt.date) -> None:
    """Write the three files beside the data files of the release."""
    (release / CARD).write_text(dataset_card(release, tables, as_of), encoding="utf-8")
    (release / DEPOSIT).write_text(json.dumps(deposit(as_of), indent=1) + "\n", encoding="utf-8")
    (release / SKILL).write_text(_render("skill.md.j2", tables, as_of), encoding="utf-8")


def dataset_card(release: Path, tables: Tables, as_of: dt.date) -> str:
    """Return the dataset card: a header in YAML with one configuration per table that has rows, then the text."""
    header = {
        "pretty_name": dataset.TITLE,
        "license": dataset.LICENCE["name"].lower(),
        "language": ["en"],
        "tags": [word.lower() for word in dataset.KEYWORDS],
        "size_categories": [size_category(sum(rows for _, rows in tables.values()))],
        "configs": [_configuration(name) for name, (_, rows) in tables.items() if rows],
    }
    parquet_bytes = sum((release / "parquet" / f"{name}.parquet").stat().st_size for name in tables)
    text = _render("dataset_card.md.j2", tables, as_of, parquet_mb=parquet_bytes / 1e6)
    return f"---\n{yaml.safe_dump(header, sort_keys=False)}---\n\n{text}"


def _configuration(table: str) -> dict[str, Any]:
    files = {"config_name": table, "data_files": [{"split": "train", "path": f"parquet/{table}.parquet"}]}
    return files | ({"default": True} if table == "gpu" else {})


def size_category(rows: int) -> str:
    """Return the size class of Hugging Face: n<1K, then one class per factor of ten."""
    return _SIZES[min(max(len(str(rows)) - 3, 0), len(_SIZES) - 1)]


def deposit(as_of: dt.date) -> dict[str, Any]:
    """Return the metadata of a deposit (developers.zenodo.org, deposit metadata). The DOI comes from Zenodo."""
    return {
        "upload_type": "dataset",
        "title": f"{dataset.TITLE}: GPU specifications, prices and benchmark figures",
        "description": f"<p>{dataset.DESCRIPTION}</p>",
        "creators": [{"name": dataset.AUTHORS}],
        "access_right": "open",
        "license": dataset.LICENCE["name"],
        "version": dataset.version(as_of),
        "publication_date": as_of.isoformat(),
        "keywords": list(dataset.KEYWORDS),
        "language": "eng",
        "notes": f"Cite as: {dataset.citation(as_of)}.",
    }


def _render(template: str, tables: Tables, as_of: dt.date, **values: Any) -> str:
    environment = jinja2.Environment(  # noqa: S701  # Markdown, from texts that this project declares
        loader=jinja2.FileSystemLoader(_TEMPLATES), trim_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined
    )
    return environment.get_template(template).render(
        tables=[{"name": table.name, "title": table.title, "rows": rows} for table, rows in tables.values()],
        description=dataset.DESCRIPTION,
        licence=dataset.LICENCE,
        citation=dataset.citation(as_of),
        bibtex=dataset.bibtex(as_of),
        as_of=as_of,
        **values,
    )
