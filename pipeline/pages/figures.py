"""Putting a chart on a page: static pictures for both colour schemes, the live chart, its data as a table and as CSV.

How a chart is drawn belongs in `pipeline.charts`; which chart a page shows, in the page's own module.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt
from markupsafe import Markup

from pipeline.chart_theme import theme
from pipeline.pages.database import Row
from pipeline.pages.escape import clean
from pipeline.pages.rendering import Book, fragment
from pipeline.pictures import WIDTH

VEGA_LITE = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with all that must stand around it.

    `direction` says which way is better, `finding` what the picture shows (it is the alt text), `columns` are
    (key, heading) of the rows that the table and the CSV give. `chart` is a chart or its finished specification.
    `sql` is the query whose rows are drawn, where one query gives them.
    Where the reader chooses what the chart shows, `by_choice` has the finding for each choice.
    """

    name: str
    heading: str
    direction: str
    finding: str
    dated: str
    source: str
    chart: alt.LayerChart | dict[str, Any]
    rows: Sequence[Row]
    columns: Sequence[tuple[str, str]]
    note: str = ""
    sql: str = ""
    by_choice: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure whose pictures are being drawn, its specification, and what stands for their height until that is known."""

    figure: Figure
    spec: dict[str, Any]
    height: Markup


def draw(book: Book, figure: Figure) -> Drawn:
    """Begin the figure's pictures and write its CSV."""
    chart = figure.chart  # a test validates what is drawn: here it would take as long as all else that draws
    spec = _inert(chart if isinstance(chart, dict) else chart.to_dict(validate=False))
    spec.pop("config", None)
    _write_csv(book, figure)
    return Drawn(figure, spec, book.later(figure.name, book.studio.draw(figure.name, spec)))


def place(root: str, drawn: Drawn) -> Markup:
    """The figure's piece of the page."""
    return fragment(
        "figure.html.j2",
        root=Markup(root),  # noqa: S704
        figure=drawn.figure,
        spec=drawn.spec,
        height=drawn.height,
        width=WIDTH,
        themes={"light": theme(dark=False), "dark": theme(dark=True)},
    )


def _inert(value: Any) -> Any:
    """The specification with control characters taken out of every text: they end the renderer's process."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): _inert(item) for key, item in value.items()}
    return [_inert(item) for item in value] if isinstance(value, list) else value


def _write_csv(book: Book, figure: Figure) -> None:
    target = book.docs / "data" / "charts" / f"{figure.name}.csv"
    target.parent.mkdir(parents=True, exist_ok=True)
    keys = [key for key, _ in figure.columns]
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, keys, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(figure.rows)
