"""Tables that a reader explores: which columns there are, headed by the dictionary, and how their cells are written.

The behaviour (filters, columns, comparison, CSV) is in site/docs/assets/tables.js and explorer.js. Which columns and rows
a page has belongs in the page's module.
"""

import datetime as dt
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from pipeline.website.components import tables
from pipeline.website.components.database import ColumnText, Database, Row
from pipeline.website.components.escape import script_json
from pipeline.website.components.labels import words
from pipeline.website.components.numbers import bare, number, usd
from pipeline.website.i18n.language import gettext

_PLAIN_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_KINDS = {"DATE": "date", "VARCHAR": "text", "BOOLEAN": "text"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of an explorer: `key` in the rows, and where the dictionary says what it means.

    `name` is the dictionary's name where it differs from the key; `more` is said beside its text; `shown` at first;
    `choices` makes a list of the filter, `facet` puts that list above the table, with `chosen` picked.
    """

    key: str
    table: str
    label: str = ""
    name: str = ""
    more: str = ""
    shown: bool = False
    first: str = ""
    choices: bool = False
    facet: bool = False
    chosen: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A column as the page prints it: `kind` is number, money, date, choice (of a closed vocabulary) or text."""

    column: Column
    group: str
    label: str
    unit: str
    text: str
    kind: str
    first: str
    choices: list[str]

    @property
    def style(self) -> str:
        """The class of its cells: figures stand to the right, days and choices on one line."""
        return {"number": "n", "money": "n", "date": "gl-keep", "choice": "gl-keep"}.get(self.kind, "gl-text")


@dataclass(frozen=True, slots=True)
class Explorer:
    """A table to explore: its id on the page, headings by group, rows as dictionaries."""

    id: str
    headings: list[Heading]
    rows: list[Row]

    @property
    def groups(self) -> list[str]:
        return list(dict.fromkeys(heading.group for heading in self.headings))

    @property
    def facets(self) -> list[Heading]:
        return [heading for heading in self.headings if heading.column.facet]

    @property
    def hidden_style(self) -> Markup:
        """The rule that hides the columns which are not shown at first; the name is the first column and stays."""
        hidden = [place for place, heading in enumerate(self.headings, start=2) if not heading.column.shown]
        cells = ",".join(f"#{self.id} tr>:nth-child({place})" for place in hidden)
        return Markup(f"@media (scripting:enabled){{{cells}{{display:none}}}}" if hidden else "")  # noqa: S704


def explorer(data: Database, name: str, groups: dict[str, tuple[Column, ...]], rows: list[Row]) -> Explorer:
    """The table of these rows, with what the dictionary says of each column."""
    headings = [_heading(data, group, column, rows) for group, columns in groups.items() for column in columns]
    return Explorer(name, headings, rows)


def _heading(data: Database, group: str, column: Column, rows: list[Row]) -> Heading:
    said = _said(data, column)
    kind = "choice" if column.choices else "money" if said.unit.startswith("USD") else _KINDS.get(said.sql_type, "number")
    label = gettext(column.label) or tables.label(said.name, said.unit)
    text = f"{said.text}. {column.more}".strip() if column.more else said.text
    best_first = "descending" if kind in {"number", "date"} else "ascending"
    choices = sorted({_plain(row[column.key]) for row in rows if row[column.key] is not None}) if column.choices else []
    return Heading(column, group, label, said.unit, text, kind, column.first or best_first, choices)


def _said(data: Database, column: Column) -> ColumnText:
    table = next(table for table in data.tables if table.name == column.table)
    return next(said for said in table.columns if said.name == (column.name or column.key))


def shown(value: Any, kind: str) -> Any:
    """The value as a cell shows it."""
    text = _plain(value)
    if isinstance(text, int | float):
        return usd(text) if kind == "money" else number(text)
    if isinstance(value, dt.date):
        return Markup(text)  # noqa: S704 - digits and hyphens
    return words(text) if kind == "choice" and text is not None and _PLAIN_NAME.fullmatch(text) else text


def exact(value: Any, kind: str) -> Markup | None:
    """What a script reads instead of the shown text, where that is rounded or in words; None where the text says it all."""
    text = shown(value, kind)
    if isinstance(value, int | float) and not isinstance(value, bool):
        told = kind != "money" and float(text.replace(",", "")) == value
        return None if told else Markup(bare(value))  # noqa: S704
    return None if text == _plain(value) else Markup(value)  # noqa: S704 - a plain name: nothing else is put in words


def write_rows(path: Path, explored: Explorer, ids: Iterable[str], links: dict[str, dict[str, str]]) -> str:
    """Write the rows as a script that works from disk too, column by column; returns the hash of its bytes.

    A text stands once, with an index per row. `links` gives, per column, the address to which a text leads.
    """
    keys = ["name", *(heading.column.key for heading in explored.headings)]
    kinds = {heading.column.key: heading.kind for heading in explored.headings}
    columns = [_packed([_plain(row[key]) for row in explored.rows], kinds.get(key, ""), links.get(key, {})) for key in keys]
    text = f"window.gpuledgerRows={script_json({'ids': list(ids), 'columns': columns})};\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return float(bare(value))
    return f"{value:%Y-%m-%d}" if isinstance(value, dt.date) else value


def _packed(values: list[Any], kind: str, links: dict[str, str]) -> dict[str, Any]:
    if not any(isinstance(value, str) for value in values):
        return {"values": values}
    texts = list(dict.fromkeys(value for value in values if value is not None))
    places = {text: place for place, text in enumerate(texts)}
    packed: dict[str, Any] = {"texts": texts, "at": [places.get(value) for value in values]}
    if kind == "choice":
        packed["shown"] = [shown(text, kind) for text in texts]
    return packed | ({"links": [links.get(text) for text in texts]} if links else {})
