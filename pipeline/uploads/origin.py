"""Origin of an upload: who measured it on which machine, where it was published, and its licence.

A manifest, a CSV with one row per file, states it for files that others published; without one an upload is the uploader's own.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from pipeline.errors import BuildError

OWN_LICENCE = "CC BY-SA 4.0"  # of the published data, see DATA-LICENSE.md


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Origin of one upload. `measured_by` names who measured, `attribution` is the credit that the licence asks for."""

    licence: str
    measured_by: str | None = None
    attribution: str | None = None
    url: str | None = None
    provider: str | None = None
    instance_type: str | None = None


OWN = Origin(licence=OWN_LICENCE)
_FIELDS = [field.name for field in fields(Origin)]
_OPTIONAL = [name for name in _FIELDS if name != "licence"]
_REQUIRED = ("path", "licence", "measured_by", "attribution", "url")


def load_manifest(manifest: Path) -> dict[Path, Origin]:
    """Origins by the real path of each file.

    Raises BuildError for a column or value that is missing, and for a file that is named twice.
    """
    origins: dict[Path, Origin] = {}
    with manifest.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        if set(reader.fieldnames or ()) != {"path", *_FIELDS}:
            raise BuildError(f"{manifest}: the header must be path,{','.join(_FIELDS)}; add the columns that are missing")
        for row in reader:
            path = (manifest.parent / row["path"]).resolve()
            missing = [name for name in _REQUIRED if not (row[name] or "").strip()]
            if missing or path in origins:
                problem = f"no {missing[0]}" if missing else f"{row['path']} is named twice"
                raise BuildError(
                    f"{manifest} line {reader.line_num}: {problem}; a file is published only with its licence and source"
                )
            origins[path] = _origin({name: row[name].strip() or None for name in _FIELDS})
    return origins


def decode(facts: Mapping[str, str | None] | None, sidecar: Path) -> Origin:
    """The origin that a sidecar states. Raises BuildError if it states no licence, or other fields than an origin has."""
    if not facts or not facts.get("licence") or not set(facts) <= set(_FIELDS):
        raise BuildError(f"{sidecar}: states no licence of the upload; add it to `origin`, or remove the file and its sidecar")
    return _origin(facts)


def _origin(facts: Mapping[str, str | None]) -> Origin:
    return Origin(licence=str(facts["licence"]), **{name: facts.get(name) for name in _OPTIONAL})
