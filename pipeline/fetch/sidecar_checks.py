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
    wrong = [(field, values) for field, values in (("origin", ORIGINS), ("extent", EXTENTS)) if facts.get(field) not in values]
    if not wrong:
        return None
    problems = " and ".join(f"{_problem_of(field, facts.get(field))} ({', '.join(values)})" for field, values in wrong)
    options = " ".join(f"--{field} {values[-1]}" for field, values in wrong)
    return f"{name}: its sidecar has {problems}; run `gpuledger seal {name} {options}` or another of these"


def _problem_of(field: str, value: str | None) -> str:
    return f"no {field}" if value is None else f"the unknown {field} {value!r}"


def describe_missing(name: str) -> str:
    """Return the problem of a file without a sidecar, with the whole command that writes one."""
    options = f"--origin {ORIGINS[-1]} --extent {EXTENTS[-1]}"
    return f"{name}: no sidecar {name}.json; run `gpuledger seal {name} {options}`, or with other values of these"


def find_sealed_file(path: Path) -> str | None:
    """Return a problem where the file to seal is itself the sidecar of another."""
    file = path.with_suffix("")
    if path.suffix == ".json" and file.is_file():
        return f"{path}: a sidecar, which has none of its own; run `gpuledger seal {file}`"
    return None


def orphans(folder: Path) -> Iterator[Path]:
    """Yield the missing files that have a sidecar, such as `page.html` for `page.html.json`."""
    for sidecar in sorted(folder.rglob("*.json")):
        file = sidecar.with_suffix("")
        if "." in file.name and not file.is_file():
            yield file
