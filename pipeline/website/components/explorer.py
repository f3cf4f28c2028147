"""Tables with filters: headings from the data dictionary, and formats of cells.

The behavior (filters, columns, comparison, CSV) is in site/docs/assets/tables.js and explorer.js, columns and rows of a page in
the page's module.
"""

import datetime as dt
import hashlib
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from pipeline.website.i18n.language import gettext
from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.escape import script_json
from pipeline.website.writing.labels import column_label, words
from pipeline.website.writing.numbers import number, ratio, usd

_PLAIN_NAME = re.compile(r"[a-z][a-z0-9]*([_ ][a-z0-9]+)*")
_PRICES = ("USD/(GPU·h)", "USD/GPU")  # units of prices, which scripts get with seven digits; other figures have five
_STYLES = {"number": "n", "money": "n", "date": "gl-keep", "choice": "gl-keep"}
_KINDS = {"DATE": "date", "VARCHAR": "text", "BOOLEAN": "text"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of an explorer: its key in the rows, and its table in the data dictionary.

    `name`: name in the dictionary, if not the key. `more`: added to the dictionary's text. `shown`: visible at first.
    `choices`: filter by a list of values. `facet`: show that list above the table, with `chosen` selected.
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
class Explorer:
    """A table with filters: its id on the page, headings by group, and rows."""

    id: str
    headings: list[Row]
    rows: list[Row]

    @property
    def groups(self) -> list[str]:
        return list(dict.fromkeys(heading["group"] for heading in self.headings))

    @property
    def hidden_style(self) -> Markup:
        """CSS that hides the columns which are not visible at first. The first column, the name, is always visible."""
        hidden = [number for number, heading in enumerate(self.headings, start=2) if not heading["shown"]]
        cells = ",".join(f"#{self.id} tr>:nth-child({number})" for number in hidden)
        return Markup(f"@media (scripting:enabled){{{cells}{{display:none}}}}" if hidden else "")  # noqa: S704


def explorer(data: Database, name: str, groups: dict[str, tuple[Column, ...]], rows: list[Row]) -> Explorer:
    """The table of these rows, with headings from the dictionary."""
    headings = [_heading(data, group, column, rows) for group, columns in groups.items() for column in columns]
    return Explorer(name, headings, rows)


def _heading(data: Database, group: str, column: Column, rows: list[Row]) -> Row:
    """Return the column as the page shows it. `kind` is number, money, date, choice (of a closed vocabulary) or text.

    `format` is what `format_cell` takes: the kind, or `ratio`. `options` are the values of a choice. `style` is the CSS class of
    its cells: numbers are right-aligned, dates and choices do not wrap.
    """
    entry = data.columns[column.table][column.name or column.key]
    kind = "choice" if column.choices else "money" if entry["unit"].startswith("USD") else _KINDS.get(entry["sql_type"], "number")
    text = gettext(entry["text"])
    options = {_plain(row[column.key]) for row in rows if row[column.key] is not None} if column.choices else ()
    return asdict(column) | {
        "group": group,
        "label": gettext(column.label) or column_label(entry["name"], entry["unit"]),
        "unit": gettext(entry["unit"]),
        "text": gettext("{meaning}. {more}", meaning=text, more=gettext(column.more)) if column.more else text,
        "kind": kind,
        "format": "ratio" if entry["unit"] == "ratio" else kind,
        "digits": 7 if entry["unit"] in _PRICES else 5,
        "first": column.first or ("descending" if kind in {"number", "date"} else "ascending"),
        "options": sorted(options),
        "style": _STYLES.get(kind, "gl-text"),
    }


def format_cell(value: Any, kind: str) -> Any:
    """The value as a cell shows it."""
    text = _plain(value)
    if isinstance(text, int | float):
        return {"money": usd, "ratio": ratio}.get(kind, number)(text)
    if isinstance(value, dt.date):
        return Markup(text)  # noqa: S704 - digits and hyphens
    return words(text) if kind == "choice" and text is not None and _PLAIN_NAME.fullmatch(text) else text


def machine_value(value: Any, kind: str, digits: int) -> Markup | None:
    """The value for scripts if the cell shows it rounded or in words, else None."""
    text = format_cell(value, kind)
    if isinstance(value, int | float) and not isinstance(value, bool):
        shown = float(text.removeprefix("$").replace(",", ""))
        return None if shown == value else Markup(_rounded(value, digits))  # noqa: S704
    return None if text == _plain(value) else Markup(value)  # noqa: S704 - a plain name; other texts are shown as they are


def _rounded(value: float, digits: int) -> str:
    """The figure with so many digits, and all before the decimal point."""
    return f"{value:.{digits}g}" if abs(value) < 10**digits else f"{value:.0f}"


def write_rows(path: Path, table: Explorer, ids: Iterable[str], links: dict[str, dict[str, str]]) -> str:
    """Write the rows as a script, column by column, which pages opened from disk can load too. Returns the hash of its bytes.

    Each text is written once, with an index per row. `links` has the address of each text that is a link, by column;
    an address that ends with = is completed with the id of the row.
    """
    shown = [("name", "", 7), *((heading["key"], heading["kind"], heading["digits"]) for heading in table.headings)]
    columns = [_packed([_plain(row[key], digits) for row in table.rows], kind, links.get(key, {})) for key, kind, digits in shown]
    text = f"window.gpuledgerRows={script_json({'ids': list(ids), 'columns': columns})};\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _plain(value: Any, digits: int = 7) -> Any:
    """The value for scripts."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return int(value) if value.is_integer() else float(_rounded(value, digits))
    return f"{value:%Y-%m-%d}" if isinstance(value, dt.date) else value


def _packed(values: list[Any], kind: str, links: dict[str, str]) -> dict[str, Any]:
    if not any(isinstance(value, str) for value in values):
        return {"values": values}
    texts = list(dict.fromkeys(value for value in values if value is not None))
    indexes = {text: index for index, text in enumerate(texts)}
    packed: dict[str, Any] = {"texts": texts, "at": [indexes.get(value) for value in values]}
    if kind == "choice":
        packed["shown"] = [format_cell(text, kind) for text in texts]
    return packed | ({"links": [links.get(text) for text in texts]} if links else {})
