"""Checks of sidecars that need no bytes of their files: origin, dates in the future, and sidecars whose file is missing."""

import datetime as dt
from collections.abc import Iterator, Mapping
from pathlib import Path

from pipeline.schema.provenance import EXTENTS, ORIGINS

DATES = ("retrieved_at", "published_at", "returned_at", "checked_at")
ONE_DAY = dt.timedelta(days=1)  # clocks and time zones differ


def find_future_date(facts: Mapping[str, str | None], text: str, today: dt.date) -> str | None:
    """Return line, name and value of the first date of a sidecar that is more than one day after `today`."""
    for name in DATES:
        date = dt.datetime.fromisoformat(str(facts.get(name) or "1970-01-01")).date()
        if date - ONE_DAY > today:
            number = next((n for n, line in enumerate(text.splitlines(), start=1) if f'"{name}"' in line), 1)
            return f"line {number}: {name} {date} is more than one day after today, {today}"
    return None


def find_missing_origin(facts: Mapping[str, str | None], name: str) -> str | None:
    """Return a problem where a sidecar does not state how the file was obtained and how much of the original it is."""
    for field, values in (("origin", ORIGINS), ("extent", EXTENTS)):
        value = facts.get(field)
        if value not in values:
            problem = f"no {field}, which is one of" if value is None else f"the {field} {value!r}, which is none of"
            return (
                f"{name}: its sidecar has {problem} {', '.join(values)}; "
                f"run `gpuledger seal {name} --{field} {values[-1]}` or another of these"
            )
    return None


def orphans(folder: Path) -> Iterator[Path]:
    """Yield the missing files that have a sidecar, such as `page.html` for `page.html.json`."""
    for sidecar in sorted(folder.rglob("*.json")):
        file = sidecar.with_suffix("")
        if "." in file.name and not file.is_file():
            yield file
