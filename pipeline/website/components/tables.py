"""Tables of all columns of a query, with headings from the dictionary, for tables whose columns may grow."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from pipeline.website.components.labels import words
from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.numbers import number

_UNITS = {"usd", "gb", "w", "days", "mhz", "mb", "kb", "tflops", "tops"}


@dataclass(frozen=True, slots=True)
class Head:
    """One column: name, heading, unit, meaning, and whether its values are numbers."""

    name: str
    label: str
    unit: str
    text: str
    numeric: bool


@dataclass(frozen=True, slots=True)
class Grid:
    """Headings and cells of a table. Columns without any value are left out."""

    heads: list[Head]
    rows: list[list[Any]]


def grid(data: Database, table: str, rows: list[Row], leave_out: set[str] | None = None) -> Grid:
    """Return rows of a table with headings from the dictionary."""
    units, texts = data.units(table), data.texts(table)
    names = [name for name in rows[0] if name not in (leave_out or set()) and any(row[name] is not None for row in rows)]
    heads = [
        Head(name, label(name, units.get(name, "")), units.get(name, ""), texts.get(name, ""), _numeric(rows, name))
        for name in names
    ]
    return Grid(heads, [[_cell(row[name]) for name in names] for row in rows])


def label(name: str, unit: str = "x") -> str:
    """Return the heading of a column: its name without the unit, which is printed separately."""
    if not unit:
        return words(name)
    parts = name.removesuffix("_gb_per_s").split("_")
    return words("_".join(part for part in parts if part not in _UNITS) or name)


def _numeric(rows: list[Row], name: str) -> bool:
    return all(isinstance(row[name], int | float | None) and not isinstance(row[name], bool) for row in rows)


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, dt.datetime):
        return Markup(f"{value:%Y-%m-%d}")  # noqa: S704
    return value
