"""Origin of an upload: who measured it on which machine, where it was published, and its licence.

A manifest, a CSV with one row per file, states it for files that others published; without one an upload is the uploader's own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pipeline.errors import BuildError, OptionError
from pipeline.readers import RefusedError, strict_csv
from pipeline.readers.text import decode_utf8, refuse_invisible

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
_REQUIRED = ("path", "licence", "measured_by", "attribution", "url")


def load_manifest(manifest: Path) -> dict[Path, Origin]:
    """Origins by the real path of each file.

    Raises OptionError for a file that is no CSV, a column or value that is missing, and a file that is named twice.
    """
    origins: dict[Path, Origin] = {}
    for line, row in _read_rows(manifest):
        path = (manifest.parent / row["path"]).resolve()
        missing = [name for name in _REQUIRED if not row[name].strip()]
        if missing or path in origins:
            problem = f"no {missing[0]}" if missing else f"{row['path']} is named twice"
            raise OptionError(f"{manifest} line {line}: {problem}; a file is published only with its licence and source")
        stated: dict[str, Any] = {name: row[name].strip() or None for name in _FIELDS}
        origins[path] = Origin(**stated)
    return origins


def _read_rows(manifest: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the number and the fields of each line."""
    try:
        text = decode_utf8(manifest.read_bytes()).replace("\r\n", "\n")
        refuse_invisible(text)
        (_, header), *rows = strict_csv.read_rows(text.splitlines(keepends=True))
    except RefusedError as refused:
        raise OptionError(f"{manifest} line {refused.line}: {refused.reason}") from None
    except ValueError:
        header, rows = [], []
    if set(header) != {"path", *_FIELDS}:
        raise OptionError(f"{manifest}: the header must be path,{','.join(_FIELDS)}; correct the header")
    yield from ((line, dict(zip(header, cells, strict=True))) for line, cells in rows)


def decode(facts: Mapping[str, Any] | None, sidecar: Path) -> Origin:
    """The origin that a sidecar states. Raises BuildError if it states no licence, or other fields than an origin has."""
    if not facts or not facts.get("licence") or not set(facts) <= set(_FIELDS):
        raise BuildError(f"{sidecar}: states no licence of the upload; add it to `origin`, or remove the file and its sidecar")
    return Origin(**facts)
